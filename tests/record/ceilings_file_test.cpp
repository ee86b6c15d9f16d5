// Ceilings are measured once per machine, and kept in a file.
#include "record/ceilings_file.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <functional>

#include "folder.hpp"

namespace fs = std::filesystem;
using namespace parlab;
using testing::Folder;

namespace {

Run this_machine() {
  Run run;
  run.id = "run";
  run.machine = "here";
  run.host_id = "host";
  run.cpu = "Some CPU";
  run.cores = 4;
  run.kernel = "6.1";
  run.gpu = "NVIDIA H200";
  run.driver = "13.0";
  run.gpus.resize(2);
  run.gpus[0].uuid = "GPU-0";
  run.gpus[1].uuid = "GPU-1";
  return run;
}

Ceilings some(double rate) {
  Ceilings ceilings{
      {{1024, rate}}, {{1024, rate / 2}}, {{"fma float", 1e9}}, {}, 1e-6, 0.01};
  ceilings.ways = {{"read 1024", "one stream"}};
  return ceilings;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(ceilings_file_)

BOOST_AUTO_TEST_CASE(
    it_lies_beside_the_records_or_in_the_folder_of_the_machine) {
  BOOST_TEST(ceilings_file("results/x/dmv.jsonl", "here") ==
             "results/x/ceilings.json");
  BOOST_TEST(ceilings_file("results/x/dmv.shards/1.jsonl", "here") ==
             "results/x/ceilings.json");
  BOOST_TEST(ceilings_file("", "here") == "results/here/ceilings.json");
  BOOST_TEST(ceilings_file("mine.jsonl", "here") ==
             "results/here/ceilings.json");
}

BOOST_AUTO_TEST_CASE(what_is_kept_is_found_again) {
  const Folder folder;
  const auto file = folder.path / "new" / "ceilings.json";
  CeilingsOfMachine known(file, this_machine());
  BOOST_TEST(known.find("") == nullptr);
  known.keep("", some(1e9));
  known.keep("GPU-1", some(4e12));
  known.keep("", some(2e9));
  const CeilingsOfMachine again(file, this_machine());
  BOOST_REQUIRE(again.find("") != nullptr);
  BOOST_TEST(again.find("")->read.at(0).second == 2e9);
  BOOST_TEST(again.find("")->between_runs.share == 0.01);
  BOOST_TEST(again.find("")->ways.at("read 1024") == "one stream");
  BOOST_REQUIRE(again.find("GPU-1") != nullptr);
  BOOST_TEST(again.find("GPU-1")->read.at(0).second == 4e12);
  BOOST_TEST(again.find("GPU-0") == nullptr);
  BOOST_TEST(!fs::exists(file.string() + ".part"));
}

BOOST_AUTO_TEST_CASE(another_machine_driver_or_kernel_has_none) {
  const Folder folder;
  const auto file = folder.path / "ceilings.json";
  CeilingsOfMachine known(file, this_machine());
  known.keep("", some(1e9));
  known.keep("GPU-0", some(4e12));
  const auto found = [&](const std::function<void(Run&)>& change,
                         const std::string& gpu) {
    Run run = this_machine();
    change(run);
    return CeilingsOfMachine(file, run).find(gpu) != nullptr;
  };
  BOOST_TEST(found([](Run&) {}, ""));
  BOOST_TEST(!found([](Run& run) { run.kernel = "6.2"; }, ""));
  BOOST_TEST(!found([](Run& run) { run.host_id = "other"; }, ""));
  BOOST_TEST(!found([](Run& run) { run.cpu = "Other CPU"; }, ""));
  BOOST_TEST(!found([](Run& run) { run.cores = 8; }, ""));
  BOOST_TEST(found([](Run& run) { run.driver = "14.0"; }, ""));
  BOOST_TEST(found([](Run& run) { run.kernel = "6.2"; }, "GPU-0"));
  BOOST_TEST(!found([](Run& run) { run.driver = "14.0"; }, "GPU-0"));
  BOOST_TEST(!found([](Run&) {}, "GPU-2"));
}

BOOST_AUTO_TEST_CASE(nodes_of_a_cluster_keep_theirs_in_one_file) {
  const Folder folder;
  const auto file = folder.path / "ceilings.json";
  Run other = this_machine();
  other.host_id = "other";
  // both see no file yet
  CeilingsOfMachine here(file, this_machine()), there(file, other);
  here.keep("", some(1e9));
  there.keep("", some(2e9));
  const CeilingsOfMachine again(file, this_machine()), again_there(file, other);
  BOOST_REQUIRE(again.find("") != nullptr);
  BOOST_REQUIRE(again_there.find("") != nullptr);
  BOOST_TEST(again.find("")->read.at(0).second == 1e9);
  BOOST_TEST(again_there.find("")->read.at(0).second == 2e9);
}

BOOST_AUTO_TEST_CASE(nodes_that_measure_at_the_same_time_lose_nothing) {
  const Folder folder;
  const auto file = folder.path / "ceilings.json";
  constexpr int nodes = 4, gpus = 25;
  const auto uuid = [](int node, int gpu) {
    return "GPU-" + std::to_string(node) + "-" + std::to_string(gpu);
  };
  Run run = this_machine();
  run.gpus.clear();
  for (int i = 0; i < nodes * gpus; ++i)
    run.gpus.push_back({.uuid = uuid(i / gpus, i % gpus)});
  std::vector<pid_t> children;
  for (int node = 0; node < nodes; ++node) {
    const pid_t child = fork();
    if (child == 0) {
      CeilingsOfMachine known(file, run);
      for (int gpu = 0; gpu < gpus; ++gpu)
        known.keep(uuid(node, gpu), some(1e12 + gpu));
      _exit(0);
    }
    children.push_back(child);
  }
  for (const auto child : children)
    BOOST_TEST(waitpid(child, nullptr, 0) == child);
  const CeilingsOfMachine known(file, run);
  for (const auto& gpu : run.gpus)
    BOOST_TEST(known.find(gpu.uuid) != nullptr, gpu.uuid);
}

BOOST_AUTO_TEST_CASE(damaged_lines_are_none_and_others_follow) {
  const Folder folder;
  const auto file = folder.path / "ceilings.json";
  std::ofstream(file) << "{\"type\":\"run\",\nnonsense";
  CeilingsOfMachine known(file, this_machine());
  BOOST_TEST(known.find("") == nullptr);
  known.keep("", some(1e9));
  BOOST_TEST(CeilingsOfMachine(file, this_machine()).find("") != nullptr);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_written_is_said) {
  const Folder folder;
  std::ofstream(folder.path / "file") << "in the way";
  CeilingsOfMachine known(folder.path / "file" / "ceilings.json",
                          this_machine());
  BOOST_CHECK_THROW(known.keep("", some(1e9)), std::runtime_error);
}

BOOST_AUTO_TEST_SUITE_END()
