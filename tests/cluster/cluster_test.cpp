// Shards and merging: together they are the plan, and nothing of it is lost or stands twice.
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
#include "support.hpp"

namespace fs = std::filesystem;
using namespace parlab;
using testing::Folder;

namespace {

Run a_run(const std::string& id, const std::string& machine = "node") {
  Run run;
  run.id = id;
  run.machine = machine;
  return run;
}

Record a_record(const std::string& run, std::int64_t n) {
  Record record;
  record.workload = "dmv";
  record.backend = "serial";
  record.variant = "plain";
  record.dimensions = {"rows", "cols"};
  record.size = {n, n};
  record.verdict = Verdict::passed;
  record.seconds = {1e-3};
  record.run = run;
  return record;
}

void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

std::string content(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<Group> some_groups(std::size_t count) {
  std::mt19937 random(7);
  std::vector<Group> groups;
  for (std::size_t i = 0; i < count; ++i) {
    groups.push_back({"g" + std::to_string(i), 1, static_cast<double>(random() % 1000)});
  }
  return groups;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cluster)

BOOST_AUTO_TEST_CASE(shards_as_written) {
  const Shard shard = parse_shard("--shard", "3/20");
  BOOST_TEST(shard.number == 3u);
  BOOST_TEST(shard.count == 20u);
  for (const auto* text :
       {"7/3", "0/3", "1/0", "3", "", "/", "1/2/3", "-1/3", "1/x", "1/9999999"}) {
    BOOST_CHECK_THROW(parse_shard("--shard", text), UsageError);
  }
}

BOOST_AUTO_TEST_CASE(each_group_has_one_shard_whatever_the_order) {
  auto groups = some_groups(50);
  std::multiset<std::string> all;
  for (std::size_t number = 1; number <= 7; ++number) {
    const auto ours = groups_of_shard(groups, {number, 7});
    all.insert(ours.begin(), ours.end());
    auto shuffled = groups;
    std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(static_cast<unsigned>(number)));
    BOOST_TEST(groups_of_shard(shuffled, {number, 7}) == ours);
  }
  BOOST_TEST(all.size() == groups.size());
  for (const auto& group : groups) BOOST_TEST(all.count(group.name) == 1u);
}

BOOST_AUTO_TEST_CASE(no_shard_runs_alone_at_the_end) {
  const auto groups = some_groups(60);
  double total = 0, most = 0, longest = 0;
  for (const auto& group : groups) {
    total += group.seconds;
    longest = std::max(longest, group.seconds);
  }
  for (std::size_t number = 1; number <= 6; ++number) {
    const auto ours = groups_of_shard(groups, {number, 6});
    double load = 0;
    for (const auto& group : groups) load += ours.count(group.name) > 0 ? group.seconds : 0;
    most = std::max(most, load);
  }
  // No cut can be better than the mean, or than the longest group.
  BOOST_TEST(most <= 4.0 / 3 * std::max(total / 6, longest));
}

BOOST_AUTO_TEST_CASE(an_unknown_group_falls_to_one_shard) {
  for (const auto& group : some_groups(20)) {
    int shards = 0;
    for (std::size_t number = 1; number <= 5; ++number) shards += falls_to(group.name, {number, 5});
    BOOST_TEST(shards == 1);
  }
}

BOOST_AUTO_TEST_CASE(groups_in_a_file) {
  const Folder folder;
  const fs::path path = folder.path / "plan";
  write(path, "dmv 64x64 float\t3\t1.5\ndmv 8x8 int\t1\t0.25\ndmv 64x64 float\t2\t0.5\n");
  const auto groups = read_groups(path);
  BOOST_REQUIRE(groups.size() == 2u);
  BOOST_TEST(groups[0].name == "dmv 64x64 float");
  BOOST_TEST(groups[0].measurements == 5u);
  BOOST_TEST(groups[0].seconds == 2.0);
  std::ostringstream out;
  write_groups(out, groups);
  BOOST_TEST(out.str() == "dmv 64x64 float\t5\t2\ndmv 8x8 int\t1\t0.25\n");
  write(path, "dmv 64x64 float\t3\n");
  BOOST_CHECK_EXCEPTION(read_groups(path), UsageError, [](const UsageError& error) {
    return std::string(error.what()).find("plan:1") != std::string::npos;
  });
  BOOST_CHECK_THROW(read_groups(folder.path / "absent"), UsageError);
}

BOOST_AUTO_TEST_CASE(merging_loses_nothing_and_repeats_nothing) {
  const Folder folder;
  const fs::path all = folder.path / "all.jsonl", one = folder.path / "1.jsonl",
                 two = folder.path / "2.jsonl";
  const auto run = [](const char* id) { return to_json_line(a_run(id)) + "\n"; };
  const auto record = [](const char* id, std::int64_t n) {
    return to_json_line(a_record(id, n)) + "\n";
  };
  write(all, run("a") + record("a", 8));
  write(one, run("b") + record("b", 16) + record("b", 32) + "{\"type\":\"record\",\"to");
  write(two, run("c") + record("c", 32) + run("b") + record("b", 16));
  const std::string expected = run("a") + record("a", 8) + run("b") + record("b", 16) +
                               record("b", 32) + run("c") + record("c", 32);
  const auto merged = merge_records(all, {one, two});
  BOOST_TEST(content(all) == expected);
  BOOST_TEST(merged.records == 3u);
  BOOST_REQUIRE(merged.warnings.size() == 1u);
  BOOST_TEST(merged.warnings[0].find("1.jsonl:4: torn line") != std::string::npos);
  BOOST_TEST(!fs::exists(one));
  BOOST_TEST(!fs::exists(two));
  // Of the two records of 32 the last one counts.
  BOOST_TEST(latest(load_records(all).records).size() == 3u);
  // As if the first time had ended before the files were removed.
  write(one, run("b") + record("b", 16) + record("b", 32));
  BOOST_TEST(merge_records(all, {one}).records == 0u);
  BOOST_TEST(content(all) == expected);
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

BOOST_AUTO_TEST_CASE(what_does_not_belong_together_stays_apart) {
  const Folder folder;
  const fs::path all = folder.path / "all.jsonl", one = folder.path / "1.jsonl";
  write(all, to_json_line(a_run("a", "first")) + "\n");
  write(one, to_json_line(a_run("b", "second")) + "\n" + to_json_line(a_record("b", 8)) + "\n");
  BOOST_CHECK_EXCEPTION(merge_records(all, {one}), UsageError, [](const UsageError& error) {
    const std::string what = error.what();
    return what.find("first") != what.npos && what.find("second") != what.npos;
  });
  BOOST_TEST(fs::exists(one));
  BOOST_CHECK_THROW(merge_records(all, {all}), UsageError);
  BOOST_CHECK_THROW(merge_records(all, {folder.path / "absent.jsonl"}), UsageError);

  // A program that knows fewer workloads keeps the records of the others, and says so.
  Record strange = a_record("a", 8);
  strange.workload = "fft";
  write(one, to_json_line(strange) + "\n");
  const auto merged = merge_records(all, {one});
  BOOST_TEST(merged.records == 1u);
  BOOST_REQUIRE(merged.warnings.size() == 1u);
  BOOST_TEST(merged.warnings[0].find("'fft'") != std::string::npos);
}

// Four nodes at one control point; the second time of a node counts.
BOOST_AUTO_TEST_CASE(a_slow_device_is_found) {
  std::map<std::string, Run> runs;
  std::vector<Record> records;
  const auto measured = [&](const std::string& node, double seconds, double noise) {
    const auto id = "run-" + std::to_string(records.size());
    runs[id] = a_run(id);
    runs[id].node = node;
    Record& record = records.emplace_back(a_record(id, 1500));
    record.seconds.clear();
    for (int i = 0; i < 60; ++i) record.seconds.push_back(seconds * (1 + noise * (i % 5 - 2)));
  };
  measured("n1", 9e-3, 1e-4);
  measured("n1", 1.00e-3, 1e-4);
  measured("n2", 1.01e-3, 1e-4);
  measured("n3", 1.20e-3, 1e-4);
  measured("n4", 1.02e-3, 1e-4);
  const auto spreads = device_spread(records, runs);
  BOOST_REQUIRE(spreads.size() == 1u);
  BOOST_REQUIRE(spreads[0].devices.size() == 4u);
  BOOST_TEST(spreads[0].devices[0].device == "n3");
  BOOST_TEST(spreads[0].devices[0].slow);
  BOOST_TEST(spreads[0].devices[0].slower > 1.15);
  for (std::size_t i = 1; i < 4; ++i) BOOST_TEST(!spreads[0].devices[i].slow);
  // One device has no spread.
  BOOST_TEST(device_spread({records[0], records[1]}, runs).empty());
}

BOOST_AUTO_TEST_SUITE_END()
