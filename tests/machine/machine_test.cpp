// The machine: names, topology, ceilings, and the roofs that follow from these.
#include "machine/machine.hpp"

#include <sched.h>

#include <boost/test/unit_test.hpp>
#include <cctype>
#include <filesystem>
#include <functional>
#include <set>
#include <sstream>

#include "folder.hpp"
#include "machine/cgroup.hpp"
#include "machine/driver_files.hpp"
#include "machine/host_ceilings.hpp"
#include "machine/memory.hpp"
#include "machine/pinning.hpp"
#include "machine/roof.hpp"
#include "machine/topology.hpp"
#include "record/run.hpp"

namespace fs = std::filesystem;
using namespace parlab;
using boost::test_tools::per_element;
using boost::test_tools::tolerance;

BOOST_AUTO_TEST_SUITE(machine)

// A driver's files for two GPUs, both of which this process may open.
struct DriverFiles : testing::Folder {
  DriverFiles() {
    write("proc/version",
          "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04 "
          " Release Build\n"
          "GCC version:  gcc version 13.3.0\n");
    write("dev/nvidiactl", "");
    add("0000:00:06.0", 0, "GPU-36d997b0-24c7-cc54-cdb1-6b01d6d4a218");
    add("0000:00:07.0", 1, "GPU-04a39bad-fe87-13fe-ea80-e53e1074f05c");
  }
  void add(const std::string& pci, int minor, const std::string& uuid) {
    const auto number = std::to_string(minor);
    write("dev/nvidia" + number, "");
    write("proc/gpus/" + pci + "/information",
          "Model: \t\t NVIDIA H200\nIRQ:   \t\t 42\nGPU UUID: \t " + uuid +
              "\nBus Location: \t " + pci + "\nDevice Minor: \t " + number +
              "\n");
  }
  void remove(const std::string& name) const { fs::remove_all(path / name); }
  auto read() const { return gpus_of_driver(path / "proc", path / "dev"); }
};

BOOST_AUTO_TEST_CASE(gpus_are_named_without_cuda) {
  const DriverFiles files;
  const auto gpus = files.read();
  BOOST_REQUIRE(gpus.has_value());
  BOOST_REQUIRE(gpus->size() == 2u);
  BOOST_TEST(gpus->front().name == "NVIDIA H200");
  BOOST_TEST(gpus->front().uuid == "GPU-36d997b0-24c7-cc54-cdb1-6b01d6d4a218");
  BOOST_TEST(gpus->front().driver == "580.159.04");
  BOOST_TEST(gpus->back().pci == "0000:00:07.0");
  BOOST_TEST(gpus->back().device == 1);
}

BOOST_AUTO_TEST_CASE(
    gpus_are_left_to_cuda_where_the_drivers_files_do_not_say_all) {
  const auto says_nothing =
      [](const std::function<void(DriverFiles&)>& change) {
        DriverFiles files;
        change(files);
        return !files.read().has_value();
      };
  const std::string information = "proc/gpus/0000:00:07.0/information";
  BOOST_TEST(!says_nothing([](DriverFiles&) {}));
  BOOST_TEST(says_nothing([](DriverFiles& files) { files.remove("proc"); }));
  BOOST_TEST(
      says_nothing([](DriverFiles& files) { files.remove("proc/gpus"); }));
  BOOST_TEST(says_nothing(
      [](DriverFiles& files) { files.write("proc/version", "no number\n"); }));
  BOOST_TEST(says_nothing(
      [&](DriverFiles& files) { files.write(information, "Model: x\n"); }));
  BOOST_TEST(says_nothing([&](DriverFiles& files) {  // another kind
    files.write(information,
                "Model: \t\t NVIDIA T400\nGPU UUID: \t "
                "GPU-36d997b0-24c7-cc54-cdb1-6b01d6d4a219\nBus Location: \t "
                "0000:00:07.0\nDevice Minor: \t 1\n");
  }));
  // As in a container without access to the second GPU, or to any.
  BOOST_TEST(
      says_nothing([](DriverFiles& files) { files.remove("dev/nvidia1"); }));
  BOOST_TEST(
      says_nothing([](DriverFiles& files) { files.remove("dev/nvidiactl"); }));
  BOOST_TEST(says_nothing([](DriverFiles& files) {
    files.add("0000:00:08.0", 2, "GPU-" + std::string(8, '?'));
  }));
  BOOST_TEST(says_nothing([](DriverFiles& files) {
    files.write("proc/capabilities/gpu0/mig/gi7/access",
                "DeviceFileMinor: 66\n");
  }));
}

BOOST_AUTO_TEST_CASE(names_of_machines) {
  BOOST_TEST(machine_slug("NVIDIA H200", "whatever", 16) == "nvidia-h200");
  BOOST_TEST(machine_slug("NVIDIA H200", "whatever", 32, 2) ==
             "nvidia-h200-x2");
  BOOST_TEST(machine_slug("NVIDIA GeForce RTX 3060 (Laptop)", "", 1) ==
             "nvidia-geforce-rtx-3060-laptop");
  BOOST_TEST(machine_slug("", "Intel(R) Xeon(R) Processor", 2) ==
             "intel-xeon-processor-2-cores");
  BOOST_TEST(machine_slug("", "Intel(R) Core(TM) i7-8700K CPU @ 3.70GHz", 6) ==
             "intel-core-i7-8700k-6-cores");
  BOOST_TEST(machine_slug("", "AMD EPYC 7763 64-Core Processor", 1) ==
             "amd-epyc-7763-1-core");
  BOOST_TEST(machine_slug("../../etc", "", 1) == "etc");
  BOOST_TEST(machine_slug("///", "", 1) == "unknown-machine");
}

BOOST_AUTO_TEST_CASE(cpu_names) {
  BOOST_TEST(tidy_cpu_name("Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz") ==
             "Intel Xeon Gold 6230");
  std::istringstream some(
      "processor : 0\nmodel name\t: Some CPU \nmodel name\t: Other\n");
  BOOST_TEST(cpu_model(some) == "Some CPU");
  std::istringstream arm("processor\t: 0\nProcessor\t: Some ARM\n");
  BOOST_TEST(cpu_model(arm) == "Some ARM");
  std::istringstream none("processor : 0\n");
  BOOST_TEST(cpu_model(none) == "unknown CPU");
}

BOOST_AUTO_TEST_CASE(a_run_is_described) {
  const Run run = describe_run("bin/dmv 4096"), other = describe_run("");
  BOOST_TEST(run.id != other.id);
  BOOST_TEST(run.command == "bin/dmv 4096");
  std::string shape = run.date;
  for (char& c : shape) {
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) c = '0';
  }
  BOOST_TEST(shape == "0000-00-00T00:00:00Z");
  BOOST_TEST(!run.commit.empty());
  BOOST_TEST(!run.cpu.empty());
  BOOST_TEST(!run.compiler.empty());
  BOOST_TEST(run.cores >= 1);
  BOOST_TEST(run.memory_bytes > 1e8);
  BOOST_TEST(run.machine == machine_slug("", run.cpu, run.cores));
  BOOST_TEST(describe_run("", {{.name = "NVIDIA H200"}}, "mine").machine ==
             "mine");
}

// In hwloc's numbering the two hardware threads of a core follow one another.
BOOST_AUTO_TEST_CASE(one_thread_per_core_comes_first) {
  using List = std::vector<int>;
  const std::string machine = "pack:2 numa:1 l3:1(size=1MiB) core:2 pu:2";
  const Cores all = cores_of({}, machine);
  BOOST_TEST(all.order == (List{0, 2, 4, 6, 1, 3, 5, 7}), per_element());
  BOOST_TEST(all.count == 4);
  BOOST_TEST(all.cache_bytes == 2u << 20);
  const Cores some = cores_of({0, 1, 3}, machine);
  BOOST_TEST(some.order == (List{0, 3, 1}), per_element());
  BOOST_TEST(some.count == 2);
  BOOST_TEST(some.cache_bytes == 1u << 20);
  const Cores unknown = cores_of({90, 91}, machine);
  BOOST_TEST(unknown.order == (List{90, 91}), per_element());
  BOOST_TEST(unknown.count == 2);
  BOOST_CHECK_THROW(cores_of({}, "no machine"), std::runtime_error);
}

// By its system's id, or else by its board, or else by its name.
BOOST_AUTO_TEST_CASE(a_host_is_told_from_others_of_its_kind) {
  BOOST_TEST(host_id() == host_id());
  BOOST_TEST(host_id().size() == 36u);
  const auto id = host_id_of("0123456789abcdef", "board=1", "name");
  BOOST_TEST(id == host_id_of("0123456789abcdef", "board=2", "another"));
  BOOST_TEST(id != host_id_of("0123456789abcdee", "board=1", "name"));
  BOOST_TEST(id.find("0123456789abcdef") == std::string::npos);
  BOOST_TEST(host_id_of("", "board=1", "name") ==
             host_id_of("", "board=1", "another"));
  BOOST_TEST(host_id_of("", "board=1", "name") !=
             host_id_of("", "board=2", "name"));
  BOOST_TEST(host_id_of("", "", "name") != host_id_of("", "", "another"));
}

BOOST_AUTO_TEST_CASE(no_gpu_has_one_clear_line) {
  const CudaAnswer too_old{"driver version is insufficient", 12040, 13000};
  BOOST_TEST((why_unusable(too_old) == Detail{.cause = Cause::driver_too_old,
                                              .arguments = {"12.4", "13.0"}}));
  for (const std::string value : {"", "-1", "7", "MIG-8f3a", "GPU-0"}) {
    auto hidden = too_old;
    hidden.none = true;
    hidden.visible = "CUDA_VISIBLE_DEVICES=" + value;
    BOOST_TEST(
        (why_unusable(hidden).arguments.at(0) == Argument(hidden.visible)));
  }
  const CudaAnswer none{"no error", 13000, 13000, "", true};
  BOOST_TEST((why_unusable(none).cause == Cause::no_gpu_found));
  const CudaAnswer no_driver{"driver version is insufficient", 0, 13000};
  const auto why = why_unusable(no_driver);
  BOOST_TEST(
      (why.cause == Cause::driver_elsewhere || why.cause == Cause::no_driver));
}

BOOST_AUTO_TEST_CASE(gpus_of_another_kind_are_not_counted) {
  Run run;
  run.gpu = "NVIDIA A";
  for (const char* name : {"NVIDIA A", "NVIDIA B", "NVIDIA A"})
    run.gpus.push_back({.name = name});
  BOOST_TEST(kind_of_machine(run) == "nvidia-a-x2");
  run.gpus.pop_back();
  BOOST_TEST(kind_of_machine(run) == "nvidia-a");
}

BOOST_AUTO_TEST_CASE(a_machine_without_identity_is_nobodys_twin) {
  for (const std::string none :
       {"", "uninitialized", "00000000000000000000000000000000",
        "00000000-0000-0000-0000-000000000000",
        "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", "Default string", "0", "None",
        "To be filled by O.E.M.", "Not Specified", "System Serial Number",
        "03000200-0400-0500-0006-000700080009"}) {
    BOOST_TEST(!is_identity(none), none);
    BOOST_TEST(host_id_of(none, "", "a") != host_id_of(none, "", "b"), none);
    BOOST_TEST(host_id_of(none, "", "localhost", "boot 1") !=
                   host_id_of(none, "", "localhost", "boot 2"),
               none);
    BOOST_TEST(host_id_of(none, "", "localhost.localdomain").empty(), none);
  }
  for (const std::string one :
       {"b08dfa6083e7567a1921a715000001fb", "VMware-56 4d 3a",
        "4c4c4544-0035-3210-8052-b4c04f564231", "PF2XXABC", "/7HK2J3/CN129"})
    BOOST_TEST(is_identity(one), one);
}

BOOST_AUTO_TEST_CASE(control_groups_up_to_the_root) {
  const testing::Folder folder;
  const fs::path& root = folder.path;
  fs::create_directories(root / "slice/job");
  fs::create_directories(root / "memory/batch");
  using Folders = std::vector<fs::path>;
  std::istringstream version2("0::/slice/job\n"),
      version1("9:cpu,cpuacct:/\n4:memory:/batch\n"),
      // as a container sees a group outside its own root
      outside("0::/../elsewhere\n");
  BOOST_TEST((control_groups("memory", version2, root) ==
              Folders{root / "slice/job", root / "slice", root}));
  BOOST_TEST((control_groups("memory", version1, root) ==
              Folders{root / "memory/batch", root / "memory"}));
  BOOST_TEST((control_groups("memory", outside, root).back() == root));
}

BOOST_AUTO_TEST_CASE(facts_of_this_machine) {
  const auto& order = pinning_order();
  BOOST_REQUIRE(!order.empty());
  BOOST_TEST(std::set<int>(order.begin(), order.end()).size() == order.size());
  BOOST_TEST(physical_cores() >= 1);
  BOOST_TEST(physical_cores() <= static_cast<int>(order.size()));
  BOOST_TEST(last_level_cache_bytes() >= 1u << 18);
  BOOST_TEST(free_memory_bytes() > 0);
  BOOST_TEST(free_memory_bytes() <= memory_bytes());
}

BOOST_AUTO_TEST_CASE(a_thread_is_pinned_and_let_go) {
  cpu_set_t before, during, after;
  BOOST_REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  const int cpu = pinning_order().back();
  {
    const BoundThread pinned({cpu});
    BOOST_TEST(sched_getcpu() == cpu);
    sched_getaffinity(0, sizeof during, &during);
  }
  sched_getaffinity(0, sizeof after, &after);
  BOOST_TEST(CPU_COUNT(&during) == 1);
  BOOST_TEST(CPU_ISSET(cpu, &during));
  BOOST_TEST(CPU_EQUAL(&before, &after));
}

BOOST_AUTO_TEST_CASE(ceilings_of_this_host) {
  cpu_set_t before, after;
  sched_getaffinity(0, sizeof before, &before);
  const Ceilings ceilings = measure_host_ceilings();
  sched_getaffinity(0, sizeof after, &after);
  BOOST_TEST(CPU_EQUAL(&before, &after));
  BOOST_REQUIRE(ceilings.read.size() >= 5u);
  BOOST_TEST(ceilings.copy.size() == ceilings.read.size());
  for (const auto* curve : {&ceilings.read, &ceilings.copy}) {
    double last = 0;
    for (const auto& [bytes, rate] : *curve) {
      BOOST_TEST(bytes > last);
      // Wide enough for any machine and any load, too narrow for a loop that
      // was optimised away.
      BOOST_TEST(rate > 1e6);
      BOOST_TEST(rate < 1e14);
      last = bytes;
    }
  }
  for (const auto* unit : {"fma float", "fma double"}) {
    const double peak = ceilings.units.at(unit) / physical_cores();
    BOOST_TEST(peak > 1e7);
    BOOST_TEST(peak < 1e12);
  }
  BOOST_TEST(ceilings.ways.size() == 2 * ceilings.read.size());
  BOOST_TEST(!ceilings.ways.at(curve_point("copy", ceilings.copy.front().first))
                  .empty());
}

BOOST_AUTO_TEST_CASE(a_brief_pass_measures_one_footprint_and_the_wanted_units) {
  CeilingPasses passes;
  cpu_set_t before, after;
  sched_getaffinity(0, sizeof before, &before);
  // ones that fit caches, one of odd halves, one in windows, one beyond any
  for (const double bytes :
       {1.5 * (1 << 20), 2.0 * (1 << 20) + 2, 40.0 * (1 << 20), 1e18}) {
    WantedCeilings wanted{.most_bytes = bytes, .brief = true};
    const auto first = passes.take(wanted), second = passes.take(wanted);
    BOOST_TEST(first.units.empty());
    BOOST_REQUIRE(first.read.size() == 1u);
    BOOST_REQUIRE(first.copy.size() == 1u);
    BOOST_TEST(first.read[0].first == second.read[0].first);
    BOOST_TEST(first.read[0].first ==
               (bytes > 1e9 ? first.read[0].first : bytes));
    for (const auto& [size, rate] : {first.read[0], second.copy[0]}) {
      BOOST_TEST(rate > 1e6);
      BOOST_TEST(rate < 1e14);
    }
  }
  const auto units =
      passes.take({.most_bytes = 0, .units = {"fma double"}, .brief = true});
  BOOST_TEST(units.read.empty());
  BOOST_REQUIRE(units.units.size() == 1u);
  BOOST_TEST(units.units.at("fma double") > 1e7);
  sched_getaffinity(0, sizeof after, &after);
  BOOST_TEST(CPU_EQUAL(&before, &after));
}

BOOST_AUTO_TEST_CASE(only_the_ceilings_that_one_problem_needs_are_measured) {
  const auto some =
      measure_host_ceilings(wanted_for({1, 1 << 20}, "fma float", Cache::hot));
  BOOST_TEST(some.units.size() == 1u);
  BOOST_REQUIRE(some.read.size() >= 4u);
  BOOST_TEST(some.read.front().first >= (1 << 18));
  BOOST_TEST(some.read.back().first < (16 << 20));
  BOOST_TEST(roof_seconds(some, {1e3, 1 << 20}, "fma float", Cache::hot) > 0);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(roof)

// A cache of 1 MB that is read at 400 bytes/s and copied at 200, and memory at
// 100 and 80.
Ceilings made_by_hand() {
  return {{{1e4, 300}, {1e6, 400}, {1e8, 100}},
          {{1e4, 150}, {1e6, 200}, {1e8, 80}},
          {{"float", 1000}, {"double", 500}},
          {},
          0.5};
}

BOOST_AUTO_TEST_CASE(hot_problems_are_judged_by_their_cache) {
  const Ceilings c = made_by_hand();
  const auto rate = [&](double bytes) {
    return attainable_bandwidth(c, {0, bytes}, Cache::hot);
  };
  BOOST_TEST(rate(1e2) == 400);  // a larger footprint was faster
  BOOST_TEST(rate(2e6) == 400);  // half of it can stay in the cache
  // half way between these on the logarithmic scale
  BOOST_TEST(rate(2e7) == 250, tolerance(1e-12));
  BOOST_TEST(rate(2e8) == 100);
  BOOST_TEST(rate(1e12) == 100);
}

BOOST_AUTO_TEST_CASE(cold_problems_are_judged_by_memory) {
  const Ceilings c = made_by_hand();
  BOOST_TEST(attainable_bandwidth(c, {0, 1e2}, Cache::cold) == 100);
  BOOST_TEST(attainable_bandwidth(c, {0, 1e12}, Cache::cold) == 100);
}

BOOST_AUTO_TEST_CASE(problems_that_write_are_judged_by_copies_too) {
  const Ceilings c = made_by_hand();
  const auto rate = [&](double written) {
    return attainable_bandwidth(c, {0, 1e9, written}, Cache::hot);
  };
  BOOST_TEST(rate(0) == 100);
  BOOST_TEST(rate(5e8) == 80, tolerance(1e-12));  // a copy
  BOOST_TEST(rate(1e9) == 80, tolerance(1e-12));  // a fill
  // 25 % written: half of the bytes are copied, half are read.
  BOOST_TEST(rate(2.5e8) == 1 / (0.5 / 80 + 0.5 / 100), tolerance(1e-12));
}

// A host may copy faster than it reads, because its channels go both ways.
// Reads are judged by reads.
BOOST_AUTO_TEST_CASE(a_faster_copy_does_not_raise_the_roof_of_a_read) {
  const Ceilings c{{{1e6, 100}}, {{1e6, 120}}, {}};
  BOOST_TEST(attainable_bandwidth(c, {0, 1e6}, Cache::hot) == 100);
  BOOST_TEST(attainable_bandwidth(c, {0, 1e6, 5e5}, Cache::hot) == 120,
             tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(what_one_problem_needs_of_the_ceilings) {
  const double mega = 1 << 20;
  const auto wanted = wanted_for({1, 4 * mega}, "fma double", Cache::hot);
  BOOST_TEST(wanted.unit("fma double"));
  BOOST_TEST(!wanted.unit("fma float"));
  BOOST_TEST(!wanted.all());
  // The roof is the best of the curve from half the footprint on, interpolated
  // below that.
  BOOST_TEST(wanted.footprint(1 * mega));
  BOOST_TEST(wanted.footprint(2 * mega));
  BOOST_TEST(wanted.footprint(32 * mega));
  BOOST_TEST(!wanted.footprint(64 * mega));
  BOOST_TEST(!wanted.footprint(mega / 2));
  const auto large = wanted_for({1, 400 * mega}, "fma float", Cache::hot);
  BOOST_TEST(large.footprint(512 * mega));
  BOOST_TEST(!large.footprint(1024 * mega));
  BOOST_TEST(wanted_for({1, 1}, "int", Cache::cold).footprint(1e12));
  BOOST_TEST(WantedCeilings{}.all());
}

BOOST_AUTO_TEST_CASE(what_two_problems_need_of_the_ceilings) {
  const double mega = 1 << 20;
  auto both = wanted_for({1, 4 * mega}, "fma double", Cache::hot);
  both.include(wanted_for({1, 400 * mega}, "fma float", Cache::hot));
  BOOST_TEST(both.footprint(1 * mega));
  BOOST_TEST(both.footprint(512 * mega));
  BOOST_TEST(both.unit("fma double"));
  BOOST_TEST(both.unit("fma float"));
}

// A rate that one measurement reached is possible, even if another was slower.
BOOST_AUTO_TEST_CASE(of_two_measurements_the_best_ceilings_count) {
  Ceilings old;
  old.read = {{1, 10}, {2, 5}};
  old.copy = {{1, 3}};
  old.units = {{"int", 7}, {"fma float", 1}};
  old.links = {{"one way", 5}};
  old.launch_s = 0.5;
  old.between_runs.share = 0.01;
  old.ways = {{"read 1", "old"}, {"read 2", "old"}, {"int", "old"}};

  Ceilings latest;
  latest.read = {{2, 6}, {4, 1}};
  latest.copy = {{1, 2}};
  latest.units = {{"int", 8}};
  latest.links = {{"one way", 4}, {"both ways", 9}};
  latest.between_runs.share = 0.02;
  latest.ways = {{"read 2", "new"}, {"int", "new"}};

  const Ceilings best = best_of(old, latest);
  const std::vector<std::pair<double, double>> read{{1, 10}, {2, 6}, {4, 1}},
      copy{{1, 3}};
  BOOST_TEST((best.read == read));
  BOOST_TEST((best.copy == copy));
  BOOST_TEST(best.units.at("int") == 8);
  BOOST_TEST(best.links.at("one way") == 5);
  BOOST_TEST(best.links.at("both ways") == 9);
  BOOST_TEST(best.units.at("fma float") == 1);
  BOOST_TEST(best.ways.at("read 1") == "old");
  BOOST_TEST(best.ways.at("read 2") == "new");
  BOOST_TEST(best.ways.at("int") == "new");
  BOOST_TEST(best.launch_s == 0.5);
  BOOST_TEST(best.between_runs.share == 0.02);
}

BOOST_AUTO_TEST_CASE(the_longest_of_memory_arithmetic_and_launch_is_the_roof) {
  const Ceilings c = made_by_hand();
  // memory
  BOOST_TEST(roof_seconds(c, {1e3, 2e8}, "float", Cache::hot) == 2e6);
  // arithmetic
  BOOST_TEST(roof_seconds(c, {1e12, 2e8}, "float", Cache::hot) == 1e9);
  BOOST_TEST(roof_seconds(c, {1e12, 2e8}, "double", Cache::hot) == 2e9);
  // no peak known
  BOOST_TEST(roof_seconds(c, {1e12, 2e8}, "int", Cache::hot) == 2e6);
  // an empty launch
  BOOST_TEST(roof_seconds(c, {1, 1}, "float", Cache::hot) == 0.5);
}

BOOST_AUTO_TEST_CASE(the_link_to_the_host_carries_both_ways_at_once) {
  Ceilings c;
  BOOST_TEST(host_link_seconds(c, 1e9, 1e9) == 0);
  c.links = {
      {link_from_host, 50}, {link_to_host, 40}, {link_from_and_to_host, 80}};
  BOOST_TEST(host_link_seconds(c, 400, 4) == 8);     // to the device
  BOOST_TEST(host_link_seconds(c, 4, 400) == 10);    // to the host
  BOOST_TEST(host_link_seconds(c, 400, 400) == 10);  // both
  BOOST_TEST(host_link_seconds(c, 480, 400) == 11);
}

BOOST_AUTO_TEST_CASE(without_measured_ceilings_there_is_no_roof) {
  BOOST_TEST(roof_seconds({}, {1e12, 1e12}, "float", Cache::hot) == 0);
  const Ceilings reads_only{{{1e6, 100}}, {}, {}};
  BOOST_TEST(attainable_bandwidth(reads_only, {0, 1e6, 5e5}, Cache::hot) ==
             100);
}

BOOST_AUTO_TEST_CASE(running_threads_of_others_are_counted) {
  // their number depends on the machine
  BOOST_TEST(number_of_file("/proc/stat", "procs_running").value_or(0) >= 1);
  BOOST_TEST(!number_of_file("/proc/stat", "procs_sitting").has_value());
  BOOST_CHECK_NO_THROW(others_at_work());
}

BOOST_AUTO_TEST_SUITE_END()
