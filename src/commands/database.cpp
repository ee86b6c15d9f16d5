#include "commands/database.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <ostream>
#include <set>
#include <sstream>

#include "core/file.hpp"
#include "core/text.hpp"
#include "core/types.hpp"
#include "core/variant.hpp"
#include "counters/ncu.hpp"
#include "record/published.hpp"
#include "record/store.hpp"
#include "record/table.hpp"
#include "statistics/statistics.hpp"

#ifdef PARLAB_SQLITE
#include <sqlite3.h>
#endif

namespace parlab {

#ifdef PARLAB_SQLITE

namespace {

namespace fs = std::filesystem;

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
  void operator()(sqlite3_stmt* statement) const {
    sqlite3_finalize(statement);
  }
};
using Statement = std::unique_ptr<sqlite3_stmt, Close>;

// Ratios of medians are computed in statistics/, and SQL asks for them:
//   ratio(s.median_s, s.log_variance, s.freedom, b.median_s, b.log_variance,
//     b.freedom)
// is s over b, ratio_low and ratio_high are the ends of its interval,
// NULL when there are too few samples.
Uncertain uncertain(sqlite3_value** arguments) {
  Uncertain number{sqlite3_value_double(arguments[0])};
  if (sqlite3_value_type(arguments[1]) == SQLITE_NULL) return number;
  number.variance = sqlite3_value_double(arguments[1]);
  number.freedom = sqlite3_value_double(arguments[2]);
  return number;
}

template <double (*part)(const Ratio&)>
void answer_ratio(sqlite3_context* context, int, sqlite3_value** arguments) {
  const bool known = sqlite3_value_type(arguments[0]) != SQLITE_NULL &&
                     sqlite3_value_double(arguments[3]) > 0;
  const double number =
      known ? part(ratio(uncertain(arguments), uncertain(arguments + 3)))
            : std::nan("");
  // SQLite takes NaN for NULL.
  sqlite3_result_double(context, std::isfinite(number) ? number : std::nan(""));
}

double value_of(const Ratio& ratio) {
  return ratio.value;
}
double low_of(const Ratio& ratio) {
  return decided(ratio) ? ratio.interval.low : std::nan("");
}
double high_of(const Ratio& ratio) {
  return ratio.interval.high;
}

class Database {
 public:
  Database(const std::string& path, int flags) : path_(path) {
    sqlite3* opened = nullptr;
    const int status = sqlite3_open_v2(path.c_str(), &opened, flags, nullptr);
    database_.reset(opened);
    if (status != SQLITE_OK) fail("opening it");
    define("ratio", answer_ratio<value_of>);
    define("ratio_low", answer_ratio<low_of>);
    define("ratio_high", answer_ratio<high_of>);
  }

  void run(const std::string& sql) {
    if (sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr) !=
        SQLITE_OK) {
      fail(sql);
    }
  }
  Statement prepare(const std::string& sql) {
    sqlite3_stmt* prepared = nullptr;
    const auto length = static_cast<int>(sql.size());
    if (sqlite3_prepare_v2(database_.get(), sql.c_str(), length, &prepared,
                           nullptr) != SQLITE_OK) {
      fail(sql);
    }
    if (prepared == nullptr)
      throw std::runtime_error("SQLite: '" + sql + "' is no statement");
    return Statement(prepared);
  }
  // Whether there is one more row.
  bool step(const Statement& statement) {
    const int status = sqlite3_step(statement.get());
    if (status != SQLITE_ROW && status != SQLITE_DONE)
      fail(sqlite3_sql(statement.get()));
    return status == SQLITE_ROW;
  }

 private:
  void define(const char* name,
              void (*function)(sqlite3_context*, int, sqlite3_value**)) {
    constexpr int arguments = 6;
    if (sqlite3_create_function_v2(database_.get(), name, arguments,
                                   SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr,
                                   function, nullptr, nullptr,
                                   nullptr) != SQLITE_OK) {
      fail(name);
    }
  }
  [[noreturn]] void fail(const std::string& what) {
    throw std::runtime_error("SQLite, " + path_ + ": " +
                             sqlite3_errmsg(database_.get()) +
                             ", in: " + what.substr(0, 300));
  }
  std::string path_;
  std::unique_ptr<sqlite3, Close> database_;
};

// "name", so that whatever is in it is a name.
std::string quoted(const std::string& name) {
  const std::unique_ptr<char, void (*)(void*)> text(
      sqlite3_mprintf("\"%w\"", name.c_str()), sqlite3_free);
  return text.get();
}

void bind_text(const Statement& statement, int place, const std::string& text) {
  sqlite3_bind_text(statement.get(), place, text.data(),
                    static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

// Whether the whole cell is a number of that kind.
template <typename Number>
bool is_number(const std::string& cell, Number& value) {
  const auto* end = cell.data() + cell.size();
  const auto result = std::from_chars(cell.data(), end, value);
  return result.ptr == end && result.ec == std::errc();
}

void bind_cell(const Statement& statement,
               int place,
               const std::string& cell,
               bool is_text) {
  std::int64_t count = 0;
  double value = 0;
  if (cell.empty()) {
    sqlite3_bind_null(statement.get(), place);
  } else if (is_text) {
    bind_text(statement, place, cell);
  } else if (is_number(cell, count)) {
    sqlite3_bind_int64(statement.get(), place, count);
  } else if (is_number(cell, value)) {
    sqlite3_bind_double(statement.get(), place, value);
  } else {
    bind_text(statement, place, cell);
  }
}

// A new table, row by row.
class Filler {
 public:
  Filler(Database& database,
         const std::string& name,
         std::vector<TableColumn> columns)
      : database_(database), columns_(std::move(columns)) {
    std::string declared, places;
    for (const auto& column : columns_) {
      declared += (declared.empty() ? "" : ", ") + quoted(column.name) +
                  (column.is_text ? " TEXT" : " NUMERIC");
      places += places.empty() ? "?" : ", ?";
    }
    database.run("CREATE TABLE " + quoted(name) + " (" + declared + ")");
    insert_ = database.prepare("INSERT INTO " + quoted(name) + " VALUES (" +
                               places + ")");
  }

  // Columns beyond the cells are not known.
  void add(const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      bind_cell(insert_, static_cast<int>(i) + 1, cells[i],
                columns_[i].is_text);
    }
    database_.step(insert_);
    sqlite3_reset(insert_.get());
  }

 private:
  Database& database_;
  std::vector<TableColumn> columns_;
  Statement insert_;
};

// A view makes a column of this name itself: one of the records' would hide it.
bool makes(const std::string& views, const std::string& column) {
  const std::string name = "AS " + column;
  const auto in_a_word = [&](std::size_t at) {
    return at < views.size() &&
           (std::isalnum(static_cast<unsigned char>(views[at])) != 0 ||
            views[at] == '_');
  };
  for (auto at = views.find(name); at != views.npos;
       at = views.find(name, at + 1)) {
    if (!in_a_word(at - 1) && !in_a_word(at + name.size())) return true;
  }
  return false;
}

// A view may name what no record of this machine has filled, the dimension
// of a workload that was not measured yet, a tunable, a counter, a link
// of a machine with more GPUs: columns for it, behind the others, so that
// it finds nothing and does not fail.
std::vector<TableColumn> with_missing(const RecordTable& table,
                                      const std::string& views) {
  auto columns = table.columns();
  std::set<std::string> names{"link_one_way", "link_both_ways"};
  for (const auto* gpus : {"2", "4", "8"}) {
    names.insert(std::string("link_all_reduce_over_") + gpus);
  }
  for (const auto* workload : Registry::instance().workloads()) {
    for (const auto& dimension : workload->dimensions()) {
      const std::string name(dimension);
      if (table.empty() || !makes(views, name)) names.insert(name);
    }
    for (const auto* variant :
         Registry::instance().variants(workload->name())) {
      for (const auto& tunable : variant->tunables)
        names.insert(tunable.name);
    }
  }
  for (const auto& name : counter_names())
    names.insert(name);
  for (const auto& column : columns)
    names.erase(column.name);
  for (const auto& name : names)
    columns.push_back({name, false});
  return columns;
}

void add_published(Database& database) {
  std::set<fs::path> files;
  for (const auto& entry : fs::directory_iterator(published_folder())) {
    if (entry.path().extension() == ".csv") files.insert(entry.path());
  }
  for (const auto& file : files) {
    const auto rows = published(file.stem().string());
    std::vector<TableColumn> columns;
    for (const auto& [column, cell] : rows.front().cells())
      columns.push_back({column, false});
    auto name = "published_" + file.stem().string();
    std::replace(name.begin(), name.end(), '-', '_');
    Filler filler(database, name, columns);
    for (const auto& row : rows) {
      std::vector<std::string> cells;
      for (const auto& [column, cell] : row.cells())
        cells.push_back(cell);
      filler.add(cells);
    }
  }
}

// All that there are, by name, measured or not: a figure
// that compares some of them colours each by its place.
void add_workloads(Database& database) {
  Filler filler(database, "workloads", {{"name", true}});
  for (const auto* workload : Registry::instance().workloads())
    filler.add({std::string(workload->name())});
}

std::string text_of(const std::string& path) {
  require_regular(path, "--views");
  std::ifstream in(path);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  if (!in) throw UsageError("cannot read " + path);
  return text.str();
}

using Row = std::vector<std::string>;

void print_aligned(std::ostream& out,
                   const Row& titles,
                   const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < titles.size(); ++i) {
    std::size_t width = titles[i].size();
    for (const auto& row : rows)
      width = std::max(width, row[i].size());
    widths.push_back(width);
  }
  const auto print = [&](const Row& row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      out << (i == 0 ? "" : "  ") << row[i]
          << std::string(widths[i] - row[i].size(), ' ');
    }
    out << '\n';
  };
  Row lines;
  for (const auto width : widths)
    lines.emplace_back(width, '-');
  print(titles);
  print(lines);
  for (const auto& row : rows)
    print(row);
}

}  // namespace

std::vector<std::string> make_database(const DatabaseRequest& request) {
  const auto views = text_of(request.views);
  auto loaded = load_records(request.records);
  const auto warnings = std::move(loaded.warnings);
  const RecordTable table(std::move(loaded));
  write_beside(request.output, [&](const fs::path& part) {
    Database database(part.string(),
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    // It is new, and nobody's until it is complete: nothing to roll
    // back, nothing left beside it.
    database.run("PRAGMA journal_mode = OFF");
    database.run("BEGIN");
    Filler filler(database, "records", with_missing(table, views));
    table.each_row(
        [&](const std::vector<std::string>& row) { filler.add(row); });
    add_published(database);
    add_workloads(database);
    database.run(views);
    database.run("COMMIT");
  });
  return warnings;
}

void query_database(const std::string& path,
                    const std::string& sql,
                    const std::vector<std::string>& values,
                    bool aligned,
                    std::ostream& out) {
  require_regular(path, "query:");
  Database database(path, SQLITE_OPEN_READONLY);
  const auto select = database.prepare(sql);
  for (std::size_t i = 0; i < values.size(); ++i) {
    bind_text(select, static_cast<int>(i) + 1, values[i]);
  }
  const int columns = sqlite3_column_count(select.get());
  std::vector<Row> rows;
  while (database.step(select)) {
    auto& row = rows.emplace_back();
    for (int i = 0; i < columns; ++i) {
      const auto* text =
          reinterpret_cast<const char*>(sqlite3_column_text(select.get(), i));
      row.emplace_back(text != nullptr ? text : aligned ? "-" : "");
    }
  }
  if (aligned) {
    if (rows.empty()) return;
    Row titles;
    for (int i = 0; i < columns; ++i)
      titles.emplace_back(sqlite3_column_name(select.get(), i));
    print_aligned(out, titles, rows);
    return;
  }
  for (const auto& row : rows)
    out << join(row, "\t") << '\n';
}

#else

namespace {

[[noreturn]] void not_built_in() {
  throw std::runtime_error(
      "parlab was built without SQLite, so no figures and tables are drawn: "
      "install "
      "libsqlite3-dev (scripts/install.sh figures) and build again");
}

}  // namespace

std::vector<std::string> make_database(const DatabaseRequest&) {
  not_built_in();
}

void query_database(const std::string&,
                    const std::string&,
                    const std::vector<std::string>&,
                    bool,
                    std::ostream&) {
  not_built_in();
}

#endif

}  // namespace parlab
