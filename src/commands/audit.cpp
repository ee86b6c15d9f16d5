// `parlab audit`: which recorded times should not be quoted, why, and the
// commands that measure them again.
#include "audit/audit.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "cli/record_filter.hpp"
#include "commands/record_files.hpp"
#include "render/formats.hpp"
#include "report/console.hpp"

namespace parlab {
namespace {

constexpr std::size_t shown_of_a_kind = 3;  // for each cause, without --all

// Headings of the causes, most important first.
const std::vector<std::pair<Cause, const char*>> headings = {
    {Cause::source_gone, "The variant is gone"},
    {Cause::source_changed, "The variant was written anew"},
    {Cause::not_asked_for, "The command asked for other backends"},
    {Cause::below_roof, "Faster than the hardware"},
    {Cause::ceilings_differ, "The host's ceilings differ"},
    {Cause::library_behind_serial, "A library slower than serial code"},
    {Cause::out_of_line, "Slower than neighbours in size or shape"},
    {Cause::others_were_at_work, "The host was not quiet"},
    {Cause::too_wide, "The interval says little"}};

Options audit_options() {
  return filter_options() + run_options({"format"}) +
         Options{{.flag = "all", .help = "each record, not three of a kind"}};
}

Row row_of_objection(const Objection& objection, const Record& record,
                     const std::string& file) {
  return parlab::row_of({names_of_causes[static_cast<int>(objection.why.cause)],
                         record.machine, record.full_name(), record.point(),
                         to_string(record.tunables), Text(objection.why),
                         command_for(record, file)});
}

std::vector<Column> audit_columns() {
  return {{.key = "cause"},   {"machine", "machine"},   {"variant", "variant"},
          {"point", "point"}, {"tunables", "settings"}, {"why", "why"},
          {.key = "again"}};
}

int audit_records(const Arguments& arguments, const Streams& streams) {
  const auto format = format_of(arguments, {"table", "csv", "json"});
  const auto filter = filter_of(arguments);
  Progress progress(streams.messages);
  progress.show("reading records");
  auto loaded = load_asked_for(arguments);
  auto [records, objections] = audit(loaded.records, loaded.runs);
  progress.clear();
  require_some(filter, records, "audit");
  std::erase_if(objections, [&](const Objection& objection) {
    return !filter(records[objection.record]);
  });
  const auto row = [&](const Objection& objection) {
    const auto& record = records[objection.record];
    return row_of_objection(objection, record, loaded.files.at(record.run));
  };
  streams.warn(loaded.warnings);
  if (format != "table") {
    Table table{.key = "objection", .columns = audit_columns()};
    for (const auto& objection : objections)
      table.rows.push_back(row(objection));
    streams.print(table, format);
    return objections.empty() ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  const auto timed = std::ranges::count_if(records, [&](const Record& record) {
    return record.timed() && filter(record);
  });
  std::set<std::size_t> spoken_against;
  for (const auto& objection : objections)
    spoken_against.insert(objection.record);
  Document document{.title = "Audit"};
  document.add(Paragraph{
      Text(static_cast<std::int64_t>(spoken_against.size())) + " of " +
      Text(static_cast<std::int64_t>(timed)) + " times should not be quoted"});
  for (const auto& [cause, heading] : headings) {
    Table table{.columns = audit_columns()};
    std::size_t count = 0;
    std::string again;
    for (const auto& objection : objections) {
      if (objection.why.cause != cause) continue;
      if (count++ == 0) {
        const auto& record = records[objection.record];
        again = command_for(record, loaded.files.at(record.run));
      }
      if (count <= shown_of_a_kind || arguments.on("all"))
        table.rows.push_back(row(objection));
    }
    if (count == 0) continue;
    table.title = Text(heading) + ": " + Text(static_cast<std::int64_t>(count));
    document.add(std::move(table));
    document.add(remark("the first one again: " + again));
  }
  streams.print(document);
  return objections.empty() ? EXIT_SUCCESS : EXIT_FAILURE;
}

const CommandRegistration audit_command(
    {.name = "audit",
     .usage = "[<records>...] [options]",
     .help = "Says which recorded times should not be quoted, why, and how to "
             "measure them again. <records>: as show takes them.",
     .options = audit_options,
     .run = audit_records});

}  // namespace
}  // namespace parlab
