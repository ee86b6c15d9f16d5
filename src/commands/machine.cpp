// `parlab machine`: describes this machine, and measures its ceilings and how
// far runs of this program differ.
#include <algorithm>
#include <filesystem>
#include <map>
#include <vector>

#include "cli/lists.hpp"
#include "cli/run_request.hpp"
#include "core/file.hpp"
#include "core/process.hpp"
#include "core/text.hpp"
#include "core/variant.hpp"
#include "machine/machine.hpp"
#include "machine/topology.hpp"
#include "places/executor.hpp"
#include "places/presence.hpp"
#include "record/ceilings_file.hpp"
#include "record/store.hpp"
#include "render/formats.hpp"
#include "statistics/between_runs.hpp"

namespace parlab {
namespace {

namespace fs = std::filesystem;

constexpr int runs = 5;
// with so few runs, smaller differences cannot be told
constexpr double least_share = 1e-3;

// The arguments of a run for each workload, with the first variant of its
// ladder on that kind of place. On the host it is one that uses all cores,
// since other programs disturb that most.
std::vector<std::vector<std::string>> choose(Target target) {
  const bool on_gpu = target != Target::host;
  std::vector<std::vector<std::string>> chosen;
  for (const auto* workload : Registry::instance().workloads()) {
    for (const auto* variant :
         Registry::instance().variants(workload->name())) {
      const auto dtype = workload->dtypes().front();
      if (variant->target != target || !variant->has(dtype)) continue;
      if (!on_gpu && variant->backend != "openmp") continue;
      // Neither too quick for the clock nor too slow to wait for: on a GPU
      // little longer than a launch, on the host too large for caches.
      const auto size_of = [&](double bytes, double flops) {
        return std::to_string(
            smallest_square_with(*workload, dtype, bytes, flops).front());
      };
      const auto sizes = on_gpu ? size_of(1e5, 1e6) + "," + size_of(64e6, 1e9)
                                : size_of(8e6, 2e7) + "," + size_of(1e8, 2e8);
      chosen.push_back({variant->workload, sizes, "--variant",
                        variant->backend + "/" + variant->name, "--dtype",
                        std::string(to_string(dtype)), "--time-limit", "0.3",
                        "--force"});
      break;
    }
  }
  return chosen;
}

BetweenRuns measured_on(Target target, const fs::path& ceilings,
                        const std::vector<std::string>& options) {
  const Temporary folder(new_temporary_folder("parlab-runs"));
  fs::copy_file(ceilings, folder.path() / ceilings.filename());
  const auto chosen = choose(target);
  for (int run = 0; run < runs; ++run) {
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      // A run has no record of a point that it could not measure.
      auto arguments = chosen[i];
      arguments.insert(arguments.begin(), this_program());
      arguments.insert(arguments.end(), options.begin(), options.end());
      arguments.insert(
          arguments.end(),
          {"--results",
           (folder.path() / (std::to_string(i) + ".jsonl")).string()});
      output_of(std::move(arguments));
    }
  }
  std::map<std::string, std::vector<Samples>> points;
  for (const auto& record : load_records(folder.path()).records) {
    if (record.timed()) points[record.identity()].push_back(record.samples());
  }
  std::vector<std::vector<Samples>> all;
  for (auto& [name, samples] : points)
    all.push_back(std::move(samples));
  return target == Target::host ? share_between_runs(all)
                                : spread_between_runs(all);
}

void keep(CeilingsOfMachine& known, const std::string& gpu,
          const BetweenRuns& spread) {
  const auto* found = known.find(gpu);
  if (found == nullptr) return;
  Ceilings ceilings = *found;
  ceilings.between_runs = {std::max(spread.share, least_share), spread.seconds};
  known.keep(gpu, ceilings);
}

// Runs this program several times on a few points, one per workload and kind of
// place, and stores with the ceilings how much the medians of a point differ.
// Skips a place whose ceilings are unknown.
void measure_between_runs(CeilingsOfMachine& known,
                          const std::vector<GpuFacts>& gpus) {
  keep(known, "", measured_on(Target::host, known.file(), {}));
  for (const auto& gpu : gpus) {
    keep(known, gpu.uuid,
         measured_on(Target::gpu, known.file(),
                     {"--device", std::to_string(gpu.device)}));
  }
}

Table table_of_ceilings(const std::string& place, const Ceilings& ceilings) {
  Table table{.key = "ceiling",
              .columns = {{"place", "place"},
                          {"what", "ceiling"},
                          {"footprint_bytes", "footprint", true},
                          {"rate", "rate", true},
                          {"unit"},
                          {"way", "way"}}};
  const auto add = [&](const std::string& what, const Text& footprint,
                       const Quantity& rate, const std::string& way) {
    const auto found = ceilings.ways.find(way);
    table.add({place, what, footprint, rate, rate.unit,
               found == ceilings.ways.end() ? "" : found->second});
  };
  for (const auto& [name, curve] :
       {std::pair("read", &ceilings.read), {"copy", &ceilings.copy}}) {
    for (const auto& [bytes, rate] : *curve) {
      add(name, Quantity{bytes, Unit::byte}, {rate, Unit::byte_per_second},
          curve_point(name, bytes));
    }
  }
  for (const auto& [unit, rate] : ceilings.units)
    add(unit, {}, peak_rate(unit, rate), unit);
  for (const auto& [link, rate] : ceilings.links) {
    const bool to_host = link == link_from_host || link == link_to_host ||
                         link == link_from_and_to_host;
    add((to_host ? "pinned memory, " : "between GPUs, ") + link, {},
        {rate, Unit::byte_per_second}, "");
  }
  return table;
}

// Better values from before stay: a roof is the best that was reached.
void measure(CeilingsOfMachine& known, const std::string& gpu,
             Executor& place) {
  Ceilings ceilings = place.ceilings();
  ceilings.links = place.links();
  if (const auto* before = known.find(gpu))
    ceilings = best_of(*before, ceilings);
  known.keep(gpu, ceilings);
}

void measure_all(CeilingsOfMachine& known, const std::vector<GpuFacts>& gpus,
                 std::ostream& messages) {
  // of the ceilings of a place, and of a run, with its start and its checks
  constexpr double ceilings_s = 8, run_s = 1.5;
  const auto programs =
      static_cast<double>(runs * (choose(Target::host).size() +
                                  gpus.size() * choose(Target::gpu).size()));
  const auto places = static_cast<double>(1 + gpus.size());
  messages << "parlab: measuring how fast memory and arithmetic are at most, "
              "and how far "
           << runs << " runs differ: about "
           << time_span(ceilings_s * places + run_s * programs) << std::endl;
  measure(known, "", *make_host_executor());
  for (const auto& gpu : gpus)
    measure(known, gpu.uuid, *make_executor(Target::streams, gpu.device));
  if (gpus.size() > 1) {  // stored with the first of them
    Ceilings ceilings = *known.find(gpus.front().uuid);
    for (const auto& [link, rate] : make_executor(Target::team)->links())
      ceilings.links[link] = rate;
    known.keep(gpus.front().uuid, ceilings);
  }
  measure_between_runs(known, gpus);
  // Other programs may have disturbed this host, unseen if it is a virtual
  // machine; some time later they may not.
  measure(known, "", *make_host_executor());
}

Options machine_options() {
  return run_options({"machine"}) + format_option("table, json") +
         Options{
             {.flag = "measure",
              .help = "measure its ceilings, and how far runs differ, anew"},
             {.flag = "name", .help = "print its name and nothing else"},
             {.flag = "cores",
              .help = "print how many physical cores it may use"},
             {.flag = "kind",
              .help = "its name without what tells it from its equals"}};
}

// The facts of one place: the host, or a GPU.
Section section_of(const std::string& place, const Text& title,
                   const Ceilings* ceilings, const BetweenRuns& usual) {
  Section section{.title = title};
  const auto say = [&](const Text& text) {
    section.add(Paragraph{.text = text});
  };
  if (ceilings == nullptr) {
    say("its ceilings are not known: parlab machine --measure");
    return section;
  }
  section.add(table_of_ceilings(place, *ceilings));
  const bool measured = ceilings->between_runs.share > 0;
  const auto& runs = measured ? ceilings->between_runs : usual;
  Text text =
      "medians of runs differ by " + Text(Quantity{runs.share, Unit::fraction});
  if (runs.seconds > 0)
    text += Text(" and ") + Quantity{runs.seconds, Unit::second};
  say(text + (measured ? "" : ", which is usual; not measured"));
  return section;
}

// For other programs.
Table table_of_machine(const Run& run) {
  return {
      .key = "machine",
      .columns = keyed({"machine", "cpu", "cores", "memory_bytes", "compiler",
                        "gpu", "gpus", "driver", "cuda"}),
      .rows = {row_of({run.machine, run.cpu, run.cores,
                       Quantity{run.memory_bytes, Unit::byte}, run.compiler,
                       run.gpu, std::ssize(run.gpus), run.driver, run.cuda})}};
}

// Versions, and the ceilings that are kept in results/MACHINE.
Document document_of_machine(const Run& run, const std::vector<GpuFacts>& gpus,
                             const CeilingsOfMachine& known) {
  Document document{.title = run.machine, .blocks = {table_of_machine(run)}};
  document.add(section_of(
      "cpu",
      "cpu: " + run.cpu + ", " + std::to_string(run.cores) + " cores, " +
          Quantity{run.memory_bytes, Unit::byte} + ", " + run.compiler,
      known.find(""), usual_between_runs_of_host));
  if (const auto why = why_no_gpu())
    document.add(Paragraph{.text = "gpu: none: " + Text(*why)});
  for (const auto& gpu : gpus) {
    const auto place = "gpu " + std::to_string(gpu.device);
    document.add(section_of(place,
                            place + ": " + gpu.name + ", " + gpu.uuid +
                                ", PCI " + gpu.pci + ", driver " + gpu.driver +
                                ", CUDA " + gpu.cuda,
                            known.find(gpu.uuid), usual_between_runs_of_gpu));
  }
  return document;
}

int print_machine(const Arguments& arguments, const Streams& streams) {
  if (!arguments.positional.empty()) {
    throw UsageError("machine: '" + arguments.positional.front() +
                     "': it takes options alone; 'parlab show MACHINE' shows "
                     "what was recorded on a machine");
  }
  const auto name = machine_asked_for(arguments);
  const auto format = format_of(arguments, {"table", "json"});
  auto& out = streams.out;
  if (arguments.on("cores")) {
    out << physical_cores() << '\n';
    return EXIT_SUCCESS;
  }
  if (arguments.on("kind")) {
    out << kind_of_machine(describe_run("", gpus_by_name(), "unnamed")) << '\n';
    return EXIT_SUCCESS;
  }
  const auto gpus = gpus_present();
  const Run run = describe_run(arguments.typed, gpus, name);
  if (arguments.on("name")) {
    out << run.machine << '\n';
    return EXIT_SUCCESS;
  }
  CeilingsOfMachine known(ceilings_file("", run.machine), run);
  if (arguments.on("measure")) measure_all(known, gpus, streams.messages);
  streams.print(document_of_machine(run, gpus, known), format);
  return EXIT_SUCCESS;
}

const CommandRegistration machine_command(
    {.name = "machine",
     .usage = "[options]",
     .help = "Says what this machine is, and the ceilings that were measured "
             "on it once.",
     .options = machine_options,
     .run = print_machine});

}  // namespace
}  // namespace parlab
