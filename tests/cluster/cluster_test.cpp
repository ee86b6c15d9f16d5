// Shards and merging: all shards together are the plan, and nothing
// of it is lost or repeated.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include "cluster/merge.hpp"
#include "cluster/shard.hpp"
#include "cluster/spread.hpp"
#include "folder.hpp"
#include "record/json.hpp"
#include "record/store.hpp"
#include "records.hpp"
#include "text.hpp"

namespace fs = std::filesystem;
using namespace parlab;
using testing::contains;
using testing::content;
using testing::Folder;
using testing::message_of;

namespace {

Run a_run(const std::string& id, const std::string& machine = "node") {
  Run run;
  run.id = id;
  run.machine = machine;
  return run;
}

Record a_record(const std::string& run, std::int64_t n) {
  auto record = testing::record_of("dmv/serial/plain", {n, n});
  record.seconds = {1e-3};
  record.run = run;
  return record;
}

void write(const fs::path& path, const std::string& text) {
  std::ofstream(path) << text;
}

// A line of a record file.
std::string run_line(const std::string& id,
                     const std::string& machine = "node") {
  return to_json_line(a_run(id, machine)) + "\n";
}
std::string record_line(const std::string& run, std::int64_t n) {
  return to_json_line(a_record(run, n)) + "\n";
}

std::vector<Group> some_groups(std::size_t count) {
  std::mt19937 random(7);
  std::vector<Group> groups;
  for (std::size_t i = 0; i < count; ++i) {
    groups.push_back(
        {"g" + std::to_string(i), 1, static_cast<double>(random() % 1000)});
  }
  return groups;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cluster)

BOOST_AUTO_TEST_CASE(a_shard_is_written_as_its_number_and_their_count) {
  const Shard shard = parse_shard("--shard", "3/20");
  BOOST_TEST(shard.number == 3u);
  BOOST_TEST(shard.count == 20u);
  for (const auto* text : {"7/3", "0/3", "1/0", "3", "", "/", "1/2/3", "-1/3",
                           "1/x", "1/9999999"}) {
    BOOST_CHECK_THROW(parse_shard("--shard", text), UsageError);
  }
}

BOOST_AUTO_TEST_CASE(each_group_has_one_shard_whatever_the_order_of_groups) {
  auto groups = some_groups(50);
  std::multiset<std::string> all;
  for (std::size_t number = 1; number <= 7; ++number) {
    const auto ours = groups_of_shard(groups, {number, 7});
    all.insert(ours.begin(), ours.end());
    auto shuffled = groups;
    std::shuffle(shuffled.begin(), shuffled.end(),
                 std::mt19937(static_cast<unsigned>(number)));
    BOOST_TEST(groups_of_shard(shuffled, {number, 7}) == ours);
  }
  BOOST_TEST(all.size() == groups.size());
  for (const auto& group : groups)
    BOOST_TEST(all.count(group.name) == 1u, group.name);
}

BOOST_AUTO_TEST_CASE(no_shard_runs_much_longer_than_the_others) {
  const auto groups = some_groups(60);
  double total = 0, longest = 0;
  for (const auto& group : groups) {
    total += group.seconds;
    longest = std::max(longest, group.seconds);
  }
  double most = 0;  // the longest shard, in seconds
  for (std::size_t number = 1; number <= 6; ++number) {
    const auto ours = groups_of_shard(groups, {number, 6});
    double load = 0;
    for (const auto& group : groups) {
      if (ours.count(group.name) > 0) load += group.seconds;
    }
    most = std::max(most, load);
  }
  // No distribution can be better than the mean, or than the longest group.
  BOOST_TEST(most <= 4.0 / 3 * std::max(total / 6, longest));
}

BOOST_AUTO_TEST_CASE(a_group_that_is_not_in_the_plan_falls_to_one_shard) {
  for (const auto& group : some_groups(20)) {
    int shards = 0;
    for (std::size_t number = 1; number <= 5; ++number)
      shards += falls_to(group.name, {number, 5});
    BOOST_TEST(shards == 1, group.name << " in " << shards << " shards");
  }
}

BOOST_AUTO_TEST_CASE(lines_of_one_group_in_a_file_add_up) {
  const Folder folder;
  const fs::path path = folder.path / "plan";
  write(path,
        "dmv 64x64 float\t3\t1.5\ndmv 8x8 int\t1\t0.25\ndmv 64x64 "
        "float\t2\t0.5\n");
  const auto groups = read_groups(path);
  BOOST_REQUIRE(groups.size() == 2u);
  BOOST_TEST(groups[0].name == "dmv 64x64 float");
  BOOST_TEST(groups[0].measurements == 5u);
  BOOST_TEST(groups[0].seconds == 2.0);
  std::ostringstream out;
  write_groups(out, groups);
  BOOST_TEST(out.str() == "dmv 64x64 float\t5\t2\ndmv 8x8 int\t1\t0.25\n");
  write(path, "dmv 64x64 float\t3\n");
  BOOST_TEST(
      contains(message_of<UsageError>([&] { read_groups(path); }), "plan:1"));
  BOOST_CHECK_THROW(read_groups(folder.path / "absent"), UsageError);
}

BOOST_AUTO_TEST_CASE(merging_loses_nothing_and_repeats_nothing) {
  const Folder folder;
  const fs::path all = folder.path / "all.jsonl", one = folder.path / "1.jsonl",
                 two = folder.path / "2.jsonl";
  const auto run_a = run_line("a") + record_line("a", 8),
             run_b =
                 run_line("b") + record_line("b", 16) + record_line("b", 32),
             run_c = run_line("c") + record_line("c", 32);
  write(all, run_a);
  write(one, run_b + R"({"type":"record","to)");
  write(two, run_c + run_line("b") + record_line("b", 16));
  const std::string expected = run_a + run_b + run_c;
  const auto merged = merge_records(all, {one, two});
  BOOST_TEST(content(all) == expected);
  BOOST_TEST(merged.records == 3u);
  BOOST_REQUIRE(merged.warnings.size() == 1u);
  BOOST_TEST(contains(merged.warnings[0], "1.jsonl:4: torn line"));
  BOOST_TEST(!fs::exists(one));
  BOOST_TEST(!fs::exists(two));
  // Two of the four records are of size 32: the last one counts.
  BOOST_TEST(latest(load_records(all).records).size() == 3u);
  // As if the first merge had ended before it removed the files.
  write(one, run_b);
  BOOST_TEST(merge_records(all, {one}).records == 0u);
  BOOST_TEST(content(all) == expected);
}

// A newer version or another program wrote it.
BOOST_AUTO_TEST_CASE(a_file_with_lines_that_cannot_be_read_stays) {
  const Folder folder;
  const fs::path all = folder.path / "all.jsonl", one = folder.path / "1.jsonl";
  write(one, run_line("a") + "{\"schema\":2}\n" + record_line("a", 8));
  const auto merged = merge_records(all, {one});
  BOOST_TEST(merged.records == 1u);
  BOOST_TEST(!merged.complete);
  BOOST_TEST(contains(merged.warnings.back(), "stays"));
  BOOST_TEST(fs::exists(one));
  // A whole last line without its newline is no torn one.
  auto text = run_line("a") + record_line("a", 16);
  text.pop_back();
  write(one, text);
  BOOST_TEST(merge_records(all, {one}).records == 1u);
  BOOST_TEST(!fs::exists(one));
}

BOOST_AUTO_TEST_CASE(a_file_that_is_being_written_stays) {
  const Folder folder;
  const fs::path all = folder.path / "all.jsonl", one = folder.path / "1.jsonl";
  {
    Store writer(one, a_run("a"));
    writer.append(a_record("a", 8));
    const auto merged = merge_records(all, {one});
    BOOST_TEST(merged.records == 0u);
    BOOST_REQUIRE(merged.warnings.size() == 1u);
    writer.append(a_record("a", 16));
  }
  BOOST_TEST(merge_records(all, {one}).records == 2u);
  BOOST_TEST(!fs::exists(one));
}

BOOST_AUTO_TEST_CASE(files_of_two_machines_are_not_merged) {
  const Folder folder;
  const fs::path all = folder.path / "all.jsonl", one = folder.path / "1.jsonl";
  write(all, run_line("a", "first"));
  write(one, run_line("b", "second") + record_line("b", 8));
  const auto message =
      message_of<UsageError>([&] { merge_records(all, {one}); });
  BOOST_TEST(contains(message, "first"));
  BOOST_TEST(contains(message, "second"));
  BOOST_TEST(fs::exists(one));
}

BOOST_AUTO_TEST_CASE(a_file_that_is_the_result_or_absent_is_not_merged) {
  const Folder folder;
  const fs::path all = folder.path / "all.jsonl";
  write(all, run_line("a"));
  BOOST_CHECK_THROW(merge_records(all, {all}), UsageError);
  BOOST_CHECK_THROW(merge_records(all, {folder.path / "absent.jsonl"}),
                    UsageError);
}

// As if read by a program built with fewer workloads.
BOOST_AUTO_TEST_CASE(records_of_an_unknown_workload_are_merged_with_a_warning) {
  const Folder folder;
  const fs::path all = folder.path / "all.jsonl", one = folder.path / "1.jsonl";
  write(all, run_line("a"));
  Record strange = a_record("a", 8);
  strange.workload = "fft";
  write(one, to_json_line(strange) + "\n");
  const auto merged = merge_records(all, {one});
  BOOST_TEST(merged.records == 1u);
  BOOST_REQUIRE(merged.warnings.size() == 1u);
  BOOST_TEST(contains(merged.warnings[0], "'fft'"));
}

// Four nodes measured one control point, the first of them
// twice: its last time counts.
BOOST_AUTO_TEST_CASE(a_slow_device_is_found) {
  std::map<std::string, Run> runs;
  std::vector<Record> records;
  const auto measure = [&](const std::string& node, double seconds) {
    const auto id = "run-" + std::to_string(records.size());
    runs[id] = a_run(id);
    runs[id].node = node;
    Record& record = records.emplace_back(a_record(id, 1500));
    record.seconds.clear();
    for (int i = 0; i < 60; ++i)
      record.seconds.push_back(seconds * (1 + 1e-4 * (i % 5 - 2)));
  };
  measure("n1", 9e-3);
  measure("n1", 1.00e-3);
  measure("n2", 1.01e-3);
  measure("n3", 1.20e-3);
  measure("n4", 1.02e-3);
  const auto spreads = device_spread(records, runs);
  BOOST_REQUIRE(spreads.size() == 1u);
  const auto& devices = spreads[0].devices;
  BOOST_REQUIRE(devices.size() == 4u);
  BOOST_TEST(devices[0].device == "n3");
  BOOST_TEST(devices[0].slow);
  BOOST_TEST(devices[0].slower > 1.15);
  for (std::size_t i = 1; i < 4; ++i)
    BOOST_TEST(!devices[i].slow, devices[i].device);
  // n1 alone has no spread.
  BOOST_TEST(device_spread({records[0], records[1]}, runs).empty());
}

BOOST_AUTO_TEST_SUITE_END()
