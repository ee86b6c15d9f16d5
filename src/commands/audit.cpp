// `parlab audit`: which recorded times should not be quoted, why, and the
// commands that measure them again.
#include "audit/audit.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "cli/record_filter.hpp"
#include "commands/record_files.hpp"
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

Table table_of_objections() {
  return {.key = "objection",
          .columns = {{.key = "cause"},
                      {"machine", "machine"},
                      {"variant", "variant"},
                      {"point", "point"},
                      {"tunables", "settings"},
                      {"why", "why"},
                      {.key = "again"}}};
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
  streams.warn(loaded.warnings);
  auto all = table_of_objections();
  for (const auto& [number, why] : objections) {
    const auto& record = records[number];
    all.add({why.cause, record.machine, record.full_name(), record.point(),
             to_string(record.tunables), why,
             command_for(record, loaded.files.at(record.run))});
  }
  const auto timed = std::ranges::count_if(records, [&](const Record& record) {
    return record.timed() && filter(record);
  });
  std::set<std::size_t> spoken_against;
  for (const auto& objection : objections)
    spoken_against.insert(objection.record);
  Document document{.title = "Audit"};
  document.add(Paragraph{Text(spoken_against.size()) + " of " + Text(timed) +
                         " times should not be quoted"});
  for (const auto& [cause, heading] : headings) {
    auto table = table_of_objections();
    std::size_t count = 0;
    for (std::size_t i = 0; i < objections.size(); ++i) {
      if (objections[i].why.cause != cause) continue;
      if (++count <= shown_of_a_kind || arguments.on("all"))
        table.rows.push_back(all.rows[i]);
    }
    if (count == 0) continue;
    table.title = Text(heading) + ": " + Text(count);
    const auto& again = table.rows.front().cells.back().text;
    document.add(table);
    document.add(remark("the first one again: " + again));
  }
  streams.print(document, all, format);
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
