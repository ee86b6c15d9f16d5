// `parlab export`: all records for other programs, as tidy CSV, as they are
// stored, or in another program's format.
#include <ctime>
#include <iosfwd>

#include "commands/record_files.hpp"
#include "compare/compare.hpp"
#include "core/build.hpp"
#include "core/json.hpp"
#include "core/text.hpp"
#include "record/json.hpp"
#include "record/store.hpp"
#include "record/table.hpp"
#include "render/formats.hpp"

namespace parlab {
namespace {

// "dmv/cuda/naive/4096x4096/float/hot/block:128", with the inputs unless they
// are uniform
std::string benchmark_name(const Record& record) {
  auto name = record.full_name() + "/" + to_string(record.size) + "/" +
              std::string(to_string(record.dtype)) + "/" +
              std::string(to_string(record.cache));
  if (record.inputs != InputKind::uniform)
    name += "/" + std::string(to_string(record.inputs));
  for (const auto& [tunable, value] : record.tunables)
    name += "/" + tunable + ":" + std::to_string(value);
  return name;
}

void write_context(JsonWriter& json, const Run& run) {
  json.key("context").begin_object();
  json.key("date").value(run.date);
  json.key("host_name").value(run.machine);
  json.key("executable").value("parlab");
  json.key("num_cpus").value(run.cores);
  json.key("caches").begin_list().end_list();
  json.key("library_build_type").value("release");
  json.key("parlab_version").value(build_version());
  json.key("parlab_commit").value(run.commit);
  json.key("cpu").value(run.cpu);
  if (!run.gpu.empty()) json.key("gpu").value(run.gpu);
  json.end_object();
}

void write_repetition(JsonWriter& json, const Record& record, std::size_t runs,
                      std::size_t index, const Samples& samples) {
  const auto name = benchmark_name(record);
  const double ns = 1e9 * median(samples.seconds);
  json.begin_object().key("name").value(name);
  json.key("run_name").value(name).key("run_type").value("iteration");
  json.key("repetitions").value(runs).key("repetition_index").value(index);
  json.key("threads").value(record.tunables.value_or("threads", 1));
  json.key("iterations").value(samples.seconds.size());
  json.key("real_time").value(ns, 9).key("cpu_time").value(ns, 9);
  json.key("time_unit").value("ns");
  if (record.bytes > 0)
    json.key("bytes_per_second").value(1e9 * record.bytes / ns, 9);
  json.end_object();
}

// Seconds since 1970 of "2026-11-28T01:02:03Z".
std::time_t seconds_of(const std::string& date) {
  std::tm time{};
  strptime(date.c_str(), "%Y-%m-%dT%H:%M:%SZ", &time);
  return timegm(&time);
}

std::string label(std::string_view name, std::string_view value) {
  std::string text = std::string(name) + "=\"";
  for (const char c : value) {
    if (c == '\\' || c == '"') text += '\\';
    text += c == '\n' ? ' ' : c;
  }
  return text + '"';
}

// JSON as Google Benchmark writes it, for its compare.py and for actions that
// read it. Each run of a point is a repetition of one name, with the median of
// its samples. Runs of a source older than the last, and records without a
// time, are left out. Throws UsageError if the records are from several
// machines.
void write_google_benchmark(std::ostream& out, const Loaded& loaded) {
  require_one_machine(loaded.records, "export --format google-benchmark");
  JsonWriter json;
  json.begin_object();
  if (!loaded.records.empty())
    write_context(json, loaded.runs.at(loaded.records.back().run));
  json.key("benchmarks").begin_list();
  for (const auto& runs : runs_of_points(loaded.records)) {
    for (const auto& samples : runs.samples)
      write_repetition(json, runs.last, runs.samples.size(),
                       static_cast<std::size_t>(&samples - runs.samples.data()),
                       samples);
  }
  out << json.end_list().end_object().text() << '\n';
}

// OpenMetrics, for Prometheus and similar programs: the median of the last run
// of each point, at the time of that run.
void write_openmetrics(std::ostream& out, const Loaded& loaded) {
  out << "# TYPE parlab_time_seconds gauge\n"
         "# UNIT parlab_time_seconds seconds\n"
         "# HELP parlab_time_seconds Median time of one execution.\n";
  for (const auto& record : latest(loaded.records)) {
    if (!record.timed()) continue;
    const auto& run = loaded.runs.at(record.run);
    const std::string point = join(
        {label("machine", record.machine), label("workload", record.workload),
         label("backend", record.backend), label("variant", record.variant),
         label("size", to_string(record.size)),
         label("dtype", to_string(record.dtype)),
         label("cache", to_string(record.cache)),
         label("inputs", to_string(record.inputs)),
         label("tunables", to_string(record.tunables))},
        ",");
    out << "parlab_time_seconds{" << point << "} "
        << csv_number(record.summary().median) << ' ' << seconds_of(run.date)
        << '\n';
  }
  out << "# EOF\n";
}

int export_records(const Arguments& arguments, const Streams& streams) {
  const auto format =
      format_of(arguments, {"csv", "json", "google-benchmark", "openmetrics"});
  auto loaded = load_all(arguments.positional);
  const auto warnings = std::move(loaded.warnings);
  if (format == "csv") {
    write_csv(streams.out, std::move(loaded));
  } else if (format == "google-benchmark") {
    write_google_benchmark(streams.out, loaded);
  } else if (format == "openmetrics") {
    write_openmetrics(streams.out, loaded);
  } else {
    for (const auto& record : latest(std::move(loaded.records)))
      streams.out << to_json_line(record) << '\n';
  }
  streams.warn(warnings);
  return EXIT_SUCCESS;
}

const CommandRegistration export_command(
    {.name = "export",
     .usage = "<records>... [options]",
     .help = "Prints the records of files or folders as one CSV, with a line "
             "for each, or in the form of another program.",
     .options =
         [] {
           return Options{{.flag = "format",
                           .variable = "PARLAB_FORMAT",
                           .argument = "NAME",
                           .help = "csv, json, google-benchmark, openmetrics"}};
         },
     .run = export_records,
     .least = 1,
     .needs = "a record file or a folder"});

}  // namespace
}  // namespace parlab
