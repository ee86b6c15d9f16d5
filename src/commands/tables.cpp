// `parlab tables`: the tables of an experiment, from a database of its records.
#include <filesystem>
#include <sstream>

#include "cli/command.hpp"
#include "commands/documents.hpp"
#include "commands/sqlite.hpp"
#include "core/file.hpp"
#include "page/words.hpp"
#include "render/formats.hpp"

namespace parlab {
namespace {

struct Question {
  std::string title, sql;  // sql: empty for a note
};

std::vector<Question> read_questions(const std::string& file) {
  std::istringstream in(read_text(file, "tables:"));
  std::vector<Question> questions;
  bool in_title = false;
  for (std::string line; std::getline(in, line);) {
    const std::string note = "-- note: ", table = "-- table: ";
    if (line.starts_with(note) || line.starts_with(table)) {
      const auto& mark = line.starts_with(note) ? note : table;
      questions.push_back({line.substr(mark.size()), ""});
      in_title = true;
    } else if (in_title && line.starts_with("-- ")) {
      questions.back().title += line.substr(2);
    } else {
      in_title = false;
      const bool is_sql = !line.empty() && !line.starts_with("--");
      if (is_sql && !questions.empty()) questions.back().sql += line + "\n";
    }
  }
  return questions;
}

// "time [s]": its title and its unit.
struct Heading {
  std::string title;
  std::optional<Unit> unit = {};
};

Heading heading_of(const std::string& column) {
  const auto open = column.rfind(" [");
  if (open == column.npos || !column.ends_with(']')) return {column};
  return {column.substr(0, open),
          from_string<Unit>(column.substr(open + 2, column.size() - open - 3))};
}

// An interval if both ends are numbers.
std::optional<Interval> interval_of(const SqlCell& low, const SqlCell& high) {
  if (low.kind != SqlCell::Kind::number || high.kind != SqlCell::Kind::number)
    return std::nullopt;
  return Interval{std::stod(low.text), std::stod(high.text)};
}

Table table_of(const std::string& title, const SqlAnswer& answer) {
  Table table{.key = "row", .title = title, .numbers = true};
  table.folded = answer.rows.size() > 12;
  const auto& names = answer.columns;
  table.rows.resize(answer.rows.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto heading = heading_of(names[i]);
    const bool has_interval =
        i + 2 < names.size() && names[i + 1] == "low" && names[i + 2] == "high";
    table.columns.push_back(
        {.key = names[i], .title = heading.title, .interval = has_interval});
    if (has_interval) table.columns.push_back({.title = "95 %"});
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const auto& found = answer.rows[r];
      auto& cells = table.rows[r].cells;
      auto value = text_of(found[i], heading.unit);
      auto* quantity =
          value.empty() ? nullptr : std::get_if<Quantity>(&value.pieces[0]);
      if (has_interval && quantity)
        quantity->interval = interval_of(found[i + 1], found[i + 2]);
      const bool has_range = has_interval && quantity && quantity->interval;
      const Text range = has_range ? Text(Range{*quantity}) : Text();
      cells.emplace_back(value);
      if (has_interval) cells.emplace_back(range);
    }
    if (has_interval) i += 2;
  }
  return table;
}

int print_tables(const Arguments& arguments, const Streams& streams) {
  const auto format = format_of(arguments, {"table", "json"});
  streams.print(
      experiment_tables(arguments.positional.at(0), arguments.positional.at(1)),
      format);
  return EXIT_SUCCESS;
}

const CommandRegistration tables_command(
    {.name = "tables",
     .usage = "<database> scripts/NAME/tables.sql",
     .help = "Prints the tables of an experiment from a database of its "
             "records.",
     .options = [] { return format_option("table, json"); },
     .run = print_tables,
     .least = 2,
     .needs =
         "a database and questions: tables FILE.db scripts/NAME/tables.sql",
     .hidden = true});

}  // namespace

Document experiment_tables(const std::string& path, const std::string& file) {
  require_regular(path, "tables:");
  Database database(path, Database::Access::read);
  const auto origin = database.ask(
      "SELECT ? || ' on ' || machine || ': ' || coalesce(gpu, 'no GPU') || ', '"
      " || coalesce(cpu, '?') || ', ' || substr(date, 1, 10) || ', commit ' || "
      "\"commit\" FROM records ORDER BY date DESC LIMIT 1",
      {std::filesystem::path(path).stem().string()});
  Document document;
  if (!origin.rows.empty()) document.title = origin.rows[0][0].text;
  for (const auto& [title, sql] : read_questions(file)) {
    if (sql.empty()) {
      document.add(remark(title));
      continue;
    }
    auto table = table_of(title, database.ask(sql, {}));
    if (table.rows.empty()) {
      document.add(remark(title + ": no records of it here."));
    } else {
      document.add(std::move(table));
    }
  }
  for (const auto& row : database.ask("SELECT * FROM left_out", {}).rows)
    document.add(remark(page::left_out(std::stoul(row[0].text), row[1].text)));
  return document;
}

}  // namespace parlab
