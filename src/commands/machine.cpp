// `parlab machine`: what this machine is and can.

#include <ostream>

#include "cli/run_options.hpp"
#include "cli/run_request.hpp"
#include "commands/between_runs.hpp"
#include "core/text.hpp"
#include "places/executor.hpp"
#include "places/presence.hpp"
#include "record/ceilings_file.hpp"
#include "render/words.hpp"

namespace parlab {
namespace {

std::string way_of(const Ceilings& ceilings, const std::string& what) {
  const auto found = ceilings.ways.find(what);
  return found == ceilings.ways.end() || found->second.empty()
             ? ""
             : " (" + found->second + ")";
}

void print_curve(std::ostream& out,
                 const Ceilings& ceilings,
                 const std::string& name,
                 const std::vector<std::pair<double, double>>& curve) {
  if (curve.empty()) return;
  out << "  " << name << " GB/s:\n";
  for (const auto& [bytes, rate] : curve) {
    out << "    " << bytes_with_unit(bytes) << ": "
        << significant(rate * 1e-9, 4)
        << way_of(ceilings, curve_point(name, bytes)) << '\n';
  }
}

void print_ceilings(std::ostream& out,
                    const Ceilings* ceilings,
                    const BetweenRuns& usual) {
  if (ceilings == nullptr) {
    out << "  its ceilings are not known: parlab machine --measure\n";
    return;
  }
  print_curve(out, *ceilings, "read", ceilings->read);
  print_curve(out, *ceilings, "copy", ceilings->copy);
  for (const auto& [unit, rate] : ceilings->units) {
    out << "  " << unit << ": " << significant(rate * 1e-9, 4) << " Gflop/s"
        << way_of(*ceilings, unit) << '\n';
  }
  for (const auto& [link, rate] : ceilings->links) {
    const bool to_host = link == link_from_host || link == link_to_host ||
                         link == link_from_and_to_host;
    out << (to_host ? "  pinned memory, " : "  between GPUs, ") << link << ": "
        << significant(rate * 1e-9, 4) << " GB/s\n";
  }
  const bool measured = ceilings->between_runs.share > 0;
  const auto& runs = measured ? ceilings->between_runs : usual;
  out << "  medians of runs differ by " << percent(runs.share);
  if (runs.seconds > 0) out << " and " << seconds_with_unit(runs.seconds);
  out << (measured ? "" : ", which is usual; not measured") << '\n';
}

// What was known stays where it was better: a roof is what was reached.
void measure(CeilingsOfMachine& known,
             const std::string& gpu,
             Executor& place) {
  Ceilings ceilings = place.ceilings();
  ceilings.links = place.links();
  if (const auto* before = known.find(gpu))
    ceilings = best_of(*before, ceilings);
  known.keep(gpu, ceilings);
}

void measure_all(CeilingsOfMachine& known, const std::vector<GpuFacts>& gpus) {
  measure(known, "", *make_host_executor());
  for (const auto& gpu : gpus)
    measure(known, gpu.uuid, *make_executor(Target::streams, gpu.device));
  if (gpus.size() > 1) {  // kept with the first of them
    Ceilings ceilings = *known.find(gpus.front().uuid);
    for (const auto& [link, rate] : make_executor(Target::team)->links())
      ceilings.links[link] = rate;
    known.keep(gpus.front().uuid, ceilings);
  }
  measure_between_runs(known, gpus);
  // Others may have been at work on this host, which no program can see where
  // it is a virtual one: some time later they may not.
  measure(known, "", *make_host_executor());
}

Options machine_options() {
  return run_options({"machine"}) +
         Options{
             {.flag = "measure",
              .help = "measure its ceilings, and how far runs differ, anew"},
             {.flag = "name", .help = "print its name and nothing else"},
             {.flag = "kind",
              .help = "its name without what tells it from its equals"}};
}

// Name, versions, and the ceilings that are kept in results/MACHINE.
int print_machine(const Arguments& arguments, const Streams& streams) {
  if (!arguments.positional.empty()) {
    throw UsageError("machine: '" + arguments.positional.front() +
                     "': it takes options alone");
  }
  const auto name = machine_asked_for(arguments);
  auto& out = streams.out;
  if (arguments.on("kind")) {
    const Run run = describe_run("", gpus_by_name(), "unnamed");
    out << machine_slug(run.gpu, run.cpu, run.cores,
                        static_cast<int>(run.gpus.size()))
        << '\n';
    return EXIT_SUCCESS;
  }
  const auto gpus = gpus_present();
  const Run run = describe_run(arguments.typed, gpus, name);
  out << run.machine << '\n';
  if (arguments.on("name")) return EXIT_SUCCESS;
  CeilingsOfMachine known(ceilings_file("", run.machine), run);
  if (arguments.on("measure")) measure_all(known, gpus);
  out << "cpu: " << run.cpu << ", " << run.cores << " cores, "
      << bytes_with_unit(run.memory_bytes) << "\n  " << run.compiler << '\n';
  print_ceilings(out, known.find(""), usual_between_runs_of_host);
  if (const auto why = why_no_gpu()) {
    out << "gpu: none: " << words(*why) << '\n';
    return EXIT_SUCCESS;
  }
  for (const auto& gpu : gpus) {
    out << "gpu " << gpu.device << ": " << gpu.name << ", " << gpu.uuid
        << ", PCI " << gpu.pci << ", driver " << gpu.driver << ", CUDA "
        << gpu.cuda << '\n';
    print_ceilings(out, known.find(gpu.uuid), usual_between_runs_of_gpu);
  }
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
