// `parlab page` and `parlab index`: stored records as a page, or an index of
// several machines.
#include <algorithm>
#include <filesystem>

#include "cli/command.hpp"
#include "commands/documents.hpp"
#include "commands/record_files.hpp"
#include "core/file.hpp"
#include "core/name.hpp"
#include "page/figures.hpp"
#include "page/sections.hpp"
#include "render/html.hpp"
#include "render/svg.hpp"
#include "report/console.hpp"

namespace parlab {
namespace {

Options index_options() {
  return {{.flag = "output",
           .argument = "FILE",
           .help = "the page (FOLDER/index.html)"}};
}

Options page_options() {
  return Options{
             {.flag = "figures",
              .argument = "FOLDER",
              .help = "where figures are (plots/MACHINE)"},
             {.flag = "databases",
              .argument = "FOLDER",
              .help = "of the records, for tables (build/records/MACHINE)"},
             {.flag = "leaderboard",
              .help = "ranks people: of folders of their records, each named "
                      "for one, and of graded classes "
                      "(plots/leaderboard.html)"},
             {.flag = "first",
              .argument = "FOLDER",
              .help = "writes its first picture alone, as a file and as a "
                      "table in Markdown"}} +
         index_options();
}

// That machine's folder in plots/ or in build/records/.
std::filesystem::path of_machine(const std::filesystem::path& all,
                                 const std::string& folder) {
  const auto machine = std::filesystem::absolute(folder + "/.")
                           .lexically_normal()
                           .parent_path()
                           .filename();
  if (is_name(machine.string())) return base_folder() / all / machine;
  throw UsageError("'" + folder + "': results/MACHINE is meant; " + name_rule);
}

// The tables of experiments that have a database there.
page::Tables tables_in(const std::filesystem::path& databases,
                       const page::Measured& measured) {
  page::Tables tables;
  for (const auto& experiment : measured.experiments) {
    const auto database = databases / (experiment.name + ".db");
    const auto questions = page::scripts_of(experiment.name) / "tables.sql";
    if (!std::filesystem::exists(database) ||
        !std::filesystem::exists(questions))
      continue;
    tables[experiment.name] =
        experiment_tables(database, questions.string()).blocks;
  }
  return tables;
}

void write_first(const std::filesystem::path& folder,
                 const page::Measured& measured) {
  const auto strip = page::first_to_fastest(measured, "", "");
  if (!strip) throw UsageError("no kernel of it has a time and a roof");
  write_file(folder / "first-to-fastest.svg",
             draw(*strip, StripForm::alone) + "\n");
  write_file(folder / "first-to-fastest.md",
             page::first_to_fastest_in_markdown(measured));
}

int write_page(const Arguments& arguments, const Streams& streams) {
  if (arguments.on("leaderboard")) {
    const auto& words = arguments.positional;
    if (words.empty())
      throw UsageError("page --leaderboard: needs folders: leaders/*");
    std::vector<std::string> warnings;
    const auto ranked =
        page::leaderboard({words.begin(), words.end()}, warnings);
    streams.warn(warnings);
    write_file(
        arguments.text("output", base_folder() / "plots/leaderboard.html"),
        html(ranked));
    return EXIT_SUCCESS;
  }
  if (arguments.positional.size() != 1)
    throw UsageError("page: needs one folder: results/MACHINE");
  const auto folder = record_path(arguments.positional.front());
  const auto plots = of_machine("plots", folder);
  Progress progress(streams.messages);
  progress.show("reading records");
  const auto measured = page::load_machine(folder);
  if (measured.entries.empty() && measured.failed.empty() &&
      measured.warnings.empty()) {
    throw UsageError("no records in '" + folder +
                     "': results/MACHINE is a folder that has some");
  }
  if (const auto* first = arguments.find("first")) {
    write_first(first->text, measured);
    return EXIT_SUCCESS;
  }
  const auto tables = tables_in(
      arguments.text("databases", of_machine("build/records", folder)),
      measured);
  write_file(arguments.text("output", plots / "index.html"),
             html(page::machine_page(measured, arguments.text("figures", plots),
                                     tables)));
  progress.clear();
  streams.warn(measured.warnings);
  return EXIT_SUCCESS;
}

int write_index(const Arguments& arguments, const Streams& streams) {
  std::vector<page::Measured> machines;
  std::vector<std::string> warnings;
  for (const auto& name : arguments.positional) {
    const auto folder = record_path(name);
    // results/* includes results/counts.jsonl.zst and results/published, which
    // are no machines.
    if (std::filesystem::is_regular_file(folder)) continue;
    auto measured = page::load_machine(folder);
    if (!is_name(measured.folder)) {
      warnings.push_back(folder + ": " + name_rule + ", skipped");
      continue;
    }
    if (!measured.experiments.empty()) machines.push_back(std::move(measured));
  }
  if (machines.empty())
    throw UsageError("index: no records in any of these folders");
  write_file(arguments.text("output", base_folder() / "plots/index.html"),
             html(page::index_page(machines)));
  for (const auto& machine : machines)
    std::ranges::copy(machine.warnings, std::back_inserter(warnings));
  streams.warn(warnings);
  return EXIT_SUCCESS;
}

const CommandRegistration page_command(
    {.name = "page",
     .usage = "results/MACHINE [options]\n--leaderboard <folders>",
     .help = "Writes the page of a machine: its figures, tables and claims, in "
             "one file; or ranks what several people measured.",
     .options = page_options,
     .run = write_page}),
    index_command(
        {.name = "index",
         .usage = "results/* [options]",
         .help = "Writes the index of several machines, side by side, with "
                 "links to their pages.",
         .options = index_options,
         .run = write_index,
         .least = 1,
         .needs = "folders: results/MACHINE..."});

}  // namespace
}  // namespace parlab
