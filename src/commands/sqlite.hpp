// SQLite, in the few words that databases of records need.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "facts/document.hpp"
#include "record/table.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace parlab {

// A value that a query finds.
struct SqlCell {
  enum class Kind { null, number, text };
  Kind kind = Kind::null;
  std::string text;  // of a number, too
};

// A number without a unit is a count where it is whole.
Text text_of(const SqlCell& cell, std::optional<Unit> unit = {});

struct SqlAnswer {
  std::vector<std::string> columns;
  std::vector<std::vector<SqlCell>> rows;
};

// Views and queries have ratio(), ratio_low() and ratio_high() of two
// records: see the source. All throw std::runtime_error when SQLite fails or
// is not built in.
class Database {
 public:
  enum class Access { read, create };
  Database(const std::string& path, Access access);

  void run(const std::string& sql);
  // values: bound to ?1, ?2 ...: text that is no part of the SQL.
  SqlAnswer ask(const std::string& sql, const std::vector<std::string>& values);

  // A new table, row by row. Columns beyond the cells are not known; an empty
  // cell is NULL.
  class Table {
   public:
    Table(Database& database, const std::string& name,
          std::vector<TableColumn> columns);
    void add(const std::vector<std::string>& cells);

   private:
    Database& database_;
    std::vector<TableColumn> columns_;
    std::shared_ptr<sqlite3_stmt> insert_;
  };

 private:
  std::shared_ptr<sqlite3_stmt> prepare(const std::string& sql);
  bool step(sqlite3_stmt* statement);  // whether there is one more row
  [[noreturn]] void fail(const std::string& what);

  std::string path_;
  std::shared_ptr<sqlite3> database_;
};

}  // namespace parlab
