// Records: no measurement is lost, and nothing foreign is trusted.
#include "record/record.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <system_error>
#include <thread>

#include "core/json.hpp"
#include "folder.hpp"
#include "record/json.hpp"
#include "record/run.hpp"
#include "record/speedup.hpp"
#include "record/store.hpp"
#include "record/table.hpp"
#include "records.hpp"
#include "text.hpp"

namespace fs = std::filesystem;
using namespace parlab;
using boost::test_tools::per_element;
using testing::contains, testing::content, testing::Folder, testing::message_of;
using namespace std::string_literals;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Run a_run(const std::string& id = "run-1",
          const std::string& machine = "nvidia-h200") {
  Run run;
  run.id = id;
  run.date = "2025-01-02T03:04:05Z";
  run.command = "bin/dmv --say \"a, b\" 4096";
  run.commit = "0123456789ab+changes";
  run.machine = machine;
  run.host_id = "host of " + machine;
  run.gpus = {{0, "NVIDIA H200", "GPU-1", "0000:65:00.0", "580.1", "13.0"},
              {1, "NVIDIA H200", "GPU-2", "0000:66:00.0", "580.1", "13.0"}};
  run.gpu = "NVIDIA H200";
  run.driver = "580.1";
  run.cuda = "13.0";
  run.cpu = "Intel(R) Xeon(R)";
  run.compiler = "GCC 12.2.0";
  run.flags = "-O3";
  run.cores = 16;
  run.memory_bytes = 1.5e11;
  run.others_at_work = 3;
  run.others_on_gpu = 2;
  run.host = {{{32768, 1e11}, {65536, 2.5e11}},
              {{32768, 1.1e11}},
              {{"fma double", 1e12}}};
  run.device = {{{1e6, 4.1e12}},
                {{2e6, 3.9e12}},
                {{"fma float", 6e13}, {"tensor double", 6e13}},
                {},
                1.5e-6};
  return run;
}

// No field has its default value.
Record a_record() {
  Record record;
  record.workload = "dmv";
  record.backend = "cuda";
  record.variant = "coalesced";
  record.dimensions = {"rows", "cols"};
  record.size = {4096, 1000};
  record.dtype = Dtype::f64;
  record.tunables = {{"block", 128}, {"items", 4}};
  record.cache = Cache::cold;
  record.source = "cuda/dmv/coalesced.cu";
  record.source_hash = "da39a3ee5e6b4b0d3255bfef95601890afd80709";
  record.unit = "tensor double";
  record.arithmetic = Arithmetic::bf16x9;
  record.verdict = Verdict::passed;
  record.detail = other("a \"quoted\" detail, with a comma and \xc3\xa9");
  record.emulated = true;
  record.seconds = {1e-3, 1.23456789e-6, 12.3456789, 0, 2.5e-9};
  record.batches = {2, 3};
  record.grouped = true;
  record.converged = true;
  record.discarded = 3;
  record.errors = {{error_name(InputKind::uniform, ErrorUnit::bound), 0.25},
                   {"wide_of_rounding", 1e9}};
  record.to_device_s = 0.25;
  record.to_host_s = 1e-5;
  record.to_device_pinned_s = 0.03;
  record.to_host_pinned_s = 2e-6;
  record.from_host = true;
  record.energy =
      Energy{{0.25, 0.26, 1e-7}, 2e-3, 71.5, "NVML", other("for no reason")};
  record.flops = 8192000;
  record.bytes = 3.3e7;
  record.roof_s = 1.0 / 3;
  record.flags = {"above_roof", "throttled"};
  record.launch = {{32, 2, 1}, {128, 1, 1}, 1024, 40,         8,
                   2,          0.75,        48,   "registers"};
  record.counters = {{"dram_bytes", 1e9}, {"sectors_per_request", 4.25}};
  record.run = "run-1";
  return record;
}

// A timed record of a variant with a known median; 21 samples, 1 % apart from
// end to end.
Record timed(const std::string& backend, const std::string& variant,
             double median) {
  auto record = testing::record_of("dmv/" + backend + "/" + variant, {64, 64});
  if (backend == "cuda") record.tunables = {{"block", 256}};
  record.source_hash = "abc";
  for (int i = 0; i < 21; ++i) {
    record.seconds.push_back(median * (1 + 0.0005 * (i * 8 % 21 - 10)));
  }
  record.between_runs.share = 1e-4;
  record.run = "run-1";
  return record;
}

Record parsed(const std::string& line) {
  return std::get<Record>(from_json_line(line));
}

void append_text(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::app) << text;
}

// Cells of one CSV column, by the header's name, for files
// without quoted line breaks.
std::vector<std::string> column(const std::string& csv,
                                const std::string& name) {
  std::vector<std::string> cells;
  std::size_t wanted = std::string::npos;
  std::istringstream in(csv);
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> fields{""};
    bool quoted = false;
    for (const char c : line) {
      if (c == '"') quoted = !quoted;
      if (c == ',' && !quoted) {
        fields.emplace_back();
      } else {
        fields.back() += c;
      }
    }
    if (wanted == std::string::npos) {
      wanted = static_cast<std::size_t>(
          std::find(fields.begin(), fields.end(), name) - fields.begin());
      BOOST_REQUIRE_MESSAGE(wanted < fields.size(),
                            "no column " << name << " in " << line);
    } else {
      cells.push_back(fields.at(wanted));
    }
  }
  return cells;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(record)

// fields_test.cpp checks that every field survives.
BOOST_AUTO_TEST_CASE(samples_keep_eight_digits_whatever_their_size) {
  const Record before = a_record();
  const std::string line = to_json_line(before);
  BOOST_TEST(line.find('\n') == std::string::npos);
  const Record after = parsed(line);
  BOOST_REQUIRE(after.seconds.size() == before.seconds.size());
  for (std::size_t i = 0; i < after.seconds.size(); ++i) {
    BOOST_TEST(std::abs(after.seconds[i] - before.seconds[i]) <=
               5e-8 * before.seconds[i]);
  }
  BOOST_TEST(to_json_line(after) == line);
}

BOOST_AUTO_TEST_CASE(the_gpus_of_a_run_have_its_driver) {
  const Run run = std::get<Run>(from_json_line(to_json_line(a_run())));
  for (std::size_t i = 0; i < run.gpus.size(); ++i) {
    BOOST_TEST(run.gpus[i].device == static_cast<int>(i));
    BOOST_TEST(run.gpus[i].driver == run.driver);
  }
}

BOOST_AUTO_TEST_CASE(a_text_of_before_causes_is_read_as_one) {
  Record record = a_record();
  record.detail = other("too large");
  BOOST_TEST(contains(to_json_line(record), R"("detail":"too large")"));
  record.detail = other("ended: not done after 60 s");
  const auto ended = parsed(to_json_line(record)).detail;
  BOOST_TEST(to_string(ended.cause) == "ended");
  BOOST_TEST(words(ended) == "ended: not done after 60 s");
}

BOOST_AUTO_TEST_CASE(causes_of_a_newer_version_are_read_as_other) {
  Record record = a_record();
  record.detail = {
      .cause = Cause::library_missing,
      .arguments = {"libx.so", std::int64_t{7},
                    Quantity{1e-3, Unit::second, Interval{9e-4, 2e-3}}},
      .further = {other("and more")}};
  auto line = to_json_line(record);
  BOOST_TEST((parsed(line).detail == record.detail));
  const std::string name = "library_missing";
  line.replace(line.find(name), name.size(), "of_tomorrow");
  const auto read = parsed(line).detail;
  BOOST_TEST(to_string(read.cause) == "other");
  BOOST_TEST(words(read) == "of_tomorrow; and more");
}

BOOST_AUTO_TEST_CASE(what_is_not_known_is_absent) {
  Record record = a_record();
  record.to_device_s = record.to_host_s = std::nullopt;
  record.counters.clear();
  record.energy.reset();
  const std::string line = to_json_line(record);
  for (const auto* field : {"to_device_s", "counters", "energy"})
    BOOST_TEST(!contains(line, field));
  BOOST_TEST(!parsed(line).to_device_s.has_value());
  BOOST_TEST(!parsed(line).energy.has_value());
  record.energy =
      Energy{.absent = other("no meter")};  // requested, but unknown
  BOOST_TEST(words(parsed(to_json_line(record)).energy.value().absent) ==
             "no meter");
}

BOOST_AUTO_TEST_CASE(infinities_and_nan_are_refused) {
  for (const double bad : {infinity, -infinity, std::nan("")}) {
    const std::map<std::string, std::function<void(Record&)>> places{
        {"a sample", [&](Record& r) { r.seconds[2] = bad; }},
        {"to_device_s", [&](Record& r) { r.to_device_s = bad; }},
        {"to_host_s", [&](Record& r) { r.to_host_s = bad; }},
        {"flops", [&](Record& r) { r.flops = bad; }},
        {"bytes", [&](Record& r) { r.bytes = bad; }},
        {"roof_s", [&](Record& r) { r.roof_s = bad; }},
        {"joules", [&](Record& r) { r.energy->runs_j[1] = bad; }},
        {"occupancy", [&](Record& r) { r.launch.occupancy = bad; }},
        {"a counter", [&](Record& r) { r.counters["x"] = bad; }}};
    for (const auto& [place, put] : places) {
      BOOST_TEST_CONTEXT(bad << " as " << place) {
        Record record = a_record();
        put(record);
        BOOST_CHECK_THROW(to_json_line(record), std::invalid_argument);
      }
    }
    Run run = a_run();
    run.host.read[0].second = bad;
    BOOST_CHECK_THROW(to_json_line(run), std::invalid_argument);
  }
}

BOOST_AUTO_TEST_CASE(bytes_that_are_not_utf8_do_not_stop_a_record) {
  Run run = a_run();
  run.command = "bin/dmv \xff\xfe";
  BOOST_TEST(std::get<Run>(from_json_line(to_json_line(run))).id == run.id);
}

BOOST_AUTO_TEST_CASE(the_key_is_what_was_measured_and_not_what_came_of_it) {
  const Record record = a_record();
  BOOST_TEST(record.point() == "dmv 4096x1000 double cold");
  Record other = record;
  other.seconds = {1};
  other.run = "another";
  other.discarded = 0;
  BOOST_TEST(other.key() == record.key());
  const auto differs = [&](auto change) {
    Record changed = record;
    change(changed);
    return changed.key() != record.key();
  };
  BOOST_TEST(differs([](Record& r) { r.workload = "x"; }));
  BOOST_TEST(differs([](Record& r) { r.backend = "x"; }));
  BOOST_TEST(differs([](Record& r) { r.variant = "x"; }));
  BOOST_TEST(differs([](Record& r) { r.size[1] = 1001; }));
  BOOST_TEST(differs([](Record& r) { r.dtype = Dtype::f32; }));
  BOOST_TEST(differs([](Record& r) { r.cache = Cache::hot; }));
  BOOST_TEST(differs([](Record& r) {
    r.tunables = {{"block", 256}, {"items", 4}};
  }));
  BOOST_TEST(differs([](Record& r) { r.source_hash = "x"; }));
  BOOST_TEST(differs([](Record& r) { r.emulated = false; }));
}

BOOST_AUTO_TEST_CASE(text_in_utf_16_is_named_once) {
  const Folder folder;
  const fs::path path = folder.path / "x.jsonl";
  std::string text = "\xff\xfe";
  for (const char c : to_json_line(a_run()) + "\n" + to_json_line(a_record()))
    text += {c, '\0'};
  append_text(path, text);
  const Loaded loaded = load_records(path);
  BOOST_TEST(loaded.records.empty());
  BOOST_TEST_REQUIRE(loaded.warnings.size() == 1u);
  BOOST_TEST(loaded.warnings[0].find("UTF-16") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(foreign_lines_are_named_and_skipped) {
  const Folder folder;
  const fs::path path = folder.path / "x.jsonl";
  const std::string record = to_json_line(a_record());
  const auto edited = [&](const std::string& from, const std::string& to) {
    std::string line = record;
    const auto at = line.find(from);
    BOOST_REQUIRE_MESSAGE(at != std::string::npos, from);
    return line.replace(at, from.size(), to);
  };
  const std::vector<std::string> bad = {
      "\x00\x01\x7f\xff\xfe garbage"s,
      "[1, 2]",
      "42",
      "{}",
      R"({"type":"horse","schema":1})",
      R"({"type":7,"schema":1})",
      edited("\"schema\":1", "\"schema\":99"),
      edited("\"schema\":1", "\"schema\":\"1\""),
      edited("\"rows\":4096", "\"rows\":\"4096\""),
      edited("\"rows\":4096", "\"rows\":4096.5"),
      edited("\"rows\":4096", "\"rows\":-4096"),
      edited("\"rows\":4096", "\"rows\":18446744073709551615"),
      edited("\"verdict\":\"passed\"", "\"verdict\":\"fine\""),
      edited("\"dtype\":\"double\"", "\"dtype\":\"quarter\""),
      edited("\"arithmetic\":\"bf16x9\"", "\"arithmetic\":\"exact\""),
      edited("\"arithmetic\":\"bf16x9\",", ""),
      edited("\"samples_us\":[", "\"samples_us\":[null,"),
      edited("\"samples_us\":[", "\"samples_us\":[-1,"),
      edited("\"samples_us\":[", "\"samples_us\":[1e999,"),
      edited("\"workload\":\"dmv\",", ""),
      edited("\"grid\":[32,2,1]", "\"grid\":[32,2]"),
      edited("\"discarded\":3", "\"discarded\":3000000000"),
      edited("\"run\":\"run-1\"", "\"run\":\"nobody\""),
      record.substr(0, record.size() / 2),
      std::string(100000, '['),
  };
  append_text(path, to_json_line(a_run()) + "\n\n" + record + "\r\n");
  for (const auto& line : bad)
    append_text(path, line + "\n");
  // Unknown fields come from a newer version, so this line is good.
  append_text(
      path,
      edited("\"schema\":1", "\"schema\":1,\"colour\":[1,{\"a\":2}]") + "\n");

  const Loaded loaded = load_records(path);
  BOOST_TEST(loaded.records.size() == 2u);
  BOOST_TEST(loaded.runs.size() == 1u);
  for (const auto& found : loaded.records)
    BOOST_TEST(found.machine == "nvidia-h200");
  // 20 warnings by line, and one that counts the rest.
  BOOST_REQUIRE(loaded.warnings.size() == 21u);
  BOOST_TEST(loaded.warnings[0] == path.string() + ":4: not JSON, skipped");
  BOOST_TEST(loaded.warnings[20] == path.string() + ": " +
                                        std::to_string(bad.size() - 20) +
                                        " more lines skipped");
  for (const auto& line : bad) {
    // a good line whose run is missing
    if (line.find("nobody") != line.npos) continue;
    BOOST_TEST_CONTEXT(line.substr(0, 200)) {
      BOOST_CHECK_THROW(from_json_line(line), ForeignLine);
    }
  }
}

// Cut off within a character: the parser must not read past the line.
BOOST_AUTO_TEST_CASE(lines_torn_within_a_character_are_refused) {
  const std::string long_enough = "{\"type\":\"run, of which there is no more";
  for (const std::string cut :
       {"\xf0", "\xf0\x9f", "\xf0\x9f\x98", "\xe2", "\xc3"}) {
    std::string line = long_enough + cut;
    line.shrink_to_fit();  // so that AddressSanitizer sees a read past its end
    BOOST_TEST_CONTEXT(cut.size() << " bytes of a character") {
      BOOST_CHECK_THROW(from_json_line(std::move(line)), ForeignLine);
    }
  }
}

// A recursive parser would run out of stack.
BOOST_AUTO_TEST_CASE(deep_lines_are_refused) {
  const std::string open(1'000'000, '[');
  const auto closed = open + std::string(open.size(), ']');
  for (const std::string begin : {"", R"({"type":"run","id":)"}) {
    BOOST_CHECK_THROW(from_json_line(begin + open), ForeignLine);
    BOOST_CHECK_THROW(from_json_line(begin + closed), ForeignLine);
  }
  const auto unknown = "{\"colour\":" + closed + ",";
  BOOST_CHECK_THROW(
      from_json_line(unknown + to_json_line(a_record()).substr(1)),
      ForeignLine);
}

// JSON never has these bytes within a token; some of them are blanks between
// two.
BOOST_AUTO_TEST_CASE(damaged_lines_are_refused_or_say_what_they_said) {
  const std::string bytes = "\"\t\n\r\x01\x1f\x80\xbf\xc3\xed\xf4\xff\0"s;
  for (const auto& line : {to_json_line(a_record()), to_json_line(a_run())}) {
    std::size_t same = 0, refused = 0;
    const auto read = [&](const std::string& damaged) {
      try {
        const auto content = from_json_line(damaged);
        same += std::visit([](const auto& c) { return to_json_line(c); },
                           content) == line;
      } catch (const ForeignLine&) {
        ++refused;
      }
    };
    for (std::size_t at = 0; at < line.size(); ++at) {
      read(line.substr(0, at));
      for (const char byte : bytes)
        read(line.substr(0, at) + byte + line.substr(at));
    }
    const auto count = line.size() * (bytes.size() + 1);
    BOOST_TEST(same + refused == count);
    BOOST_TEST(same > 0u);
  }
}

// The others are ignored.
BOOST_AUTO_TEST_CASE(the_last_of_the_members_of_one_name_counts) {
  auto line = to_json_line(a_record());
  line.pop_back();
  const auto twice = R"({"run":1,)" + line.substr(1) + R"(,"run":"run-2"})";
  BOOST_TEST(parsed(twice).run == "run-2");
}

// The parser would read outside a table: some of these crashed the program.
BOOST_AUTO_TEST_CASE(numbers_that_no_double_can_hold_are_refused) {
  const std::string line = to_json_line(a_record());
  const std::string name = "\"roof_s\":";
  const auto begin = line.find(name) + name.size(), end = line.find(',', begin);
  const auto with = [&](const std::string& number) {
    return line.substr(0, begin) + number + line.substr(end);
  };
  const std::string zeros(40, '0'), nines(60, '9');
  for (const auto& number :
       {"0." + zeros + "1e-322", "0." + std::string(400, '0') + "1",
        nines + "e300", nines + "." + nines + "E+300", "1e-400"s,
        "1e99999999999"s, std::string(400, '9')}) {
    BOOST_TEST_CONTEXT(number) {
      BOOST_CHECK_THROW(from_json_line(with(number)), ForeignLine);
    }
  }
  for (const auto* number :
       {"1.7976931348623157e308", "4.9406564584124654e-324",
        "2.2250738585072014E-308"}) {
    BOOST_TEST(parsed(with(number)).roof_s == std::strtod(number, nullptr));
  }
  // Digits within a text are not a number.
  Record record = a_record();
  record.detail =
      other(std::string(500, '7') + "\\\"" + std::string(500, '8') + "e999");
  BOOST_TEST(parsed(to_json_line(record)).detail == record.detail);
}

std::string line_of(const Json& json) {
  rapidjson::StringBuffer line;
  rapidjson::Writer<rapidjson::StringBuffer> writer(line);
  json.Accept(writer);
  return line.GetString();
}

// The line with this text in the field.
std::string with_text(const std::string& line, const std::string& field,
                      const std::string& text) {
  auto json = parse_json(line);
  json[field].SetString(text, json.GetAllocator());
  return line_of(json);
}

BOOST_AUTO_TEST_CASE(names_with_other_characters_are_refused_in_every_field) {
  const auto line = to_json_line(a_record());
  const auto refused = [](const std::string& text) {
    const auto why = message_of<ForeignLine>([&] { from_json_line(text); });
    return why.find("names are of letters") != why.npos &&
           why.find('\033') == why.npos;
  };
  const auto with = [&](const std::string& field, const std::string& name) {
    if (field != "size" && field != "tunables" && field != "counters")
      return with_text(line, field, name);
    auto json = parse_json(line);
    json[field].AddMember(Json(name, json.GetAllocator()).Move(), 1,
                          json.GetAllocator());
    return line_of(json);
  };
  for (const auto* field : {"workload", "backend", "variant", "run", "size",
                            "tunables", "counters"}) {
    for (const std::string name :
         {"$(touch x)", "`touch x`", "it's", "a b", "a\"b", "a;b", "a/b", "-a",
          ".", "..", "a\nb", "\033[31m", "\u00e4", "a,b", "a=b", "a#b", "a:b",
          "100%"}) {
      BOOST_TEST(refused(with(field, name)),
                 field << " may not be '" << name << "'");
    }
    BOOST_TEST(refused(with(field, std::string(65, 'a'))), field);
    BOOST_CHECK_NO_THROW(from_json_line(with(field, "block_x+2.0-rc")));
    BOOST_CHECK_NO_THROW(from_json_line(with(field, std::string(64, 'a'))));
  }
  const auto run = to_json_line(a_run());
  for (const auto* field : {"id", "machine"})
    BOOST_TEST(refused(with_text(run, field, "$(touch x)")), field);
}

BOOST_AUTO_TEST_CASE(text_of_records_has_nothing_that_a_terminal_obeys) {
  const auto run = std::get<Run>(from_json_line(
      with_text(to_json_line(a_run()), "cpu",
                "a \033[31mred\xc2\x9b \x07 CPU, \xc2\xb5 and \xc3\xa9\n")));
  BOOST_TEST(run.cpu == R"(a \x1b[31mred\u009b \x07 CPU, )"
                        "\xc2\xb5 and \xc3\xa9\\x0a");
}

// Claims and pages refer to the tunables that a variant has.
BOOST_AUTO_TEST_CASE(
    a_timed_record_without_a_tunable_of_its_variant_is_skipped_by_line) {
  const Folder folder;
  const auto path = folder.path / "x.jsonl";
  auto record = a_record();  // of dmv/cuda/coalesced, whose tunable is block
  record.tunables = {{"block", 128}};
  append_text(path, to_json_line(a_run()) + "\n" + to_json_line(record) + "\n");
  BOOST_TEST(load_records(path).records.size() == 1u);
  record.tunables.clear();
  append_text(path, to_json_line(record) + "\n");
  auto loaded = load_records(path);
  BOOST_TEST(loaded.records.size() == 1u);
  BOOST_REQUIRE(loaded.warnings.size() == 1u);
  BOOST_TEST(loaded.warnings[0] == path.string() +
                                       ":3: record of dmv/cuda/coalesced "
                                       "without its tunable 'block', skipped");
  // Without a time its tunables are not needed.
  record.verdict = Verdict::not_supported;
  append_text(path, to_json_line(record) + "\n");
  BOOST_TEST(load_records(path).records.size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_hostile_line_costs_no_more_than_its_length) {
  // this process's time, however busy the machine is
  const auto start = std::clock();
  std::string keys = "{\"a\":1";
  for (int i = 0; i < 300000; ++i)
    keys += ",\"k" + std::to_string(i) + "\":0";
  BOOST_CHECK_THROW(from_json_line(keys + "}"), ForeignLine);
  BOOST_TEST(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC < 10);
}

BOOST_AUTO_TEST_CASE(paths_that_cannot_be_read) {
  const Folder folder;
  BOOST_CHECK_THROW(load_records(folder.path / "absent.jsonl"), UsageError);
  BOOST_TEST(load_records(folder.path).records.empty());
  append_text(folder.path / "empty.jsonl", "");
  const Loaded loaded = load_records(folder.path / "empty.jsonl");
  BOOST_TEST(loaded.records.empty());
  BOOST_TEST(loaded.warnings.empty());
}

BOOST_AUTO_TEST_CASE(a_folder_is_read_whole) {
  const Folder folder;
  fs::create_directories(folder.path / "a" / "deep");
  const std::string one = to_json_line(a_record()) + "\n";
  append_text(folder.path / "a/deep/1.jsonl",
              to_json_line(a_run()) + "\n" + one);
  append_text(folder.path / "a/2.jsonl",
              to_json_line(a_run("run-1", "other")) + "\n" + one + one);
  append_text(folder.path / "a/notes.txt", "no records\n");
  const Loaded loaded = load_records(folder.path);
  BOOST_TEST(loaded.records.size() == 3u);
  BOOST_TEST(loaded.warnings.empty());
  BOOST_TEST(latest(loaded.records).size() == 2u);  // one per machine
}

// The names of the files do not matter.
BOOST_AUTO_TEST_CASE(of_several_files_the_latest_run_counts) {
  const Folder folder;
  Run older = a_run("older"), newer = a_run("newer");
  older.date = "2026-11-22T10:00:00Z";
  newer.date = "2026-11-23T09:00:00Z";
  Record before = a_record(), after = a_record();
  before.run = "older";
  before.source_hash = "before";
  after.run = "newer";
  after.source_hash = "after";
  append_text(folder.path / "a.jsonl",
              to_json_line(newer) + "\n" + to_json_line(after) + "\n");
  append_text(folder.path / "b.jsonl",
              to_json_line(older) + "\n" + to_json_line(before) + "\n");
  const auto kept = latest(load_records(folder.path).records);
  BOOST_REQUIRE(kept.size() == 1u);
  BOOST_TEST(kept[0].source_hash == "after");
}

BOOST_AUTO_TEST_CASE(the_last_record_counts) {
  Record first = timed("cuda", "a", 1), second = timed("cuda", "b", 1),
         third = timed("cuda", "a", 2);
  third.source_hash = "newer";
  const auto kept = latest({first, second, third});
  BOOST_REQUIRE(kept.size() == 2u);
  BOOST_TEST(kept[0].variant == "b");
  BOOST_TEST(kept[1].source_hash == "newer");
}

BOOST_AUTO_TEST_CASE(joules_and_counters_outlive_a_new_time) {
  Record measured = timed("cuda", "a", 1), newer = timed("cuda", "a", 2);
  measured.energy.emplace().runs_j = {1, 1, 1, 1};
  measured.counters = {{"dram_bytes", 5}};
  BOOST_REQUIRE(measured.has_energy());
  const auto last_after = [&](const Record& record) {
    const auto kept = latest({measured, record});
    BOOST_REQUIRE(kept.size() == 1u);
    return kept[0];
  };

  const Record kept = last_after(newer);
  BOOST_TEST(kept.seconds == newer.seconds, boost::test_tools::per_element());
  BOOST_TEST(kept.has_energy());
  BOOST_TEST(kept.counters.at("dram_bytes") == 5);

  Record other_source = newer, failed = newer, own = newer;
  other_source.source_hash = "newer";
  failed.verdict = Verdict::wrong_result;
  own.energy.emplace().runs_j = {7, 7, 7, 7};
  own.counters = {{"dram_bytes", 6}};
  for (const auto& record : {other_source, failed}) {
    BOOST_TEST(!last_after(record).has_energy());
    BOOST_TEST(last_after(record).counters.empty());
  }
  BOOST_TEST(last_after(own).energy->runs_j.front() == 7);
  BOOST_TEST(last_after(own).counters.at("dram_bytes") == 6);
}

BOOST_AUTO_TEST_CASE(one_roof_holds_for_a_point) {
  std::vector<Record> records{timed("openmp", "a", 1), timed("openmp", "b", 2),
                              timed("openmp", "c", 2), timed("cuda", "d", 2)};
  const std::array roofs{0.9, 0.5, 0.7, 0.1};
  for (std::size_t i = 0; i < records.size(); ++i)
    records[i].roof_s = roofs[i];
  records[2].unit = "another";
  records[3].to_device_s = 1;  // on the GPU
  records.push_back(records[0]);
  records.back().size = {999};
  records.push_back(records[0]);
  records.back().machine = "another";
  // another GPU of the machine, and one that copies from host memory
  for (const bool from_host : {false, true}) {
    records.push_back(records[3]);
    records.back().variant = from_host ? "f" : "e";
    records.back().host_id = "another";
    records.back().from_host = from_host;
    records.back().roof_s = 0.2;
  }
  std::vector<double> after;
  for (const auto& record : latest(records))
    after.push_back(record.roof_s);
  BOOST_TEST(after == (std::vector{0.5, 0.5, 0.7, 0.1, 0.9, 0.9, 0.1, 0.2}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_roof_that_was_measured_beside_the_samples_stays) {
  std::vector<Record> records{timed("openmp", "a", 1), timed("openmp", "b", 2),
                              timed("openmp", "c", 2)};
  const std::array roofs{0.9, 0.5, 0.7};
  for (std::size_t i = 0; i < records.size(); ++i)
    records[i].roof_s = roofs[i];
  records[0].slowest_roof_s = 0.95;
  std::vector<double> after;
  for (const auto& record : latest(records))
    after.push_back(record.roof_s);
  BOOST_TEST(after == (std::vector{0.9, 0.5, 0.5}),
             boost::test_tools::per_element());
}

// A kernel's time on one host and the roof of another are unrelated.
BOOST_AUTO_TEST_CASE(hosts_of_one_image_share_no_roof_and_no_speedup) {
  auto a = timed("openmp", "a", 1), b = timed("openmp", "b", 2),
       gpu = timed("cuda", "c", 2);
  for (auto* record : {&a, &b, &gpu}) {
    record->machine = "one name";
    record->host_id = "one image";
    record->gpus_of_host = "first ";
  }
  gpu.to_device_s = 1;
  BOOST_TEST(same_machine(a, b));
  b.gpus_of_host = "second ";
  BOOST_TEST(!same_machine(a, b));
  // GPUs of one model are alike, but their hosts are not.
  BOOST_TEST(same_machine(a, gpu));
  BOOST_TEST(same_machine(gpu, b));
  a.roof_s = 0.9;
  b.roof_s = 0.5;
  const auto kept = latest({a, b});
  BOOST_TEST(kept[0].roof_s == 0.9);
  BOOST_TEST(kept[1].roof_s == 0.5);
}

// Times on the CPUs of several hosts are not shown together.
BOOST_AUTO_TEST_CASE(the_host_with_most_points_of_a_workload_counts) {
  const auto on = [](const std::string& host, std::int64_t n, double seconds) {
    Record record = timed("openmp", "a", seconds);
    record.machine = "one name";
    record.gpus_of_host = host;
    record.size = {n};
    return record;
  };
  const std::vector<Record> records{on("first ", 1, 10), on("first ", 2, 20),
                                    on("second ", 1, 11), on("second ", 3, 31)};
  const auto times_of = [](std::vector<Record> of) {
    std::vector<double> times;
    for (const auto& record : latest(std::move(of)))
      times.push_back(std::round(record.summary().median));
    return times;
  };
  // With as many points on each, the later host counts. Only the other one has
  // the 2.
  BOOST_TEST(times_of(records) == (std::vector<double>{20, 11, 31}),
             boost::test_tools::per_element());

  auto more = records;
  more.insert(more.begin(), on("first ", 4, 40));
  BOOST_TEST(times_of(more) == (std::vector<double>{40, 10, 20, 31}),
             boost::test_tools::per_element());
  // Records of another source do not replace it.
  more[3].source_hash = "newer";
  BOOST_TEST(times_of(more) == (std::vector<double>{40, 20, 11, 31}),
             boost::test_tools::per_element());
  // GPUs of one model are alike.
  for (auto& record : more)
    record.to_device_s = 1;
  BOOST_TEST(times_of(more) == (std::vector<double>{40, 20, 11, 31}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_store_writes_the_run_once_and_late) {
  const Folder folder;
  const fs::path path = folder.path / "new" / "x.jsonl";
  {
    Store store(path, a_run());
    BOOST_TEST(content(path).empty());
    Run better = a_run();
    better.cores = 3;
    store.describe(better);
    store.append(a_record());
    store.append(a_record());
    BOOST_CHECK_THROW(store.describe(better), std::logic_error);
    Record stranger = a_record();
    stranger.run = "another";
    BOOST_CHECK_THROW(store.append(stranger), std::logic_error);
  }
  Run expected = a_run();
  expected.cores = 3;
  const std::string line = to_json_line(a_record()) + "\n";
  BOOST_TEST(content(path) == to_json_line(expected) + "\n" + line + line);
}

BOOST_AUTO_TEST_CASE(what_need_not_be_measured_again) {
  const Folder folder;
  const fs::path path = folder.path / "x.jsonl";
  std::vector<std::string> keys;
  {
    Store store(path, a_run());
    for (const auto verdict : every_value<Verdict>()) {
      const auto number = static_cast<int>(verdict);
      Record record = timed("cuda", "v" + std::to_string(number), 1);
      record.verdict = verdict;
      keys.push_back(record.key());
      store.append(record);
    }
    // The last record of a key counts, and a failed point is tried again.
    Record failed_later = timed("cuda", "later", 1);
    store.append(failed_later);
    failed_later.verdict = Verdict::launch_failed;
    store.append(failed_later);
    // Only emulation needs no time.
    Record untimed = timed("cuda", "untimed", 1);
    untimed.seconds.clear();
    store.append(untimed);
    untimed.emulated = true;
    store.append(untimed);
    keys.push_back(untimed.key());
  }
  const std::set<std::string> expected{
      keys[static_cast<int>(Verdict::passed)],
      keys[static_cast<int>(Verdict::not_supported)],
      keys[static_cast<int>(Verdict::timed_out)], keys.back()};
  const auto done = [&](const Run& run) {
    std::set<std::string> found;
    const Store store(path, run);
    for (const auto& [key, record] : store.done())
      found.insert(key);
    return found;
  };
  BOOST_TEST(done(a_run("run-2")) == expected, per_element());
  BOOST_TEST(done(a_run("run-3", "another-machine")).empty());
}

// A time depends on more than its variant's source.
BOOST_AUTO_TEST_CASE(other_conditions_are_measured_again) {
  const Folder folder;
  const fs::path path = folder.path / "x.jsonl";
  Run then = a_run();
  then.flags = "g++ -O3; nvcc -O3";
  Record on_host = timed("serial", "plain", 1),
         on_gpu = timed("cuda", "naive", 1);
  on_gpu.gpu = "GPU-1";
  {
    Store store(path, then);
    store.append(on_host);
    store.append(on_gpu);
  }
  // "host gpu": the ones that need not be measured again.
  const auto kept = [&](const std::function<void(Run&)>& change) {
    Run now = then;
    now.id = "run-2";
    change(now);
    const auto done = Store(path, now).done();
    return std::string(done.count(on_host.key()) != 0 ? "host" : "") +
           (done.count(on_gpu.key()) != 0 ? " gpu" : "");
  };
  BOOST_TEST(kept([](Run&) {}) == "host gpu");
  BOOST_TEST(kept([](Run& run) { run.commit = "other"; }) == "host gpu");
  BOOST_TEST(
      kept([](Run& run) { run.host_id = "another of the kind"; }).empty());
  BOOST_TEST(kept([](Run& run) { run.host_id.clear(); }).empty());
  // for virtual machines made from one image
  BOOST_TEST(kept([](Run& run) { run.gpus = {GpuFacts{.uuid = "GPU-2"}}; }) ==
             " gpu");
  BOOST_TEST(kept([](Run& run) { run.gpus.clear(); }) == "host gpu");
  BOOST_TEST(kept([](Run& run) { run.compiler = "GCC 13"; }).empty());
  BOOST_TEST(kept([](Run& run) { run.driver = "590"; }) == "host");
  BOOST_TEST(kept([](Run& run) { run.cuda = "13.1"; }) == "host");
  BOOST_TEST(kept([](Run& run) { run.flags = "g++ -O3; nvcc -O2"; }) == "host");
  BOOST_TEST(kept([](Run& run) { run.flags = "g++ -O2; nvcc -O3"; }) == " gpu");
}

// Older runs do not name their host.
BOOST_AUTO_TEST_CASE(records_of_an_unknown_host_are_read_but_not_resumed) {
  const Folder folder;
  const fs::path path = folder.path / "x.jsonl";
  Run old = a_run();
  old.host_id.clear();
  old.gpus.clear();
  const Record serial = timed("serial", "plain", 2),
               naive = timed("cuda", "naive", 1);
  {
    Store store(path, old);
    store.append(serial);
    store.append(naive);
  }
  const auto loaded = load_records(path);
  BOOST_REQUIRE_EQUAL(loaded.records.size(), 2U);
  BOOST_TEST(baseline_of(loaded.records, loaded.records[1]) ==
             &loaded.records[0]);
  BOOST_TEST(Store(path, a_run("run-2")).done().empty());
}

BOOST_AUTO_TEST_CASE(no_speedup_over_another_host) {
  Record serial = timed("serial", "plain", 2),
         naive = timed("cuda", "naive", 1);
  serial.machine = naive.machine = "nvidia-h200";
  serial.host_id = naive.host_id = "one";
  BOOST_TEST(speedup(naive, serial).has_value());
  for (const std::string other : {"another", ""}) {
    serial.host_id = other;
    BOOST_TEST(!speedup(naive, serial).has_value());
    BOOST_TEST(baseline_of({serial, naive}, naive) == nullptr);
  }
}

BOOST_AUTO_TEST_CASE(what_lacked_a_library_is_tried_again_when_it_is_there) {
  const Folder folder;
  const fs::path path = folder.path / "x.jsonl";
  Record lacks = timed("blas", "lacks", 1), had = timed("blas", "had", 1);
  for (auto* record : {&lacks, &had}) {
    record->verdict = Verdict::not_supported;
    record->seconds.clear();
  }
  lacks.library = "libno-such-library.so.1";
  had.library = "libc.so.6";
  {
    Store store(path, a_run());
    store.append(lacks);
    store.append(had);
  }
  const auto done = Store(path, a_run("run-2")).done();
  BOOST_TEST(done.count(lacks.key()) == 1U);
  BOOST_TEST(done.count(had.key()) == 0U);
}

// Two hosts with equal GPUs have separate folders.
BOOST_AUTO_TEST_CASE(machines_of_one_kind_have_names_of_their_own) {
  const Folder folder;
  const auto make = [&](const std::string& name, const std::string& host) {
    Run run = a_run("run-of-" + host, name);
    run.host_id = host;
    Record record = timed("serial", "plain", 1);
    record.run = run.id;
    Store(folder.path / name / "x.jsonl", run).append(record);
  };
  const auto name = [&](const std::string& host) {
    return machine_name("nvidia-h200", host, folder.path);
  };
  BOOST_TEST(name("one") == "nvidia-h200");
  make("nvidia-h200", "one");
  BOOST_TEST(name("one") == "nvidia-h200");
  BOOST_TEST(name("two") == "nvidia-h200-2");
  make("nvidia-h200-2", "two");
  BOOST_TEST(name("two") == "nvidia-h200-2");
  BOOST_TEST(name("three") == "nvidia-h200-3");
  // its run does not name its host, so it may be any
  make("nvidia-h200-3", "");
  BOOST_TEST(name("three") == "nvidia-h200-4");
  BOOST_TEST(machine_name("nvidia-h100", "one", folder.path) == "nvidia-h100");
}

BOOST_AUTO_TEST_CASE(a_torn_last_line_is_ended_and_skipped) {
  const Folder folder;
  const fs::path path = folder.path / "x.jsonl";
  const std::string record = to_json_line(a_record());
  append_text(path, to_json_line(a_run()) + "\n" + record + "\n" +
                        record.substr(0, 100));
  {
    Store store(path, a_run("run-2"));
    BOOST_REQUIRE(store.warnings().size() == 1u);
    BOOST_TEST(contains(store.warnings()[0], ":3: torn line"));
    Record next = a_record();
    next.run = "run-2";
    store.append(next);
  }
  const Loaded loaded = load_records(path);
  BOOST_TEST(loaded.records.size() == 2u);
  BOOST_TEST(loaded.records.back().run == "run-2");
  BOOST_TEST(loaded.warnings.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_whole_last_line_without_its_newline_is_kept) {
  const Folder folder;
  const fs::path path = folder.path / "x.jsonl";
  append_text(path, to_json_line(a_run()) + "\n" + to_json_line(a_record()));
  Store(path, a_run("run-2"));
  BOOST_TEST(content(path).back() == '\n');
  BOOST_TEST(load_records(path).records.size() == 1u);
}

BOOST_AUTO_TEST_CASE(one_writer_at_a_time) {
  const Folder folder;
  const fs::path path = folder.path / "x.jsonl";
  {
    const Store first(path, a_run());
    BOOST_CHECK_EXCEPTION(Store(path, a_run("run-2")), UsageError,
                          [&](const UsageError& error) {
                            return contains(error.what(), path.string()) &&
                                   contains(error.what(), "another process");
                          });
  }
  BOOST_CHECK_NO_THROW(Store(path, a_run("run-2")));
}

BOOST_AUTO_TEST_CASE(paths_that_cannot_be_written) {
  const Folder folder;
  append_text(folder.path / "file", "");
  BOOST_CHECK_THROW(Store(folder.path, a_run()), UsageError);
  BOOST_CHECK_THROW(Store(folder.path / "file" / "x.jsonl", a_run()),
                    UsageError);
  BOOST_CHECK_THROW(Store("/proc/parlab/x.jsonl", a_run()), UsageError);
}

// Appends as fast as it can, and writes a byte to `progress` after each record.
[[noreturn]] void append_until_killed(const fs::path& path,
                                      const std::string& id, int progress) {
  try {
    Store store(path, a_run(id));
    Record record = a_record();
    record.run = id;
    record.seconds.assign(2000, 1.2345678e-3);  // long enough to be torn
    record.batches.clear();
    for (;;) {
      store.append(record);
      if (write(progress, "x", 1) != 1) break;
    }
  } catch (...) {
  }
  _exit(1);
}

// A child is killed at a random moment, again and again.
BOOST_AUTO_TEST_CASE(a_kill_while_appending_loses_one_line_at_most) {
  const Folder folder;
  const fs::path path = folder.path / "x.jsonl";
  std::minstd_rand random(1);
  std::size_t before = 0;
  for (int round = 0; round < 12; ++round) {
    const std::string id = "run-" + std::to_string(round);
    int progress[2];
    BOOST_REQUIRE(pipe(progress) == 0);
    const pid_t child = fork();
    if (child == 0) append_until_killed(path, id, progress[1]);
    close(progress[1]);
    char byte = 0;
    // at least one record is on disk
    BOOST_REQUIRE(read(progress[0], &byte, 1) == 1);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 8000));
    kill(child, SIGKILL);
    int status = 0;
    BOOST_REQUIRE(waitpid(child, &status, 0) == child);
    BOOST_TEST(WIFSIGNALED(status));
    std::size_t reported = 1;
    while (read(progress[0], &byte, 1) == 1)
      ++reported;
    close(progress[0]);

    // All records reported as written are there, and at most one line per round
    // is torn.
    const Loaded loaded = load_records(path);
    BOOST_TEST(loaded.records.size() >= before + reported);
    BOOST_TEST(loaded.records.size() <= before + reported + 1);
    BOOST_TEST(loaded.warnings.size() <= static_cast<std::size_t>(round) + 1);
    before = loaded.records.size();
  }
}

// The file may not grow beyond a limit: as on a full disk, write(2) cuts the
// line, then fails.
BOOST_AUTO_TEST_CASE(a_full_disk_leaves_no_half_line) {
  const Folder folder;
  const fs::path path = folder.path / "x.jsonl";
  Store store(path, a_run());
  store.append(a_record());
  const std::string good = content(path);

  rlimit old_limit{};
  BOOST_REQUIRE(getrlimit(RLIMIT_FSIZE, &old_limit) == 0);
  const auto old_handler = signal(SIGXFSZ, SIG_IGN);
  rlimit limit = old_limit;
  limit.rlim_cur = good.size() + 50;
  BOOST_REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  std::string said;
  int code = 0;
  try {
    store.append(a_record());
  } catch (const std::system_error& error) {
    said = error.what();
    code = error.code().value();
  }
  setrlimit(RLIMIT_FSIZE, &old_limit);
  signal(SIGXFSZ, old_handler);

  BOOST_TEST(code == EFBIG);
  BOOST_TEST(contains(said, path.string()));
  BOOST_TEST(contains(said, "make room"));
  BOOST_TEST(content(path) == good);
  // With room again, the same store continues.
  store.append(a_record());
  const Loaded loaded = load_records(path);
  BOOST_TEST(loaded.records.size() == 2u);
  BOOST_TEST(loaded.warnings.empty());
}

BOOST_AUTO_TEST_CASE(a_file_that_vanished_is_named) {
  const Folder folder;
  const auto path = folder.path / "x.jsonl";
  const auto says = [&](const std::runtime_error& error) {
    return contains(error.what(), path.string()) &&
           contains(error.what(), "deleted or replaced");
  };
  Store store(path, a_run());
  store.append(a_record());
  fs::rename(path, folder.path / "y.jsonl");
  BOOST_CHECK_EXCEPTION(store.append(a_record()), std::runtime_error, says);
  append_text(path, "somebody else's\n");
  BOOST_CHECK_EXCEPTION(store.append(a_record()), std::runtime_error, says);
  BOOST_TEST(content(path) == "somebody else's\n");
  fs::rename(folder.path / "y.jsonl", path);
  store.append(a_record());
  BOOST_TEST(load_records(path).records.size() == 2u);
}

BOOST_AUTO_TEST_CASE(devices_and_pipes_are_refused_at_once) {
  const Folder folder;
  const auto pipe = folder.path / "pipe.jsonl";
  BOOST_REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  for (const fs::path& path :
       {fs::path("/dev/null"), fs::path("/dev/full"), pipe}) {
    BOOST_CHECK_THROW(Store(path, a_run()), UsageError);
    BOOST_CHECK_THROW(load_records(path), UsageError);
  }
  // In a folder that is read, the pipe is named and skipped.
  const auto loaded = load_records(folder.path);
  BOOST_REQUIRE(loaded.warnings.size() == 1u);
  BOOST_TEST(loaded.warnings[0] ==
             pipe.string() + ": no regular file, skipped");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(speedups)

const auto near = boost::test_tools::tolerance(1e-13);

BOOST_AUTO_TEST_CASE(kernel_only) {
  const Record baseline = timed("serial", "plain", 1.0),
               fast = timed("cuda", "a", 0.25);
  const auto ratio = speedup(fast, baseline);
  BOOST_REQUIRE(ratio.has_value());
  BOOST_TEST(ratio->value == 4.0, near);
  BOOST_TEST(ratio->interval.low < 4);
  BOOST_TEST(ratio->interval.low > 3.9);
  BOOST_TEST(ratio->interval.high > 4);
  BOOST_TEST(ratio->interval.high < 4.1);
}

// A variant whose time includes the copies is not compared with a kernel whose
// data is in place.
BOOST_AUTO_TEST_CASE(from_host_memory_and_back) {
  const Record baseline = timed("serial", "plain", 1.0);
  Record fast = timed("cuda", "a", 0.25), overlapped = timed("cuda", "b", 0.5);
  overlapped.from_host = true;
  fast.to_device_s = 0.2;
  fast.to_host_s = 0.05;
  BOOST_TEST(!speedup(overlapped, baseline).has_value());
  BOOST_TEST(!speedup(fast, overlapped).has_value());
  BOOST_TEST(
      speedup(overlapped, baseline, Copies::pageable).value().value == 2.0,
      near);
  BOOST_TEST(speedup(fast, overlapped, Copies::pageable).value().value == 1.0,
             near);
  Record slow = overlapped;
  for (auto& second : slow.seconds)
    second *= 2;
  BOOST_TEST(speedup(overlapped, slow).value().value == 2.0, near);
}

BOOST_AUTO_TEST_CASE(with_transfers_of_pinned_memory) {
  const Record baseline = timed("serial", "plain", 1.0);
  Record fast = timed("cuda", "a", 0.25);
  fast.to_device_s = 0.7;
  fast.to_host_s = 0.05;
  BOOST_TEST(!speedup(fast, baseline, Copies::pinned).has_value());
  fast.to_device_pinned_s = 0.2;
  fast.to_host_pinned_s = 0.05;
  BOOST_TEST(speedup(fast, baseline, Copies::pinned).value().value == 2.0,
             near);
  BOOST_TEST(speedup(fast, baseline, Copies::pageable).value().value == 1.0,
             near);
}

BOOST_AUTO_TEST_CASE(with_transfers) {
  const Record baseline = timed("serial", "plain", 1.0);
  Record fast = timed("cuda", "a", 0.25);
  // they were not measured
  BOOST_TEST(!speedup(fast, baseline, Copies::pageable).has_value());
  fast.to_device_s = 0.2;
  fast.to_host_s = 0.05;
  const auto ratio = speedup(fast, baseline, Copies::pageable);
  BOOST_REQUIRE(ratio.has_value());
  BOOST_TEST(ratio->value == 2.0, near);
  // The transfers are exact, so the ratio is known better than that of the
  // kernels alone.
  const auto alone = speedup(fast, baseline)->interval, both = ratio->interval;
  BOOST_TEST(both.low < 2);
  BOOST_TEST(2 < both.high);
  BOOST_TEST(both.high / both.low < alone.high / alone.low);
  // the baseline's spread
  BOOST_TEST(both.high / both.low > std::sqrt(alone.high / alone.low));
  // The kernel alone is as fast as before; the CPU has no transfers.
  BOOST_TEST(speedup(fast, baseline)->value == 4.0, near);
  BOOST_TEST(
      speedup(timed("openmp", "x", 0.5), baseline, Copies::pageable)->value ==
          2.0,
      near);
}

BOOST_AUTO_TEST_CASE(ties) {
  const Record a = timed("cuda", "a", 1.0), b = timed("cuda", "b", 1.001),
               c = timed("cuda", "c", 1.1);
  BOOST_TEST(tied(*speedup(b, a)));
  BOOST_TEST(tied(*speedup(a, a)));
  BOOST_TEST(below(*speedup(c, a), 1));
  // On a machine whose runs differ by 5 %, a difference of 10 % is not
  // significant.
  Record slow = c, fast = a;
  slow.between_runs.share = fast.between_runs.share = 0.05;
  BOOST_TEST(tied(*speedup(slow, fast)));
}

BOOST_AUTO_TEST_CASE(no_speedup_without_a_time_or_of_another_size) {
  const Record baseline = timed("serial", "plain", 1.0),
               fast = timed("cuda", "a", 0.25);
  Record other = fast;
  other.verdict = Verdict::wrong_result;
  BOOST_TEST(!speedup(other, baseline).has_value());
  other = fast;
  other.seconds.clear();
  BOOST_TEST(!speedup(other, baseline).has_value());
  other = fast;
  other.size = {64, 65};
  BOOST_TEST(!speedup(other, baseline).has_value());
  other = fast;
  other.seconds.assign(10, 0.0);
  BOOST_TEST(!speedup(other, baseline).has_value());
}

BOOST_AUTO_TEST_CASE(two_samples_give_a_speedup_without_an_interval) {
  const Record baseline = timed("serial", "plain", 1.0);
  Record fast = timed("cuda", "a", 0.25);
  fast.seconds = {0.25, 0.25};
  const auto ratio = speedup(fast, baseline);
  BOOST_REQUIRE(ratio.has_value());
  BOOST_TEST(ratio->value == 4.0, near);
  BOOST_TEST(std::isinf(ratio->interval.high));
}

BOOST_AUTO_TEST_CASE(
    the_baseline_is_plain_serial_code_of_the_same_point_and_machine) {
  Record elsewhere = timed("serial", "plain", 9);
  elsewhere.machine = "other";
  Record larger = timed("serial", "plain", 9);
  larger.size = {128, 128};
  Record wrong = timed("serial", "plain", 9);
  wrong.verdict = Verdict::wrong_result;
  const Record blocked = timed("serial", "blocked", 2),
               plain = timed("serial", "plain", 3),
               tuned = timed("serial", "tuned", 1),
               again = timed("serial", "plain", 4);
  Record fast = timed("cuda", "a", 0.25);
  fast.machine = "here";
  const auto chosen = [&](const std::vector<Record>& records) {
    const Record* found = baseline_of(records, fast);
    return found == nullptr ? 0.0 : found->summary().median;
  };
  BOOST_TEST(chosen({elsewhere, larger, wrong, fast}) == 0);
  BOOST_TEST(chosen({elsewhere, blocked, tuned, fast}) == 2.0, near);
  BOOST_TEST(chosen({blocked, plain, tuned}) == 3.0, near);
  BOOST_TEST(chosen({plain, blocked, again, wrong}) == 4.0, near);
}

// plain was measured on another host of the same name, here only another
// variant: a speedup over that must not appear beside those over plain.
BOOST_AUTO_TEST_CASE(nothing_stands_in_for_plain_that_another_host_measured) {
  Record plain = timed("serial", "plain", 3),
         blocked = timed("serial", "blocked", 2),
         rows = timed("openmp", "rows", 1), kernel = timed("cuda", "a", 0.25);
  for (auto* record : {&plain, &blocked, &rows, &kernel}) {
    record->machine = "here";
    record->gpus_of_host = "GPU-1";
  }
  const std::vector<Record> one_host{blocked, plain};
  BOOST_TEST(baseline_of(one_host, rows) == &one_host[1]);
  // Hosts made from one image are distinguished by their GPUs.
  plain.gpus_of_host = "GPU-2";
  const std::vector<Record> two_hosts{blocked, plain}, alone{blocked};
  BOOST_TEST(baseline_of(two_hosts, rows) == nullptr);
  BOOST_TEST(baseline_of(two_hosts, kernel) == &two_hosts[1]);
  BOOST_TEST(baseline_of(alone, rows) == &alone[0]);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(csv)

std::string csv_of(const Loaded& loaded) {
  std::ostringstream out;
  write_csv(out, loaded);
  return out.str();
}

// Records of one run whose numbers are easy to follow, and their CSV.
struct Exported {
  using List = std::vector<std::string>;

  Exported() {
    Loaded loaded;
    loaded.runs["run-1"] = a_run();
    const Record serial = timed("serial", "plain", 1.0), fast = kernel();
    loaded.records = {fast, serial, fast, threads(), wrong(), sum()};
    text = csv_of(loaded);
  }

  static Record kernel() {
    Record record = timed("cuda", "a", 0.25);
    record.tunables = {{"block", 128}};
    record.flops = 1e9;
    record.bytes = 5e8;
    record.roof_s = 0.2;
    record.to_device_s = 0.2;
    record.to_host_s = 0.05;
    record.launch = a_record().launch;
    record.energy = Energy{{40, 41, 39, 40}, 0.2, 75, "NVML"};
    record.flags = {"one", "two"};
    record.counters = {{"dram_bytes", 6e8}};
    return record;
  }
  static Record threads() {
    Record record = timed("openmp", "x", 0.5);
    record.tunables = {{"threads", 4}};
    record.seconds = {0.5};
    record.energy = Energy{.absent = other("no meter")};
    return record;
  }
  static Record wrong() {
    Record record = timed("cuda", "b", 0.1);
    record.verdict = Verdict::wrong_result;
    record.tunables.clear();
    return record;
  }
  static Record sum() {
    Record record = timed("serial", "plain", 1);
    record.workload = "vector_sum";
    record.dimensions = {"n"};
    record.size = {77};
    return record;
  }

  void expect(const std::string& name, const List& cells) const {
    BOOST_TEST_CONTEXT(name) {
      BOOST_TEST(column(text, name) == cells, per_element());
    }
  }

  std::string text;
};

BOOST_FIXTURE_TEST_CASE(one_row_for_the_last_record_of_each_key, Exported) {
  BOOST_TEST(
      text.rfind(
          "run,workload,backend,variant,rows,cols,n,block,threads,dtype,unit,"
          "arithmetic,tunables,cache,inputs,verdict",
          0) == 0u);
  expect("workload", {"dmv", "dmv", "dmv", "dmv", "vector_sum"});
  expect("variant", {"plain", "a", "x", "b", "plain"});
  expect("rows", {"64", "64", "64", "64", ""});
  expect("n", {"", "", "", "", "77"});
  expect("block", {"", "128", "", "", ""});
  expect("threads", {"", "", "4", "", ""});
  expect("tunables", {"", "block=128", "threads=4", "", ""});
  expect("verdict", {"passed", "passed", "passed", "wrong_result", "passed"});
  expect("flags", {"", "one two", "", "", ""});
  expect("commit", List(5, "0123456789ab+changes"));
  expect("gpu", List(5, "NVIDIA H200"));
  expect("machine", List(5, "nvidia-h200"));
}

BOOST_FIXTURE_TEST_CASE(times_rates_and_speedups, Exported) {
  expect("median_s", {"1", "0.25", "0.5", "", "1"});
  expect("min_s", {"0.995", "0.24875", "0.5", "", "0.995"});
  expect("samples", {"21", "21", "1", "", "21"});
  expect("gflops", {"0", "4", "0", "", "0"});
  expect("intensity", {"", "2", "", "", ""});
  expect("gbytes_per_s", {"0", "2", "0", "", "0"});
  expect("roof_percent", {"", "80", "", "", ""});
  expect("speedup", {"1", "4", "2", "", "1"});
  expect("speedup_transfers", {"1", "2", "2", "", "1"});
  expect("to_device_s", {"", "0.2", "", "", ""});
}

BOOST_FIXTURE_TEST_CASE(energy_and_why_there_is_none, Exported) {
  expect("energy_j", {"", "40", "", "", ""});
  expect("gflops_per_j", {"", "0.025", "", "", ""});
  expect("power_w", {"", "200", "", "", ""});
  expect("idle_w", {"", "75", "", "", ""});
  expect("energy_source", {"", "NVML", "", "", ""});
  expect("energy_absent", {"", "", "no meter", "", ""});
  BOOST_TEST(std::stod(column(text, "energy_low_j")[1]) < 40);
  BOOST_TEST(std::stod(column(text, "energy_high_j")[1]) > 40);
}

BOOST_FIXTURE_TEST_CASE(launches_and_counters, Exported) {
  expect("grid_x", {"", "32", "", "", ""});
  expect("block_x", {"", "128", "", "", ""});
  expect("registers", {"", "40", "", "", ""});
  expect("occupancy", {"", "0.75", "", "", ""});
  expect("limited_by", {"", "registers", "", "", ""});
  expect("dram_bytes", {"", "600000000", "", "", ""});
}

// One sample gives no interval: its ends are unknown, not 0 or infinite.
BOOST_FIXTURE_TEST_CASE(what_is_unknown_is_empty, Exported) {
  BOOST_TEST(column(text, "low_s")[2] == "");
  BOOST_TEST(column(text, "high_s")[2] == "");
  BOOST_TEST(column(text, "speedup_low")[2] == "");
  BOOST_TEST(column(text, "low_s")[1] != "");
  BOOST_TEST(column(text, "speedup_transfers_high")[1] != "");
  for (const auto* never : {"nan", "inf"})
    BOOST_TEST(!contains(text, never));
}

BOOST_AUTO_TEST_CASE(quoting) {
  Loaded loaded;
  loaded.runs["run-1"] = a_run();
  loaded.runs["run-1"].cpu = "a \"b\", c\nd";
  loaded.records = {timed("serial", "plain", 1)};
  BOOST_TEST(contains(csv_of(loaded), ",\"a \"\"b\"\", c\nd\","));
}

BOOST_AUTO_TEST_CASE(two_columns_never_share_a_name) {
  Loaded loaded;
  Record record = timed("serial", "plain", 1);
  record.tunables = {{"rows", 3}, {"flags", 4}};
  record.counters = {{"registers", 5}};
  loaded.records = {record};
  const auto text = csv_of(loaded);
  BOOST_TEST(column(text, "rows")[0] == "64");
  BOOST_TEST(column(text, "tunable_rows")[0] == "3");
  BOOST_TEST(column(text, "tunable_flags")[0] == "4");
  BOOST_TEST(column(text, "counter_registers")[0] == "5");
}

BOOST_AUTO_TEST_CASE(no_records_give_a_header) {
  const auto text = csv_of({});
  BOOST_TEST(text.rfind("run,workload,", 0) == 0u);
  BOOST_TEST(text.find('\n') == text.size() - 1);
}

BOOST_AUTO_TEST_SUITE_END()
