#include "commands/sqlite.hpp"

#include <stdexcept>

#ifdef PARLAB_SQLITE
#include <sqlite3.h>

#include <cmath>
#include <cstdint>

#include "core/text.hpp"
#include "statistics/statistics.hpp"
#endif

namespace parlab {

Text text_of(const SqlCell& cell, std::optional<Unit> unit) {
  if (cell.kind != SqlCell::Kind::number) return cell.text;
  const bool whole =
      cell.text.find_first_not_of("-0123456789") == std::string::npos;
  if (whole && !unit) return std::int64_t{std::stoll(cell.text)};
  return Quantity{std::stod(cell.text), unit.value_or(Unit::none)};
}

#ifdef PARLAB_SQLITE
namespace {

// statistics/ computes ratios of medians, and SQL calls it:
//   ratio(s.median_s, s.log_variance, s.freedom, b.median_s, b.log_variance,
//     b.freedom)
// is s over b; ratio_low and ratio_high are the ends of its interval, NULL if
// there are too few samples.
Uncertain uncertain_of(sqlite3_value** arguments) {
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
      known ? part(ratio(uncertain_of(arguments), uncertain_of(arguments + 3)))
            : std::nan("");
  // SQLite treats NaN as NULL.
  sqlite3_result_double(context, std::isfinite(number) ? number : std::nan(""));
}

double ratio_value(const Ratio& ratio) {
  return ratio.value;
}
double ratio_low(const Ratio& ratio) {
  return decided(ratio) ? ratio.interval.low : std::nan("");
}
double ratio_high(const Ratio& ratio) {
  return ratio.interval.high;
}

// Quotes an SQL identifier.
std::string quoted_name(const std::string& name) {
  const std::unique_ptr<char, void (*)(void*)> text(
      sqlite3_mprintf("\"%w\"", name.c_str()), sqlite3_free);
  return text.get();
}

void bind_text(sqlite3_stmt* statement, int place, const std::string& text) {
  sqlite3_bind_text(statement, place, text.data(),
                    static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

void bind_cell(sqlite3_stmt* statement, int place, const std::string& cell,
               bool is_text) {
  if (cell.empty()) {
    sqlite3_bind_null(statement, place);
  } else if (is_text) {
    bind_text(statement, place, cell);
  } else if (const auto count = number_in<std::int64_t>(cell)) {
    sqlite3_bind_int64(statement, place, *count);
  } else if (const auto value = number_in<double>(cell)) {
    sqlite3_bind_double(statement, place, *value);
  } else {
    bind_text(statement, place, cell);
  }
}

}  // namespace

Database::Database(const std::string& path, Access access) : path_(path) {
  sqlite3* opened = nullptr;
  const int flags = access == Access::read
                        ? SQLITE_OPEN_READONLY
                        : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const int status = sqlite3_open_v2(path.c_str(), &opened, flags, nullptr);
  database_ = {opened, sqlite3_close};
  if (status != SQLITE_OK) fail("opening it");
  const std::pair<const char*, decltype(&answer_ratio<ratio_value>)>
      functions[] = {{"ratio", answer_ratio<ratio_value>},
                     {"ratio_low", answer_ratio<ratio_low>},
                     {"ratio_high", answer_ratio<ratio_high>}};
  constexpr int arguments = 6;
  for (const auto& [name, function] : functions) {
    if (sqlite3_create_function_v2(
            opened, name, arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
            nullptr, function, nullptr, nullptr, nullptr) != SQLITE_OK) {
      fail(name);
    }
  }
}

void Database::run(const std::string& sql) {
  if (sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr) !=
      SQLITE_OK) {
    fail(sql);
  }
}

SqlAnswer Database::ask(const std::string& sql,
                        const std::vector<std::string>& values) {
  const auto select = prepare(sql);
  for (std::size_t i = 0; i < values.size(); ++i)
    bind_text(select.get(), static_cast<int>(i) + 1, values[i]);
  SqlAnswer answer;
  const int columns = sqlite3_column_count(select.get());
  for (int i = 0; i < columns; ++i)
    answer.columns.emplace_back(sqlite3_column_name(select.get(), i));
  while (step(select.get())) {
    auto& row = answer.rows.emplace_back();
    for (int i = 0; i < columns; ++i) {
      using Kind = SqlCell::Kind;
      const int type = sqlite3_column_type(select.get(), i);
      const auto* text =
          reinterpret_cast<const char*>(sqlite3_column_text(select.get(), i));
      row.push_back({.kind = type == SQLITE_NULL   ? Kind::null
                             : type == SQLITE_TEXT ? Kind::text
                                                   : Kind::number,
                     .text = text != nullptr ? text : ""});
    }
  }
  return answer;
}

std::shared_ptr<sqlite3_stmt> Database::prepare(const std::string& sql) {
  sqlite3_stmt* prepared = nullptr;
  const auto length = static_cast<int>(sql.size());
  if (sqlite3_prepare_v2(database_.get(), sql.c_str(), length, &prepared,
                         nullptr) != SQLITE_OK) {
    fail(sql);
  }
  if (prepared == nullptr)
    throw std::runtime_error("SQLite: '" + sql + "' is no statement");
  return {prepared, sqlite3_finalize};
}

bool Database::step(sqlite3_stmt* statement) {
  const int status = sqlite3_step(statement);
  if (status != SQLITE_ROW && status != SQLITE_DONE)
    fail(sqlite3_sql(statement));
  return status == SQLITE_ROW;
}

void Database::fail(const std::string& what) {
  throw std::runtime_error("SQLite, " + path_ + ": " +
                           sqlite3_errmsg(database_.get()) +
                           ", in: " + what.substr(0, 300));
}

Database::Table::Table(Database& database, const std::string& name,
                       std::vector<TableColumn> columns)
    : database_(database), columns_(std::move(columns)) {
  std::string declared, places;
  for (const auto& column : columns_) {
    declared += (declared.empty() ? "" : ", ") + quoted_name(column.name) +
                (column.is_text ? " TEXT" : " NUMERIC");
    places += places.empty() ? "?" : ", ?";
  }
  database.run("CREATE TABLE " + quoted_name(name) + " (" + declared + ")");
  insert_ = database.prepare("INSERT INTO " + quoted_name(name) + " VALUES (" +
                             places + ")");
}

void Database::Table::add(const std::vector<std::string>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    bind_cell(insert_.get(), static_cast<int>(i) + 1, cells[i],
              columns_[i].is_text);
  }
  database_.step(insert_.get());
  sqlite3_reset(insert_.get());
}

#else

Database::Database(const std::string&, Access) {
  throw std::runtime_error(
      "parlab was built without SQLite, so no figures and tables are drawn: "
      "install libsqlite3-dev (scripts/install.sh figures) and build again");
}
// This build has no SQLite.
void Database::run(const std::string&) {}
SqlAnswer Database::ask(const std::string&, const std::vector<std::string>&) {
  return {};
}
Database::Table::Table(Database& database, const std::string&,
                       std::vector<TableColumn>)
    : database_(database) {}
void Database::Table::add(const std::vector<std::string>&) {}

#endif

}  // namespace parlab
