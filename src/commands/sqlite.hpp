// The few operations of SQLite that databases of records need.
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
  std::string text;  // for a number, too
};

// A whole number without a unit is a count.
Text text_of(const SqlCell& cell, std::optional<Unit> unit = {});

struct SqlAnswer {
  std::vector<std::string> columns;
  std::vector<std::vector<SqlCell>> rows;
};

// Views and queries have ratio(), ratio_low() and ratio_high() of two records:
// see the source. All functions throw std::runtime_error if SQLite fails or is
// not built in.
class Database {
 public:
  enum class Access { read, create };
  Database(const std::string& path, Access access);

  void run(const std::string& sql);
  // values: bound to ?1, ?2 ...; they are text, not SQL.
  SqlAnswer ask(const std::string& sql, const std::vector<std::string>& values);

  // A new table, filled row by row. Missing cells at the end are unknown; an
  // empty cell is NULL.
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

// The names of all workloads, of their parameters, and of all variants in the
// order of their ladders, measured or not. The position of a variant sets its
// look in all figures.
void add_names(Database& database);

}  // namespace parlab
