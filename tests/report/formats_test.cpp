// The output of a sweep: the course's format, the table, JSON, CSV and the
// progress line.
#include <boost/test/unit_test.hpp>
#include <sstream>

#include "core/text.hpp"
#include "core/variant.hpp"
#include "fake_workload.hpp"
#include "record/json.hpp"
#include "record/store.hpp"
#include "record/table.hpp"
#include "records.hpp"
#include "report/console.hpp"
#include "report/reporter.hpp"
#include "text.hpp"

using namespace parlab;
using testing::contains;

namespace {

struct Fixture {
  Fixture() { register_fake_workloads(); }
};

// A record of fake 1024x1024 whose samples differ from the median by up to the
// share `spread`.
Record make(const std::string& backend, const std::string& variant,
            double median, double spread = 0.001, int count = 21) {
  auto record =
      testing::record_of("fake/" + backend + "/" + variant, {1024, 1024});
  record.converged = true;
  record.flops = 2e6;
  record.bytes = 4e6;
  record.roof_s = 1e-6;
  record.between_runs.share = 1e-4;
  for (int i = 0; i < count; ++i) {
    const double offset =
        count > 1 ? 2.0 * (i * 5 % count) / (count - 1) - 1 : 0;
    record.seconds.push_back(median * (1 + spread * offset));
  }
  return record;
}

Record failed(Record record, Verdict verdict, const std::string& detail) {
  record.seconds.clear();
  record.verdict = verdict;
  record.detail = other(detail);
  return record;
}

Record emulated(Record record) {
  record.seconds.clear();
  record.emulated = true;
  return record;
}

std::string printed(const std::string& format,
                    const std::vector<std::vector<Record>>& points) {
  std::ostringstream out;
  const auto reporter = make_reporter(format, out);
  for (const auto& point : points)
    reporter->point(point);
  reporter->finish();
  return out.str();
}

std::string shown(const std::vector<std::vector<Record>>& points,
                  const TableStyle& style) {
  std::ostringstream out;
  const auto reporter = make_table_reporter(out, style);
  for (const auto& point : points)
    reporter->point(point);
  reporter->finish();
  return out.str();
}

// The first line that contains all parts; "" if there is none.
std::string line_with(const std::string& text,
                      const std::vector<std::string>& parts) {
  for (const auto& line : split(text, '\n')) {
    bool all = true;
    for (const auto& part : parts)
      all &= line.find(part) != std::string::npos;
    if (all) return line;
  }
  return "";
}

// Whether a line contains all parts; shows the text if none does.
boost::test_tools::assertion_result has_line(
    const std::string& text, const std::vector<std::string>& parts) {
  boost::test_tools::assertion_result found(!line_with(text, parts).empty());
  if (!found) found.message() << "not in any one line of\n" << text;
  return found;
}

// The records of the example in the course's format.
std::vector<Record> course_records() {
  auto serial = make("serial", "plain", 0.00119, 0, 100);
  auto openmp = make("openmp", "rows", 0.00011, 0, 100);
  auto gpu = make("cuda", "coalesced", 0.00006, 0, 100);
  gpu.tunables = {{"block", 128}};
  gpu.launch.grid = {8, 8, 1};
  gpu.launch.block = {128, 1, 1};
  for (auto* record : {&serial, &openmp, &gpu})
    record->flops = 2 * 1024 * 1024;
  return {serial, openmp, gpu};
}

const char* const first_two_records =
    "Matrix size: 1024\n"
    "Adjusted matrix size: 1024\n"
    ">>>> Begin of record <<<<\n"
    "Serial version:\n"
    "Elapsed time: 0.119000 s\n"
    "Performance:  1.762313 Gflop/s\n"
    ">>>> End of record <<<<\n"
    ">>>> Begin of record <<<<\n"
    "OpenMP version:\n"
    "Checking ... PASSED\n"
    "Elapsed time: 0.011000 s\n"
    "Performance:  19.065018 Gflop/s\n"
    ">>>> End of record <<<<\n";

}  // namespace

BOOST_FIXTURE_TEST_SUITE(formats, Fixture)

BOOST_AUTO_TEST_CASE(record_format_byte_for_byte) {
  BOOST_TEST(printed("record", {course_records()}) ==
             std::string(first_two_records) +
                 ">>>> Begin of record <<<<\n"
                 "Block size: 128x1\n"
                 "Grid size : 8x8\n"
                 "Shared memory size: 0 bytes\n"
                 "GPU kernel version: coalesced\n"
                 "Checking ... PASSED\n"
                 "Elapsed time: 0.006000 s\n"
                 "Performance:  34.952533 Gflop/s\n"
                 ">>>> End of record <<<<\n");
}

BOOST_AUTO_TEST_CASE(record_format_of_the_library) {
  auto library = make("blas", "library", 0.5, 0, 2);
  library.flops = 2e9;
  library.size = {300, 1000};
  library.launch.grid = {4, 1, 1};
  library.launch.block = {32, 8, 1};
  library.launch.shared_bytes = 4096;
  BOOST_TEST(printed("record", {{library}}) ==
             "Matrix size: 300x1000\n"
             "Adjusted matrix size: 300x1000\n"
             ">>>> Begin of record <<<<\n"
             "Block size: 32x8\n"
             "Grid size : 4x1\n"
             "Shared memory size: 4096 bytes\n"
             "GPU kernel version: CUBLAS\n"
             "Checking ... PASSED\n"
             "Elapsed time: 1.000000 s\n"
             "Performance:  4.000000 Gflop/s\n"
             ">>>> End of record <<<<\n");
}

BOOST_AUTO_TEST_CASE(record_format_of_a_failure) {
  auto records = course_records();
  records.erase(records.begin());
  records[0] = failed(records[0], Verdict::wrong_result,
                      "y[17] is 3, expected 4 within 0");
  records[1] = failed(records[1], Verdict::launch_failed,
                      "too many resources requested");
  BOOST_TEST(printed("record", {records}) ==
             "Matrix size: 1024\n"
             "Adjusted matrix size: 1024\n"
             ">>>> Begin of record <<<<\n"
             "OpenMP version:\n"
             "Checking ... FAILED\n"
             "wrong_result: y[17] is 3, expected 4 within 0\n"
             ">>>> End of record <<<<\n"
             ">>>> Begin of record <<<<\n"
             "Block size: 128x1\n"
             "Grid size : 8x8\n"
             "Shared memory size: 0 bytes\n"
             "GPU kernel version: coalesced\n"
             "Checking ... FAILED\n"
             "launch_failed: too many resources requested\n"
             ">>>> End of record <<<<\n");
}

BOOST_AUTO_TEST_CASE(record_format_without_a_gpu) {
  auto records = course_records();
  records[2] = failed(records[2], Verdict::no_device, "no NVIDIA driver");
  BOOST_TEST(printed("record", {records}) ==
             std::string(first_two_records) +
                 "GPU kernel coalesced was not timed: no NVIDIA driver\n");
  // Emulation is a separate point, at a size that it can handle.
  auto small = emulated(course_records()[2]);
  small.size = {512, 512};
  auto nobody_asked = small;
  nobody_asked.detail = {.cause = Cause::also_tried};
  BOOST_TEST(printed("record", {{nobody_asked}}) == "");
  records.pop_back();
  BOOST_TEST(printed("record", {records, {small}}) ==
             std::string(first_two_records) +
                 "GPU kernel coalesced was not timed: executed by emulation at "
                 "size 512, passed\n");
}

// A variant whose time includes the copies is not compared with kernels whose
// data is in place.
BOOST_AUTO_TEST_CASE(table_of_what_begins_in_host_memory) {
  auto naive = make("cuda", "naive", 200e-6),
       piecewise = make("cuda", "tiled", 100e-6);
  naive.to_device_s = 300e-6;
  naive.to_host_s = 500e-6;
  piecewise.from_host = true;
  const auto table =
      printed("table", {{make("serial", "plain", 1e-3), naive, piecewise}});
  BOOST_TEST(line_with(table, {"cuda/naive"}).starts_with("*"), table);
  const auto row = line_with(table, {"cuda/tiled"});
  BOOST_TEST(row.starts_with(" "), table);
  BOOST_TEST(contains(row, " -  "));  // no speedup of a kernel alone
  BOOST_TEST(row.ends_with("10.0x"), row);
  BOOST_TEST(has_line(table, {"from host memory and back"}));
  // Such variants are compared among themselves.
  const auto alone = printed("table", {{piecewise}});
  BOOST_TEST(line_with(alone, {"cuda/tiled"}).starts_with("*"), alone);
}

BOOST_AUTO_TEST_CASE(table_with_best_ties_and_failures) {
  auto naive = make("cuda", "naive", 200e-6);
  auto coalesced = make("cuda", "coalesced", 100.0e-6, 0.01);
  auto warp = make("cuda", "warp", 100.1e-6, 0.01);
  for (auto* record : {&naive, &coalesced, &warp}) {
    record->tunables = {{"block", 256}};
    record->to_device_s = 300e-6;
    record->to_host_s = 100e-6;
  }
  warp.flags = {"above_roof"};
  warp.converged = false;
  const std::string detail =
      "y[1023] is 3.14159265, expected 2.71828183 within 1.2e-05; the launch "
      "wrote past the end of "
      "y too";
  const auto wrong =
      failed(make("blas", "library", 1), Verdict::wrong_result, detail);
  const auto table =
      printed("table", {{make("serial", "plain", 1e-3), naive, coalesced, warp,
                         wrong, emulated(make("cuda", "tiled", 1))}});
  BOOST_TEST(table.starts_with("fake 1024x1024 float, hot caches\n"), table);
  const auto row = [&](const std::string& name) {
    return line_with(table, {name});
  };
  BOOST_TEST(row("serial/plain").starts_with("   serial/plain  "), table);
  BOOST_TEST(
      has_line(table, {"serial/plain", "1.000 ms  0.03%", "0.10%", "1.00x"}));
  BOOST_TEST(row("cuda/coalesced").starts_with("*  cuda/coalesced  block=256"),
             table);
  BOOST_TEST(row("cuda/warp").starts_with("=  cuda/warp       block=256"),
             table);
  BOOST_TEST(row("cuda/naive").starts_with("   cuda/naive      block=256"),
             table);
  BOOST_TEST(has_line(
      table, {"cuda/coalesced", "100.0 us", "40.0", "1.0%", "10.0x", "2.00x"}));
  BOOST_TEST(has_line(table, {"cuda/naive", "200.0 us", "5.00x"}));
  BOOST_TEST(has_line(table, {"(above_roof)"}));
  BOOST_TEST(has_line(table, {"cuda/warp", "0.22%! "}));
  BOOST_TEST(has_line(
      table, {"-  blas/library", "wrong_result: y[1023] is 3.14159265"}));
  BOOST_TEST(has_line(table, {"verified by emulation, not timed: fake "
                              "cuda/tiled at 1024x1024 float"}));
  BOOST_TEST(!contains(table, "all settings"));
  BOOST_TEST(has_line(table, {"fastest: cuda/coalesced, 10.0x as fast as "
                              "serial/plain, tied with cuda/warp"}));
  BOOST_TEST(!contains(table, "lowest median"));  // it is shown on request
  BOOST_TEST(table.ends_with("5 passed, 1 failed\n"), table);
  for (const auto& line : split(table, '\n'))
    BOOST_TEST(line.size() <= 100u, line);
}

BOOST_AUTO_TEST_CASE(reduced_arithmetic_competes_with_no_other) {
  auto reduced = make("blas", "tf32", 10e-6),
       alike = make("cuda", "parts", 2e-5);
  reduced.arithmetic = Arithmetic::tf32;
  alike.arithmetic = Arithmetic::fp16x3;
  for (const auto kind : {InputKind::uniform, InputKind::wide})
    alike.errors[error_name(kind, ErrorUnit::bound)] = 0.5;
  const auto table = printed("table", {{make("serial", "plain", 1e-3), reduced,
                                        alike, make("cuda", "naive", 1e-4)}});
  BOOST_TEST(line_with(table, {"blas/tf32 "}).starts_with("~"), table);
  BOOST_TEST(line_with(table, {"cuda/parts "}).starts_with("~"), table);
  BOOST_TEST(line_with(table, {"cuda/naive "}).starts_with("*"), table);
  BOOST_TEST(
      has_line(table, {"fastest: cuda/naive, 10.0x as fast as serial/plain"}));
  BOOST_TEST(has_line(table, {"~ in reduced precision: blas/tf32 (tf32)"}));
  BOOST_TEST(has_line(table, {"~ other arithmetic with the same accuracy: "
                              "cuda/parts (fp16x3)"}));
  const auto alone = printed("table", {{reduced, alike}});
  BOOST_TEST(!contains(alone, "fastest:"), alone);
}

BOOST_AUTO_TEST_CASE(what_is_tied_with_the_baseline_is_not_faster) {
  const auto table = printed("table", {{make("serial", "plain", 1e-3, 0.9, 9),
                                        make("cuda", "naive", 9e-4, 0.9, 9)}});
  BOOST_TEST(has_line(table, {"fastest: cuda/naive, tied with serial/plain"}));
}

// On a terminal of 80 columns the bars give way, not the names.
BOOST_AUTO_TEST_CASE(a_narrow_terminal_has_no_bars) {
  auto rows = make("openmp", "rows", 1e-4);
  rows.tunables = {{"threads", 16}};
  const auto table =
      shown({{make("serial", "plain", 1e-3), rows}}, {.looks = {.width = 72}});
  BOOST_TEST(has_line(table, {"openmp/rows", "threads=16", "100.0 us"}));
  BOOST_TEST(!contains(table, "##"));
  for (const auto& line : split(table, '\n'))
    BOOST_TEST(line.size() <= 72u, line);
}

BOOST_AUTO_TEST_CASE(a_legend_is_for_those_who_ask) {
  const auto table =
      shown({{make("serial", "plain", 1e-3), make("openmp", "rows", 1e-4)}},
            {.legend = true});
  BOOST_TEST(has_line(table, {"*: lowest median time; =: a tie"}));
  BOOST_TEST(has_line(table, {"over serial/plain"}));
}

BOOST_AUTO_TEST_CASE(bars_say_how_fast) {
  const std::vector<std::vector<Record>> points{
      {make("serial", "plain", 1e-3), make("openmp", "rows", 1e-4)}};
  const auto ascii = shown(points, {});
  BOOST_TEST(has_line(ascii, {"openmp/rows", "  ########  "}));
  BOOST_TEST(has_line(ascii, {"serial/plain", "  #   "}));
  const auto unicode = shown(points, {.looks = {.letters = Letters::unicode}});
  BOOST_TEST(has_line(unicode, {"openmp/rows", "100.0 µs", "  ████████  "}));
  BOOST_TEST(has_line(unicode, {"serial/plain", "  ▊  "}));
  // If a character has several bytes, columns still line up.
  const auto column = [&](const std::string& name, const std::string& word) {
    const auto line = line_with(unicode, {name, word});
    return length_of(line.substr(0, line.find(word)));
  };
  BOOST_TEST(column("openmp/rows", "10.0×") + 5 ==
             column("serial/plain", "1.00×") + 5);
}

BOOST_AUTO_TEST_CASE(colours_where_they_are_wanted) {
  auto wrong = make("cuda", "naive", 1);
  const std::vector<std::vector<Record>> points{
      {make("serial", "plain", 1e-3), make("openmp", "rows", 1e-4),
       failed(wrong, Verdict::wrong_result, "y[0]")}};
  const auto plain = shown(points, {});
  BOOST_TEST(!contains(plain, "\033"));
  auto coloured = shown(points, {.looks = {.colours = true}});
  BOOST_TEST(has_line(coloured, {"\033[32m*", "openmp/rows", "\033[0m"}));
  BOOST_TEST(has_line(coloured, {"\033[31m-", "cuda/naive"}));
  BOOST_TEST(has_line(coloured, {"\033[31m2 passed, 1 failed\033[0m"}));
  // Only colours are added.
  for (auto begin = coloured.find('\033'); begin != coloured.npos;
       begin = coloured.find('\033'))
    coloured.erase(begin, coloured.find('m', begin) - begin + 1);
  BOOST_TEST(coloured == plain);
}

BOOST_AUTO_TEST_CASE(an_interval_without_bounds_does_not_break_the_table) {
  auto wild = make("openmp", "rows", 1e-4, 0.001);
  for (std::size_t i = 0; i < wild.seconds.size(); i += 2)
    wild.seconds[i] *= 1e9;
  const auto table = shown({{wild}}, {});
  BOOST_TEST(has_line(table, {"openmp/rows", ">99%"}));
  for (const auto& line : split(table, '\n'))
    BOOST_TEST(line.size() <= 100u, line);
}

BOOST_AUTO_TEST_CASE(what_no_line_has_is_not_explained) {
  const auto table =
      shown({{emulated(make("cuda", "tiled", 1))}}, {.legend = true});
  BOOST_TEST(table ==
             "verified by emulation, not timed: fake cuda/tiled at 1024x1024 "
             "float\n1 passed, 0 failed\n");
}

// One line, however many there are and whatever their sizes.
BOOST_AUTO_TEST_CASE(emulated_variants_have_one_line) {
  std::vector<std::vector<Record>> points;
  for (const auto* name : {"a", "b", "c", "d"}) {
    for (const std::int64_t extent : {1024, 33}) {
      points.push_back({emulated(make("cuda", name, 1))});
      points.back().front().size = {extent, 67};
      if (extent == 33)  // it was not requested
        points.back().front().detail = {.cause = Cause::also_tried};
    }
  }
  BOOST_TEST(shown(points, {}) ==
             "verified by emulation, not timed: 4 variants at 1024x67 float "
             "and 33x67 float\n8 passed, 0 failed\n");
}

BOOST_AUTO_TEST_CASE(
    of_many_emulated_problems_the_first_and_the_last_are_named) {
  std::vector<std::vector<Record>> points;
  const auto add = [&](const char* name, std::int64_t first) {
    for (std::int64_t extent = first; extent <= 96; ++extent) {
      points.push_back({emulated(make("cuda", name, 1))});
      points.back().front().size = {extent, extent};
    }
  };
  add("a", 1);
  BOOST_TEST(shown(points, {}) ==
             "verified by emulation, not timed: fake cuda/a at 96 problems: "
             "1x1 float, 2x2 float, 3x3 float, ...,\n94x94 float, 95x95 float "
             "and 96x96 float\n96 passed, 0 failed\n");
  add("b", 89);
  BOOST_TEST(
      has_line(shown(points, {}), {"fake cuda/b at 89x89 float, 90x90"}));
}

BOOST_AUTO_TEST_CASE(table_of_a_sweep_begins_with_the_best) {
  std::vector<Record> records{make("serial", "plain", 1e-3)};
  for (const int block : {16, 32, 64}) {
    records.push_back(make("cuda", "naive", block == 32 ? 1e-4 : 2e-4));
    records.back().tunables = {{"block", block}};
  }
  const auto table = printed("table", {records});
  const auto end = table.find("all settings\n");
  BOOST_TEST_REQUIRE(end != std::string::npos);
  const auto best = table.substr(0, end), all = table.substr(end);
  for (const auto* block : {"block=16", "block=32", "block=64"}) {
    BOOST_TEST(has_line(all, {"cuda/naive", block}));
  }
  BOOST_TEST(has_line(best, {"*  cuda/naive", "block=32"}));
  BOOST_TEST(!has_line(best, {"block=16"}));
  BOOST_TEST(!has_line(best, {"block=64"}));
  BOOST_TEST(has_line(best, {"serial/plain"}));
  const auto short_one = shown({records}, {.all = false});
  BOOST_TEST(!contains(short_one, "block=16"));
  BOOST_TEST(has_line(short_one, {"2 more settings", "--all shows them"}));
}

// Three samples have no interval, so no tie is claimed.
BOOST_AUTO_TEST_CASE(table_of_too_few_samples) {
  const auto few = printed("table", {{make("serial", "plain", 1e-3, 0.001, 3),
                                      make("openmp", "rows", 1e-4, 0.001, 3)}});
  BOOST_TEST(has_line(few, {"*  openmp/rows", " ?  ", "10.0x"}));
  BOOST_TEST(has_line(few, {"   serial/plain"}));
}

BOOST_AUTO_TEST_CASE(table_without_a_baseline_a_roof_or_a_time) {
  // Without a serial record there is no speedup, without a roof no share of it.
  auto alone = make("openmp", "rows", 1e-4);
  alone.roof_s = 0;
  const auto no_baseline = printed("table", {{alone}});
  BOOST_TEST(has_line(no_baseline, {"*  openmp/rows", "     -  40.0 GB/s"}));
  BOOST_TEST(!has_line(no_baseline, {"speedup: over"}));
  // Without a time there is neither.
  const auto none = printed(
      "table", {{failed(alone, Verdict::timed_out, "no sample in 1 s")}});
  BOOST_TEST(has_line(none, {"-  openmp/rows", "timed_out: no sample in 1 s"}));
  BOOST_TEST(has_line(none, {"variant", "verdict"}));
  BOOST_TEST(!has_line(none, {"speedup"}));
  BOOST_TEST(printed("table", {}).empty());
}

BOOST_AUTO_TEST_CASE(table_shows_flops_where_they_are_the_limit) {
  auto record = make("openmp", "rows", 1e-3);
  record.flops = 1e9;
  const auto table = printed("table", {{record}});
  BOOST_TEST(has_line(table, {"openmp/rows", "Tflop/s"}));
  BOOST_TEST(!has_line(table, {"GB/s"}));
}

BOOST_AUTO_TEST_CASE(table_shows_joules_where_they_were_asked_for) {
  auto known = make("openmp", "rows", 1e-3),
       absent = make("serial", "plain", 2e-3), too = absent;
  too.variant = "other";
  known.energy =
      Energy{{0.025, 0.0251, 0.0249, 0.025}, 1e-3, 20, "RAPL package-0"};
  absent.energy = too.energy = Energy{.absent = other("its clock fell")};
  const auto table = printed("table", {{absent, too, known}});
  BOOST_TEST(has_line(table, {"speedup", "joules"}));
  BOOST_TEST(!contains(table, "+copies"));  // nothing is copied
  BOOST_TEST(has_line(table, {"openmp/rows", "25.00 mJ"}));
  BOOST_TEST(has_line(
      table, {"no energy of serial/plain, serial/other: its clock fell"}));
  for (const auto& line : split(table, '\n'))
    BOOST_TEST(line.size() <= 100u, line);
  known.energy.reset();
  BOOST_TEST(!has_line(printed("table", {{known}}), {"joules"}));
}

BOOST_AUTO_TEST_CASE(a_missing_limit_of_several_settings_is_said_once) {
  std::vector<Record> records(2, make("openmp", "rows", 1e-4));
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto threads = std::int64_t(i) + 1;
    records[i].tunables = {{"threads", threads}};
    records[i].roof_absent = because(Cause::limit_not_steady, threads, threads);
  }
  const auto table = printed("table", {records});
  const auto first = table.find("no limit of");
  BOOST_TEST(first != table.npos);
  BOOST_TEST(table.find("no limit of", first + 1) == table.npos, table);
}

BOOST_AUTO_TEST_CASE(long_names_stay_within_the_width) {
  auto record = make("cuda", "coalesced_with_a_very_long_name", 123.4e-6);
  record.tunables = {{"block", 1024},
                     {"coarsening", 16},
                     {"tile_height", 64},
                     {"tile_width", 64}};
  record.to_device_s = record.to_host_s = 1e-3;
  const auto table = printed("table", {{make("serial", "plain", 1), record}});
  for (const auto& line : split(table, '\n'))
    BOOST_TEST(line.size() <= 100u, line);
  for (const auto* part :
       {"block=1024", "coarsening=1", "tile_height=", "tile_width=6"}) {
    BOOST_TEST(has_line(table, {part}));
  }
}

BOOST_AUTO_TEST_CASE(json_and_csv_are_as_records_are_stored_and_exported) {
  const auto records = course_records();
  std::string lines;
  for (const auto& record : records)
    lines += to_json_line(record) + "\n";
  BOOST_TEST(printed("json", {{records[0], records[1]}, {records[2]}}) ==
             lines);
  std::ostringstream csv;
  Loaded loaded;
  loaded.records = records;
  write_csv(csv, loaded);
  BOOST_TEST(printed("csv", {{records[0], records[1]}, {records[2]}}) ==
             csv.str());
  BOOST_TEST(split(csv.str(), '\n').size() == 5u);
}

BOOST_AUTO_TEST_CASE(progress_is_one_line_on_a_terminal) {
  std::ostringstream out;
  {
    Progress progress(out, 40);
    progress.start(8);
    progress.show("fake 64x64 float hot", 0);
    BOOST_TEST(out.str() == "\r\033[K[0%] fake 64x64 float hot");
    out.str("");
    progress.show("fake 64x64 float hot, a long one", 1.6,
                  std::chrono::seconds(50));
    BOOST_TEST(out.str() == "\r\033[K[20%, 3 min 20 s left] fake 64x64 float");
    out.str("");
    progress.show("fake 32x32", 3, std::chrono::milliseconds(50099));
    BOOST_TEST(out.str().empty());  // too soon
    progress.show("other 32x32", 3, std::chrono::milliseconds(50099));
    BOOST_TEST(contains(out.str(), "other"));
    out.str("");
    progress.clear();
    progress.clear();
    BOOST_TEST(out.str() == "\r\033[K");
    progress.show("x", 8, std::chrono::seconds(1));
    out.str("");
  }
  BOOST_TEST(out.str() == "\r\033[K");  // nothing is left over
  BOOST_TEST(time_span(59.4) == "59 s");
  BOOST_TEST(time_span(7500) == "2 h 5 min");
  BOOST_TEST(time_span(900001) == "10.4 days");
}

BOOST_AUTO_TEST_CASE(progress_in_a_pipe_is_a_line_every_ten_seconds) {
  std::ostringstream out;
  {
    Progress progress(out, 0);
    progress.start(8);
    for (const int second : {0, 9, 10, 11, 19, 25})
      progress.show("fake 64x64", 2, std::chrono::seconds(second));
  }
  BOOST_TEST(out.str() ==
             "parlab: [25%, 30 s left] fake 64x64\n"
             "parlab: [25%, 1 min 15 s left] fake 64x64\n");
}

BOOST_AUTO_TEST_CASE(nothing_of_short_progress_in_a_pipe) {
  std::ostringstream out, messages;
  const auto reporter = make_reporter("json", out);
  {
    Console console(*reporter, messages, 0);
    console.plan(3);
    console.working_on("fake", 1);
    console.note(other("a note"));
    console.point(course_records());
  }
  BOOST_TEST(messages.str() == "parlab: a note\n");
  BOOST_TEST(split(out.str(), '\n').size() == 4u);
}

BOOST_AUTO_TEST_CASE(a_size_names_its_parameters) {
  BOOST_TEST(size_text("covariance", {100, 20, 0}) == "100x20");
  BOOST_TEST(size_text("covariance", {100, 20, 7}) == "100x20 float_n=7");
  BOOST_TEST(size_text("convsep", {64, 3, 16}) == "64x3 radius=16");
  BOOST_TEST(size_text("convsep", {64, 3, 5}) == "64x3 radius=5");
  BOOST_TEST(size_text("vector_sum", {9}) == "9");
  BOOST_TEST(size_text("nobody's", {64, 3, 16}) == "64x3x16");
  // a line of a file that somebody changed
  BOOST_TEST(size_text("convsep", {512}) == "512");
}

BOOST_AUTO_TEST_SUITE_END()
