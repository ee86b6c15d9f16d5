// Arguments, variables and record files that nobody would write: each is
// accepted, or refused in one line, and every command can use the rest of a
// damaged file.
//
// PARLAB_FUZZ_SECONDS: total time of both cases, by default 10.
// PARLAB_FUZZ_FIRST: the seed of the first trial; a failing trial prints its
// seed.
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>

#include "cli/record_filter.hpp"
#include "cli/run_request.hpp"
#include "core/name.hpp"
#include "folder.hpp"
#include "page/sections.hpp"
#include "record/json.hpp"
#include "record/packed.hpp"
#include "record/store.hpp"
#include "render/html.hpp"
#include "said.hpp"

namespace {

using namespace parlab;
using testing::Folder;
namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

unsigned long from_environment(const char* name, unsigned long fallback) {
  const char* const text = std::getenv(name);
  return text == nullptr ? fallback : std::strtoul(text, nullptr, 10);
}

class Chance {
 public:
  explicit Chance(unsigned long seed) : engine_(seed) {}
  std::size_t below(std::size_t count) { return engine_() % count; }
  bool one_in(std::size_t count) { return below(count) == 0; }
  template <typename T>
  const T& of(const std::vector<T>& values) {
    return values[below(values.size())];
  }

 private:
  std::mt19937_64 engine_;
};

const Lines& odd_words() {
  static const Lines words{"",
                           "0",
                           "-1",
                           "1",
                           "64",
                           "1K",
                           "0x10",
                           "1e308",
                           "1e-320",
                           "nan",
                           "-inf",
                           "9223372036854775807",
                           "9223372036854775808",
                           "99999999999999999999999",
                           "1:9223372036854775807:*2",
                           "1:64:0",
                           ",",
                           "1,,2",
                           ":",
                           "x",
                           "8x",
                           "8x8x8x8",
                           "best",
                           "all",
                           "dmv/cuda/naive",
                           "--",
                           "-",
                           "=",
                           "%s%n",
                           "$(x)",
                           "it's",
                           "\x1b[31m",
                           "\xff\xfe",
                           "\xc2\x9b",
                           std::string(3000, 'a'),
                           std::string(2000, '9'),
                           "../../etc/passwd",
                           "/dev/zero",
                           "/dev/full",
                           "."};
  return words;
}

// The text after one to four small changes.
std::string mutated(std::string text, Chance& chance) {
  for (auto times = 1 + chance.below(4); times > 0; --times) {
    const auto at = chance.below(text.size() + 1);
    const auto length = std::min(text.size() - at, 1 + chance.below(12));
    switch (chance.below(6)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, text.substr(at, length));
        break;
      case 2:
        if (at < text.size()) text[at] = static_cast<char>(chance.below(256));
        break;
      case 3:
        text.replace(at, length, chance.of(odd_words()));
        break;
      case 4:
        text.resize(at);
        break;
      default: {  // the next number becomes something else
        const auto first = text.find_first_of("0123456789", at);
        if (first == text.npos) break;
        const auto last = text.find_first_not_of("0123456789.e+-", first);
        text.replace(first, std::min(last, text.size()) - first,
                     chance.of(odd_words()));
      }
    }
  }
  return text;
}

Options all_options() {
  Options all = common_options();
  for (const auto* command : all_commands())
    all = all + command->options();
  return all;
}

Lines arguments(Chance& chance) {
  static const Lines subjects = [] {
    Lines all{"show",  "compare", "tune", "export",   "claims", "page",
              "index", "merge",   "pack", "database", "query",  "machine"};
    for (const auto* workload : Registry::instance().workloads()) {
      all.emplace_back(workload->name());
    }
    return all;
  }();
  static const auto options = all_options();
  Lines words{"parlab"};
  if (!chance.one_in(10)) words.push_back(chance.of(subjects));
  for (auto count = chance.below(6); count > 0; --count) {
    if (chance.one_in(2)) {
      words.push_back(chance.of(odd_words()));
      continue;
    }
    const auto& option = chance.of(options);
    words.push_back("--" + option.flag);
    if (!option.argument.empty() || chance.one_in(8))
      words.push_back(chance.of(odd_words()));
    if (chance.one_in(20)) words.back() = mutated(words.back(), chance);
  }
  // A program's argument ends at its first zero byte.
  for (auto& word : words)
    word = word.substr(0, word.find('\0'));
  return words;
}

Environment variables(Chance& chance) {
  static const auto options = all_options();
  Environment environment;
  for (auto count = chance.below(4); count > 0; --count) {
    const auto& option = chance.of(options);
    environment[option.variable] = chance.of(odd_words());
  }
  if (chance.one_in(10)) environment["PARLAB_SEED"] = chance.of(odd_words());
  return environment;
}

// Whether it is printed as all messages are: one line, without an escape
// sequence for the terminal.
bool is_one_line(const std::string& text) {
  const auto shown = printable(text);
  return !text.empty() && shown.find('\n') == shown.npos &&
         shown.find('\x1b') == shown.npos;
}

// Calls trial with one seed after another for half of the time. An exception is
// a failure.
void repeat(const char* what, const std::function<void(Chance&)>& trial) {
  using Clock = std::chrono::steady_clock;
  const auto end =
      Clock::now() + std::chrono::milliseconds(
                         500 * from_environment("PARLAB_FUZZ_SECONDS", 10));
  unsigned long seed =
      from_environment("PARLAB_FUZZ_FIRST", std::random_device{}());
  std::size_t trials = 0;
  for (; Clock::now() < end; ++seed, ++trials) {
    Chance chance(seed);
    try {
      trial(chance);
    } catch (const std::exception& error) {
      BOOST_ERROR(std::string(what) + ", PARLAB_FUZZ_FIRST=" +
                  std::to_string(seed) + ": " + error.what());
      return;
    }
  }
  BOOST_TEST(trials > 0);
  BOOST_TEST_MESSAGE(what << ": " << trials << " trials");
}

// Real records of the repository: from each file its run and some of its
// records.
const std::vector<Lines>& real_records() {
  static const std::vector<Lines> files = [] {
    std::vector<Lines> all;
    std::vector<std::string> ignored;
    for (const auto& file :
         record_files("results/nvidia-h200", Depth::folder, ignored)) {
      const auto in = open_lines(parts_of(file).front());
      Lines lines;
      for (std::string line; lines.size() < 6 && std::getline(*in, line);)
        lines.push_back(line);
      all.push_back(lines);
    }
    return all;
  }();
  return files;
}

void write_lines(const fs::path& path, const Lines& lines) {
  std::ofstream out(path, std::ios::binary);
  for (const auto& line : lines)
    out << line << '\n';
}

// Passes a record file to every command that reads one.
void use(const std::string& file, const std::string& other) {
  std::string out;
  const auto say = [&](const std::vector<std::string>& words) {
    out += testing::said_by(words).out;
  };
  try {
    for (const auto* format : {"table", "csv", "json", "explain", "record"})
      say({"show", file, "--format", format});
    say({"export", file});
    say({"claims", file});
    say({"compare", file, other});
  } catch (const UsageError& refused) {
    // no record is left, or they are from several machines
    if (!is_one_line(refused.what()))
      throw std::runtime_error("refused in more than one line");
  }
  if (out.find('\x1b') != std::string::npos)
    throw std::runtime_error("an escape sequence is printed");
}

BOOST_AUTO_TEST_SUITE(fuzz)

BOOST_AUTO_TEST_CASE(arguments_are_understood_or_refused_in_one_line) {
  repeat("arguments", [](Chance& chance) {
    const auto words = arguments(chance);
    try {
      const auto arguments = read_arguments(words, variables(chance));
      const auto& command = *arguments.command;
      if (command.name.empty() && !arguments.positional.empty())
        read_run(arguments);
      if (command.name == "tune") read_tuning(arguments);
      filter_of(arguments);
    } catch (const UsageError& refused) {
      if (!is_one_line(refused.what())) {
        throw std::runtime_error(
            std::string("refused in more than one line: ") + refused.what());
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(records_are_read_or_skipped) {
  const Folder folder;
  const auto file = folder.path / "here" / "cslab-dmv.jsonl",
             other = folder.path / "other.jsonl";
  fs::create_directory(folder.path / "here");
  BOOST_REQUIRE(!real_records().empty());
  repeat("records", [&](Chance& chance) {
    Lines lines = chance.of(real_records());
    write_lines(other, lines);
    for (auto times = 1 + chance.below(6); times > 0; --times) {
      auto& line = lines[chance.below(lines.size())];
      line = mutated(line, chance);
    }
    if (chance.one_in(4)) lines.erase(lines.begin());
    write_lines(file, lines);
    const auto loaded = load_records(file);
    for (const auto& warning : loaded.warnings) {
      if (!is_one_line(warning))
        throw std::runtime_error("a warning of several lines: " + warning);
    }
    // Values that were read do not change when they are written and read again.
    for (const auto& record : loaded.records) {
      const auto line = to_json_line(record);
      if (to_json_line(std::get<Record>(from_json_line(line))) != line) {
        throw std::runtime_error("changes when it is written: " + line);
      }
    }
    // Most mistakes show when a file is read; running all commands on each
    // would take many times as long.
    if (loaded.records.empty() || !chance.one_in(12)) return;
    use(file.string(), other.string());
    if (chance.one_in(6))
      html(page::machine_page(page::load_machine(folder.path / "here"),
                              folder.path));
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
