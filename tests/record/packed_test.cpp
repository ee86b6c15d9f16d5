// Packed records: they contain the same values, and none is lost.
#include "record/packed.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <fstream>
#include <random>

#include "cluster/merge.hpp"
#include "folder.hpp"
#include "page/measured.hpp"
#include "record/json.hpp"
#include "record/run.hpp"
#include "record/store.hpp"
#include "records.hpp"
#include "said.hpp"
#include "text.hpp"

namespace fs = std::filesystem;
using namespace parlab;
using testing::contains, testing::content, testing::Folder, testing::message_of;
using testing::said_by;

namespace {

Run a_run(const std::string& id) {
  Run run;
  run.id = id;
  run.date = "2026-01-0" + id + "T03:04:05Z";
  run.machine = "here";
  run.host_id = "host";
  return run;
}

// A record of this size; the samples drift and have a tick, as on a GPU.
Record a_record(std::int64_t size, std::size_t samples, double scale = 1) {
  auto record = testing::record_of("dmv/serial/plain", {size, size});
  record.run = "1";
  record.unit = "fma float";
  record.converged = true;
  std::mt19937 random(static_cast<unsigned>(size));
  std::gamma_distribution<double> noise(2, 20);
  for (std::size_t i = 0; i < samples; ++i) {
    const double ticks = 1000 + 0.1 * static_cast<double>(i) + noise(random);
    record.seconds.push_back(scale * 32e-9 * std::round(ticks));
  }
  for (std::size_t left = samples; left > 0;) {
    record.batches.push_back(static_cast<int>(std::min(left, 1 + left % 12)));
    left -= static_cast<std::size_t>(record.batches.back());
  }
  return record;
}

// Records of many lengths; one is of several GPUs and one has no batches.
fs::path made_in(const Folder& folder, const std::string& name = "x.jsonl",
                 double scale = 1) {
  const auto path = folder.path / name;
  Store store(path, a_run("1"));
  for (const std::size_t samples : {1, 2, 5, 13, 40, 96, 500, 4001}) {
    auto record = a_record(static_cast<std::int64_t>(samples), samples, scale);
    if (samples == 40) record.apart.assign(40, 1e-6);
    if (samples == 500) record.batches.clear();
    store.append(record);
  }
  return path;
}

std::string exported(const fs::path& path) {
  return said_by({"export", path.string()}).out;
}

std::string compared(const fs::path& before, const fs::path& after) {
  return said_by(
             {"compare", before.string(), after.string(), "--format", "csv"})
      .out;
}

std::uintmax_t lines_of(const fs::path& path) {
  std::uintmax_t lines = 0;
  each_line(path, [&](const Line&, std::size_t number) { lines = number; });
  return lines;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(packed_records)

BOOST_AUTO_TEST_CASE(say_the_same_to_the_last_bit) {
  const Folder folder;
  const auto path = made_in(folder);
  const auto plain = load_records(path);
  const auto csv = exported(path);
  const auto size = fs::file_size(path);
  const auto packed = pack_records(path);
  BOOST_TEST(packed.warnings.empty());
  BOOST_TEST(!fs::exists(path));
  BOOST_TEST(packed.bytes == fs::file_size(packed_path(path)));
  BOOST_TEST(packed.bytes < size / 3);
  BOOST_TEST(exported(path) == csv);
  BOOST_TEST(exported(packed_path(path)) == csv);

  const auto loaded = load_records(path);
  BOOST_REQUIRE(loaded.records.size() == plain.records.size());
  for (std::size_t i = 0; i < plain.records.size(); ++i) {
    const Record &then = plain.records[i], &now = loaded.records[i];
    BOOST_TEST((now.summary() == then.summary()));
    BOOST_TEST(tick_variance(then.samples()) == tick_variance(now.samples()));
    // A few samples have no groups, and those of several GPUs belong together.
    const bool grouped =
        then.apart.empty() && !judged_groups(then.samples()).empty();
    BOOST_TEST(now.grouped == grouped);
    if (!grouped) BOOST_TEST(to_json_line(now) == to_json_line(then));
    BOOST_TEST((!grouped || now.batches.size() <= 10));
  }
  BOOST_TEST(loaded.records.back().grouped);
}

BOOST_AUTO_TEST_CASE(are_compared_as_plain_ones_are) {
  const Folder folder;
  std::vector<fs::path> plain;
  for (const double scale : {1., 1.005, 1.02, 1.03, 1.1}) {
    plain.push_back(
        made_in(folder, std::to_string(plain.size()) + ".jsonl", scale));
  }
  std::vector<std::string> verdicts;
  for (const auto& after : plain)
    verdicts.push_back(compared(plain.front(), after));
  pack_records(plain.front());
  for (std::size_t i = 1; i < plain.size(); ++i) {
    BOOST_TEST(compared(plain.front(), plain[i]) == verdicts[i]);
    pack_records(plain[i]);
    BOOST_TEST(compared(plain.front(), plain[i]) == verdicts[i]);
  }
  BOOST_TEST(verdicts.front() != verdicts.back());
}

BOOST_AUTO_TEST_CASE(are_resumed_from_and_appended_to) {
  const Folder folder;
  const auto path = made_in(folder);
  const auto records = load_records(path).records.size();
  pack_records(path);
  {
    Store store(path, a_run("1"));
    BOOST_TEST(store.done().size() == records);
    BOOST_TEST(store.runs().size() == 1u);
    store.append(a_record(7, 60));
    // A newer measurement replaces a packed one.
    auto again = a_record(5, 60);
    again.source_hash = "new";
    store.append(again);
    // A file that is still being written is not packed.
    BOOST_TEST(contains(message_of<UsageError>([&] { pack_records(path); }),
                        "being written"));
  }
  // The run is known from the packed file.
  BOOST_TEST(lines_of(path) == 2u);
  BOOST_TEST(load_records(path).records.size() == records + 2);
  BOOST_TEST(load_records(folder.path).records.size() == records + 2);
  const auto csv = exported(path);
  BOOST_TEST(exported(folder.path) == csv);
  BOOST_TEST(page::load_machine(folder.path).experiments.size() == 1u);
  BOOST_TEST(machine_name("here", "host", folder.path.parent_path()) == "here");
  pack_records(path);
  BOOST_TEST(!fs::exists(path));
  BOOST_TEST(exported(path) == csv);
  BOOST_TEST(lines_of(packed_path(path)) == records + 3);
  // A store without new records leaves no file behind.
  Store(path, a_run("1")).done();
  BOOST_TEST(!fs::exists(path));
  // A packed file is never appended to.
  BOOST_TEST(contains(
      message_of<UsageError>([&] { Store(packed_path(path), a_run("1")); }),
      "appended to " + path.string()));
  BOOST_TEST(contains(message_of<UsageError>(
                          [&] { pack_records(folder.path / "absent.jsonl"); }),
                      "no records"));
}

BOOST_AUTO_TEST_CASE(stand_once_when_packing_was_stopped) {
  const Folder folder;
  const auto path = made_in(folder);
  const auto text = content(path);
  pack_records(path);
  const auto packed = content(packed_path(path));
  std::ofstream(path) << text;
  BOOST_TEST(exported(path) == exported(packed_path(path)));
  pack_records(path);
  BOOST_TEST(content(packed_path(path)) == packed);
  BOOST_TEST(!fs::exists(path));
}

BOOST_AUTO_TEST_CASE(keep_what_is_foreign_and_leave_out_what_is_torn) {
  const Folder folder;
  const auto path = made_in(folder);
  const auto lines = lines_of(path);
  std::ofstream(path, std::ios::app) << "somebody else's\n\n{\"type\":\"rec";
  const auto packed = pack_records(path);
  BOOST_REQUIRE(packed.warnings.size() == 1u);
  BOOST_TEST(contains(packed.warnings[0], ":12: torn line"));
  BOOST_TEST(lines_of(packed_path(path)) == lines + 1);
  BOOST_TEST(load_records(path).warnings.size() == 1u);
  // Only the newline of the last record is missing.
  std::ofstream(path) << to_json_line(a_run("2"));
  pack_records(path);
  BOOST_TEST(lines_of(packed_path(path)) == lines + 2);
}

BOOST_AUTO_TEST_CASE(of_a_damaged_file_what_is_whole_is_read) {
  const Folder folder;
  const auto path = made_in(folder);
  pack_records(path);
  const auto packed = content(packed_path(path));
  const auto with = [&](const std::string& text) {
    std::ofstream(packed_path(path), std::ios::binary) << text;
    return load_records(path);
  };
  for (std::size_t i = 0; i < packed.size(); i += 101) {
    auto other = packed;
    other[i] = static_cast<char>(~other[i]);
    for (const auto& text : {other, packed.substr(0, i)}) {
      const auto loaded = with(text);
      BOOST_TEST(loaded.records.size() <= 8u);
      if (!text.empty())
        BOOST_TEST(contains(loaded.warnings.back(), "is damaged"));
    }
  }
  // It is not packed, merged or taken for complete, so nothing is lost.
  with(packed.substr(0, packed.size() / 2));
  std::ofstream(path) << to_json_line(a_run("2")) << '\n';
  BOOST_CHECK_THROW(pack_records(path), std::runtime_error);
  BOOST_CHECK_THROW(merge_records(folder.path / "all.jsonl", {path}),
                    std::runtime_error);
  BOOST_TEST(fs::exists(path));
  BOOST_TEST(content(packed_path(path)) == packed.substr(0, packed.size() / 2));
  // Two packed files, one after the other, are one.
  BOOST_TEST(with(packed + packed).records.size() == 16u);
}

BOOST_AUTO_TEST_CASE(are_merged) {
  const Folder folder;
  const auto path = made_in(folder), all = folder.path / "all.jsonl";
  const auto csv = exported(path);
  pack_records(path);
  BOOST_TEST(contains(
      message_of<UsageError>([&] { merge_records(path, {packed_path(path)}); }),
      "cannot go into itself"));
  BOOST_TEST(merge_records(all, {path}).records == 8u);
  BOOST_TEST(!fs::exists(packed_path(path)));
  BOOST_TEST(exported(all) == csv);
  // A packed record is not added a second time.
  fs::copy_file(all, path);
  pack_records(all);
  BOOST_TEST(merge_records(all, {path}).records == 0u);
  BOOST_TEST(exported(all) == csv);
}

BOOST_AUTO_TEST_SUITE_END()
