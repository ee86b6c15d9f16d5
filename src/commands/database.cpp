// `parlab database`: records and the views of an experiment, for figures.
//
// Tables: all_records has the columns of `parlab export` and those that any
// variant or counter could have filled, without the points that
// leave_out_rejected() takes; records has those that were timed on uniform
// inputs; left_out says how many points were taken from which records;
// workloads, parameters and variants have the name of each; published_NAME
// holds results/published/NAME.csv, with _ for -. Each view of the experiment
// is a table, too. Empty cells are NULL.
#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>

#include "audit/audit.hpp"
#include "cli/command.hpp"
#include "commands/sqlite.hpp"
#include "core/file.hpp"
#include "core/variant.hpp"
#include "counters/ncu.hpp"
#include "record/published.hpp"
#include "record/store.hpp"

namespace parlab {
namespace {

namespace fs = std::filesystem;

// Whether a view makes a column of this name, which one of the records' would
// hide.
bool makes(const std::string& views, const std::string& column) {
  return std::regex_search(views, std::regex("\\bAS " + column + "\\b"));
}

// A view may name columns that no record of this machine has filled: the
// dimension of an unmeasured workload, a tunable, a counter, a link of a
// machine with more GPUs. These are added after the others, so that the view
// finds nothing instead of failing.
std::vector<TableColumn> with_missing(const RecordTable& table,
                                      const std::string& views) {
  auto columns = table.columns();
  std::set<std::string> names{"link_one_way", "link_both_ways"};
  for (const auto* gpus : {"2", "4", "8"})
    names.insert(std::string("link_all_reduce_over_") + gpus);
  for (const auto* workload : Registry::instance().workloads()) {
    for (const auto& dimension : workload->dimensions()) {
      const std::string name(dimension);
      if (table.empty() || !makes(views, name)) names.insert(name);
    }
  }
  for (const auto* variant : Registry::instance().variants()) {
    for (const auto& tunable : variant->tunables)
      names.insert(tunable.name);
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
    const auto& rows = published(file.stem().string());
    std::vector<TableColumn> columns;
    for (const auto& [column, cell] : rows.front().cells())
      columns.push_back({column, false});
    auto name = "published_" + file.stem().string();
    std::ranges::replace(name, '-', '_');
    Database::Table table(database, name, columns);
    for (const auto& row : rows) {
      std::vector<std::string> cells;
      for (const auto& [column, cell] : row.cells())
        cells.push_back(cell);
      table.add(cells);
    }
  }
}

// Computes the views of an experiment once, as tables, because a dozen queries
// of a figure read them, and each would compute them and all below them again.
void keep_rows(Database& database) {
  // renames without a look at views, which miss the one in question
  database.run("PRAGMA legacy_alter_table = ON");
  const auto views = database.ask(
      "SELECT name FROM sqlite_master WHERE type = 'view' AND name <> 'records'"
      " ORDER BY rowid",
      {});
  for (const auto& row : views.rows) {
    const auto& view = row.front().text;
    database.run("CREATE TABLE kept AS SELECT * FROM " + view + "; DROP VIEW " +
                 view + "; ALTER TABLE kept RENAME TO " + view);
  }
}

int make_database(const Arguments& arguments, const Streams& streams) {
  const auto& paths = arguments.positional;
  if (paths.size() != 2 || arguments.find("views") == nullptr) {
    throw UsageError(
        "database: needs records, a file to write, and --views FILE.sql");
  }
  const auto views = read_text(arguments.text("views"), "--views");
  auto loaded = load_records(paths[0]);
  const auto rejected = leave_out_rejected(loaded.records, loaded.runs);
  const auto warnings = std::move(loaded.warnings);
  const RecordTable table(std::move(loaded));
  write_beside(paths[1], [&](const fs::path& part) {
    Database database(part.string(), Database::Access::create);
    // The file is new and unused until it is complete: there is nothing to roll
    // back, and no other file is left beside it.
    database.run("PRAGMA journal_mode = OFF");
    database.run("BEGIN");
    {
      Database::Table records(database, "all_records",
                              with_missing(table, views));
      table.each_row(
          [&](const std::vector<std::string>& row) { records.add(row); });
    }
    database.run(
        "CREATE VIEW records AS SELECT * FROM all_records WHERE inputs = '" +
        std::string(to_string(InputKind::uniform)) + "'");
    Database::Table(database, "left_out", {{"times", false}, {"records", true}})
        .add({std::to_string(rejected), paths[0]});
    add_published(database);
    add_names(database);
    database.run(views);
    keep_rows(database);
    database.run("COMMIT");
  });
  streams.warn(warnings);
  return EXIT_SUCCESS;
}

const CommandRegistration database_command(
    {.name = "database",
     .usage = "<records> <database> --views FILE",
     .help = "Makes a database of records, with views of them, for figures.",
     .options =
         [] {
           return Options{
               {.flag = "views",
                .argument = "FILE",
                .help = "SQL that makes the views of an experiment"}};
         },
     .run = make_database});

}  // namespace

void add_names(Database& database) {
  {
    Database::Table table(database, "workloads", {{"name", true}});
    for (const auto* workload : Registry::instance().workloads())
      table.add({std::string(workload->name())});
  }
  {
    Database::Table table(database, "parameters",
                          {{"workload", true}, {"name", true}});
    for (const auto* workload : Registry::instance().workloads()) {
      for (const auto& parameter : workload->parameters())
        table.add({std::string(workload->name()), parameter.name});
    }
  }
  Database::Table table(database, "variants",
                        {{"workload", true}, {"name", true}});
  for (const auto* variant : Registry::instance().variants())
    table.add({variant->workload, variant->backend + "/" + variant->name});
}

}  // namespace parlab
