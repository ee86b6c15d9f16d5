// Options, variables and sizes: how each is understood, and in which words it
// is refused.
#include <boost/test/unit_test.hpp>
#include <sstream>

#include "cli/command.hpp"
#include "cli/lists.hpp"
#include "cli/run_request.hpp"
#include "commands/emulate.hpp"
#include "core/text.hpp"
#include "fake_workload.hpp"
#include "machine/memory.hpp"
#include "text.hpp"
#include "verify/problem.hpp"

using namespace parlab;
using boost::test_tools::per_element;
using testing::contains;
using testing::message_of;
using Words = std::vector<std::string>;
using Numbers = std::vector<std::int64_t>;

namespace {

struct Fixture {
  Fixture() { register_fake_workloads(); }
};

Arguments read_as(const std::string& program, Words words,
                  const Environment& environment = {}) {
  words.insert(words.begin(), program);
  return read_arguments(words, environment);
}

RunRequest parse_as(const std::string& program, const Words& words,
                    const Environment& environment = {}) {
  return read_run(read_as(program, words, environment));
}

RunRequest parse(const Words& words, const Environment& environment = {}) {
  return parse_as("bin/fake", words, environment);
}

Words names(const Plan& plan) {
  Words result;
  for (const auto* variant : plan.variants) {
    result.push_back(variant->backend + "/" + variant->name);
  }
  return result;
}

Words sizes(const Plan& plan) {
  Words result;
  for (const auto& size : plan.sizes)
    result.push_back(to_string(size));
  return result;
}

// The message that refuses a request; "" if it is accepted.
std::string error_of(const Words& arguments,
                     const Environment& environment = {}) {
  return message_of<UsageError>([&] { parse(arguments, environment); });
}

std::string printed(void (*print)(std::ostream&, const Arguments&),
                    const Arguments& arguments) {
  std::ostringstream out;
  print(out, arguments);
  return out.str();
}

}  // namespace

#define CHECK_WORDS(found, ...)                      \
  do {                                               \
    const Words all = found, expected = __VA_ARGS__; \
    BOOST_TEST(all == expected, per_element());      \
  } while (false)
#define CHECK_NAMES(plan, ...) CHECK_WORDS(names(plan), __VA_ARGS__)

BOOST_FIXTURE_TEST_SUITE(options, Fixture)

BOOST_AUTO_TEST_CASE(
    a_variant_that_begins_in_host_memory_runs_only_when_named) {
  const auto chosen = [](const Words& arguments) {
    const auto all = names(parse_as("bin/dmv", arguments).plan);
    return std::count(all.begin(), all.end(), "cuda/from_host");
  };
  BOOST_TEST(chosen({"64"}) == 0);
  BOOST_TEST(chosen({"64", "--backend", "cuda"}) == 0);
  BOOST_TEST(chosen({"64", "--gpus", "2"}) == 0);
  BOOST_TEST(chosen({"64", "--variant", "from_host"}) == 1);
  BOOST_TEST(chosen({"64", "--kernel", "from_host"}) == 1);
}

BOOST_AUTO_TEST_CASE(lists_and_ranges) {
  const auto list = [](const std::string& text) {
    return parse_list("--block", text, 1, 1024);
  };
  BOOST_TEST(list("16") == (Numbers{16}), per_element());
  BOOST_TEST(list("16,32,16,8") == (Numbers{16, 32, 8}), per_element());
  BOOST_TEST(list("16:64:16") == (Numbers{16, 32, 48, 64}), per_element());
  BOOST_TEST(list("16:60:16") == (Numbers{16, 32, 48}), per_element());
  BOOST_TEST(list("16:512:*2") == (Numbers{16, 32, 64, 128, 256, 512}),
             per_element());
  BOOST_TEST(list("16:500:*3") == (Numbers{16, 48, 144, 432}), per_element());
  BOOST_TEST(list("1:4") == (Numbers{1, 2, 3, 4}), per_element());
  BOOST_TEST(list("7:7:5") == (Numbers{7}), per_element());
  BOOST_TEST(list("1,4:16:4") == (Numbers{1, 4, 8, 12, 16}), per_element());
  BOOST_TEST(list("1K") == (Numbers{1024}), per_element());
  BOOST_TEST(list("16:512:16").size() == 32u);
  const auto large = parse_list(
      "size", "4611686018427387904:9223372036854775807:*2", 1, INT64_MAX);
  BOOST_TEST(large == (Numbers{4611686018427387904}), per_element());
  BOOST_TEST(parse_list("size", "2M", 1, INT64_MAX) == (Numbers{2097152}),
             per_element());
}

BOOST_AUTO_TEST_CASE(sizes_by_what_the_arrays_hold) {
  const auto of = [](const std::string& program, const std::string& text) {
    return sizes(parse_as(program, {text}).plan);
  };
  CHECK_WORDS(of("bin/dmv", "64MiB"), {"4096x4096"});
  CHECK_WORDS(of("bin/vector_sum", "1KiB:1MiB:*32"), {"256", "8192", "262144"});
  CHECK_WORDS(of("bin/vector_sum", "1MiB+3"), {"262147"});
  CHECK_WORDS(of("bin/matmul", "3MiB"), {"512x512x512"});
  CHECK_WORDS(of("bin/dmv", "1KiB,100"), {"15x15", "100x100"});
  CHECK_WORDS(of("bin/conv2d", "2GiB+1"), {"16385x16385"});
  for (const auto* text : {"0MiB", "MiB", "4MiB+", "4MiB-1", "2MiBx3",
                           "9999999G", "4MiB:1MiB", "4MiB+1+1"}) {
    BOOST_TEST(contains(error_of({text}), "size "), text);
  }
  BOOST_TEST(contains(error_of({"64MB"}), "size 64MB: bytes are KiB"));
  BOOST_TEST(contains(error_of({"4MiB+"}), "size 4MiB+:"));
  BOOST_TEST(contains(error_of({"4MiB+1:3"}), "size 4MiB+1:3: add one"));
}

BOOST_AUTO_TEST_CASE(devices) {
  using Devices = std::vector<int>;
  BOOST_TEST(parse({"64"}).plan.devices == (Devices{0}), per_element());
  BOOST_TEST(parse({"64", "--device", "1"}).plan.devices == (Devices{1}),
             per_element());
  BOOST_TEST(
      parse({"64", "--device", "0,2:3"}).plan.devices == (Devices{0, 2, 3}),
      per_element());
  BOOST_TEST(parse({"64", "--device", "all"}).plan.devices.empty());
  for (const auto* text : {"first", "-1", "1,", "all,1", "1024"}) {
    BOOST_TEST(contains(error_of({"64", "--device", text}), "--device "), text);
  }
}

BOOST_AUTO_TEST_CASE(the_name_of_the_machine) {
  BOOST_TEST(parse({"64", "--machine", "my-host_2.old"}).plan.machine ==
             "my-host_2.old");
  for (const auto* text : {"a/b", "..", "a b", "$(x)", "caf\xc3\xa9"}) {
    BOOST_TEST(contains(error_of({"64", "--machine", text}), "--machine"),
               text);
  }
}

BOOST_AUTO_TEST_CASE(refused_lists) {
  const std::pair<const char*, const char*> cases[] = {
      {"abc", "'abc' is not a whole number"},
      {"", "a number is missing"},
      {"16,", "a number is missing"},
      {"1.5", "'1.5' is not a whole number ("},
      {"1e6", "'1e6' is not a whole number; write 1000000 ("},
      {"4Ki", "'4Ki' is not a whole number; write 4K ("},
      {"1,024", "'024' begins with 0"},
      {"16 ", "'16 ' is not a whole number"},
      {"0x10", "'0x10' is not a whole number"},
      {"12KB", "'12KB' is not a whole number"},
      {"-16", "'-16' is negative"},
      {"0", "'0' is too small"},
      {"1025", "'1025' is too large"},
      {"2K", "'2K' is too large"},
      {"99999999999999999999", "is too large"},
      {"9223372036854775807K", "is too large"},
      {"512:16:16", "the range '512:16:16' is reversed"},
      {"16:512:0", "a step is 1 or more"},
      {"16:512:-16", "a step is 1 or more"},
      {"16:512:*1", "a factor is 2 or more"},
      {"16:512:*", "a number is missing"},
      {"1:2:3:4", "'1:2:3:4' is no range"},
      {":", "a number is missing"},
      {"16:2000:16", "'2000' is too large"}};
  for (const auto& [text, why] : cases) {
    const auto message = error_of({"64", "--block", text});
    BOOST_TEST_CONTEXT("--block " << text << " -> " << message) {
      BOOST_TEST(contains(message, why));
      BOOST_TEST(contains(message, "--block "));
      BOOST_TEST(contains(message, "allowed: 1 to 1024"));
      BOOST_TEST(message.find('\n') == std::string::npos);
    }
  }
  BOOST_CHECK_THROW(parse_list("size", "1:9223372036854775807", 1, INT64_MAX),
                    UsageError);
  // A variable and its value are named as the user wrote them.
  BOOST_TEST(error_of({"64"}, {{"GPU_BLOCK_SIZE", "2000"}}) ==
             "GPU_BLOCK_SIZE=2000: '2000' is too large (allowed: 1 to 1024, a "
             "list 16,32 or a "
             "range 16:512:16)");
}

BOOST_AUTO_TEST_CASE(sizes_as_typed) {
  CHECK_WORDS(sizes(parse({"1024", "2048"}).plan), {"1024x1024", "2048x2048"});
  CHECK_WORDS(sizes(parse({"300x1000"}).plan), {"300x1000"});
  CHECK_WORDS(sizes(parse({"1K:4K:*2,1Kx3"}).plan),
              {"1024x1024", "2048x2048", "4096x4096", "1024x3"});
  CHECK_WORDS(sizes(parse({"64", "64"}).plan), {"64x64"});
}

BOOST_AUTO_TEST_CASE(refused_sizes) {
  for (const auto* text :
       {"0", "-5", "x", "3x", "3x0", "2x2x2", "3x1:4", "abc", "64:32"}) {
    BOOST_TEST(contains(error_of({text}), "size "), text);
  }
  BOOST_TEST(contains(error_of({"-5"}), "'-5' is negative"));
  BOOST_TEST(contains(error_of({"0x10"}), "'0' is too small: write a decimal"));
  BOOST_TEST(contains(error_of({"3037000500"}), "more than 2^63 bytes"));
  BOOST_TEST(
      contains(error_of({"9223372036854775807x9223372036854775807"}), "2^63"));
  BOOST_TEST(contains(error_of({"9223372036854775808"}), "too large"));
}

BOOST_AUTO_TEST_CASE(defaults) {
  const auto request = parse({"64"});
  const Plan& plan = request.plan;
  BOOST_TEST(request.format == "table");
  BOOST_TEST(request.warnings.empty());
  CHECK_NAMES(plan, {"serial/plain", "openmp/rows", "openmp/second",
                     "blas/gemv", "cuda/naive", "cuda/coalesced", "cuda/warp",
                     "blas/library", "cuda/tiled"});
  BOOST_TEST((plan.dtypes == std::vector{Dtype::f32}));
  BOOST_TEST((plan.caches == std::vector{Cache::hot}));
  BOOST_TEST((plan.inputs == std::vector{InputKind::uniform}));
  BOOST_TEST(!plan.energy_time_s);
  BOOST_TEST(!plan.iterations);
  BOOST_TEST(plan.tunables.empty());
  BOOST_TEST(plan.results.empty());
  BOOST_TEST(plan.time_limit_s == 0.1);
  BOOST_TEST(parse({"64", "--results", "b.jsonl"}).plan.time_limit_s == 1);
  BOOST_TEST(parse({"64", "--format", "csv"}).plan.time_limit_s == 1);
  BOOST_TEST(!plan.force);
  BOOST_TEST(plan.command == "bin/fake 64");
}

namespace {

const Environment all_variables{{"NR_ITER", "7"},
                                {"PARLAB_DTYPE", "double"},
                                {"PARLAB_CACHE", "cold"},
                                {"PARLAB_INPUTS", "zeros"},
                                {"BACKEND", "serial"},
                                {"PARLAB_TIME_LIMIT", "0.25"},
                                {"PARLAB_PRECISION", "0.05"},
                                {"PARLAB_FORCE", "1"},
                                {"PARLAB_FORMAT", "csv"},
                                {"PARLAB_RESULTS", "a.jsonl"},
                                {"PARLAB_EMULATE", "0"}};

}  // namespace

BOOST_AUTO_TEST_CASE(every_option_is_a_variable) {
  const auto from_variables = parse({"64"}, all_variables);
  const Plan& plan = from_variables.plan;
  BOOST_TEST(*plan.iterations == 7);
  BOOST_TEST((plan.dtypes == std::vector{Dtype::f64}));
  BOOST_TEST((plan.caches == std::vector{Cache::cold}));
  BOOST_TEST((plan.inputs == std::vector{InputKind::zeros}));
  CHECK_NAMES(plan, {"serial/plain"});
  BOOST_TEST(plan.time_limit_s == 0.25);
  BOOST_TEST(plan.precision == 0.05);
  BOOST_TEST(plan.force);
  BOOST_TEST(!plan.emulate);
  BOOST_TEST(from_variables.format == "csv");
  BOOST_TEST(plan.results == "a.jsonl");
  BOOST_TEST(contains(plan.command, "NR_ITER=7"));
}

BOOST_AUTO_TEST_CASE(the_command_line_wins_over_variables) {
  const auto both =
      parse({"64",       "--iterations",  "9",        "--dtype=float,double",
             "--cache",  "hot,cold",      "--inputs", "normal,uniform",
             "--energy", "--energy-time", "0.5",      "--backend",
             "openmp",   "--time-limit",  "2",        "--precision",
             "0.1",      "--format",      "json",     "--results",
             "b.jsonl",  "--emulate"},
            all_variables);
  BOOST_TEST(*both.plan.iterations == 9);
  BOOST_TEST((both.plan.dtypes == std::vector{Dtype::f32, Dtype::f64}));
  BOOST_TEST((both.plan.caches == std::vector{Cache::hot, Cache::cold}));
  BOOST_TEST(
      (both.plan.inputs == std::vector{InputKind::normal, InputKind::uniform}));
  BOOST_TEST(*both.plan.energy_time_s == 0.5);
  CHECK_NAMES(both.plan, {"openmp/rows", "openmp/second"});
  BOOST_TEST(both.plan.time_limit_s == 2);
  BOOST_TEST(both.plan.precision == 0.1);
  BOOST_TEST(both.format == "json");
  BOOST_TEST(both.plan.results == "b.jsonl");
  BOOST_TEST(both.plan.emulate);
}

BOOST_AUTO_TEST_CASE(inputs_that_only_verify_are_not_timed) {
  BOOST_TEST(contains(error_of({"64", "--inputs", "wide"}), "time on"));
  BOOST_TEST(contains(error_of({"64", "--inputs", "wide"}), "spread"));
  BOOST_TEST(contains(error_of({"64", "--inputs", "integers"}), "whole"));
  BOOST_TEST(contains(error_of({"64", "--inputs", "ones,twos"}), "zeros"));
}

BOOST_AUTO_TEST_CASE(choosing_variants) {
  CHECK_NAMES(parse({"64", "--kernel", "coalesced"}).plan,
              {"serial/plain", "openmp/rows", "openmp/second", "blas/gemv",
               "cuda/coalesced"});
  CHECK_NAMES(parse({"64", "--kernel", "0,warp", "--backend", "cuda"}).plan,
              {"cuda/naive", "cuda/warp"});
  CHECK_NAMES(parse({"64", "--kernel", "0:2", "--backend", "serial,cuda"}).plan,
              {"serial/plain", "cuda/naive", "cuda/coalesced", "cuda/warp"});
  // The library's kernel belongs to blas, and also to cuda if it is named.
  CHECK_NAMES(parse({"64", "--kernel", "cublas", "--backend", "cuda"}).plan,
              {"blas/library"});
  CHECK_NAMES(parse({"64", "--kernel", "3", "--backend", "blas"}).plan,
              {"blas/gemv", "blas/library"});
  CHECK_NAMES(
      parse({"64", "--variant", "openmp/second,fake/cuda/warp,plain"}).plan,
      {"serial/plain", "openmp/second", "cuda/warp"});
  CHECK_NAMES(
      parse({"64", "--variant", "openmp/rows"}, {{"BACKEND", "serial"}}).plan,
      {"openmp/rows"});
  // A variable may have been set for other runs, but an option is meant for
  // this one.
  CHECK_NAMES(parse({"64", "--backend", "serial"}, {{"GPU_KERNEL", "1"}}).plan,
              {"serial/plain"});
  BOOST_TEST(error_of({"64", "--kernel", "1", "--backend", "serial"}) ==
             "--kernel 1: excluded by --backend serial");
}

// atax has two of that name.
BOOST_AUTO_TEST_CASE(a_name_means_the_variants_of_the_backends_asked_for) {
  const auto chosen = [](const Words& more, const Environment& set = {}) {
    Words arguments{"64", "--variant"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return parse_as("bin/atax", arguments, set).plan;
  };
  CHECK_NAMES(chosen({"fused"}), {"openmp/fused", "cuda/fused"});
  CHECK_NAMES(chosen({"fused", "--backend", "cuda"}), {"cuda/fused"});
  CHECK_NAMES(chosen({"fused", "--backend", "openmp,blas"}), {"openmp/fused"});
  CHECK_NAMES(chosen({"openmp/fused", "--backend", "cuda"}), {"openmp/fused"});
  CHECK_NAMES(chosen({"fused"}, {{"BACKEND", "cuda"}}), {"cuda/fused"});
  CHECK_NAMES(chosen({"fused"}, {{"BACKEND", "serial"}}),
              {"openmp/fused", "cuda/fused"});
  BOOST_TEST(message_of<UsageError>([&] {
               chosen({"fused", "--backend", "serial"});
             }) == "--variant fused: 'fused' is excluded by --backend serial");
}

BOOST_AUTO_TEST_CASE(refused_kernels_and_variants) {
  const auto kernel = error_of({"64"}, {{"GPU_KERNEL", "coalescd"}});
  BOOST_TEST(
      contains(kernel, "GPU_KERNEL=coalescd: fake has no kernel 'coalescd'"));
  BOOST_TEST(contains(kernel, "did you mean 'coalesced'?"));
  BOOST_TEST(
      contains(kernel, "0:naive, 1:coalesced, 2:warp, 3:library, 4:tiled"));
  BOOST_TEST(contains(error_of({"64", "--kernel", "17"}),
                      "--kernel 17: there is no kernel 17"));
  BOOST_TEST(contains(error_of({"64", "--kernel", "-1"}), "'-1' is negative"));
  BOOST_TEST(contains(error_of({"64", "--variant", "openmp/row"}),
                      "mean 'openmp/rows'?"));
}

BOOST_AUTO_TEST_CASE(refused_values) {
  BOOST_TEST(contains(
      error_of({"64", "--backend", "opnmp"}),
      "--backend opnmp: backend 'opnmp' is unknown; did you mean 'openmp'?"));
  BOOST_TEST(contains(error_of({"64", "--dtype", "quarter"}),
                      "--dtype quarter: dtype 'quarter'"));
  BOOST_TEST(contains(error_of({"64", "--dtype", "int"}),
                      "--dtype int: fake has float, double"));
  const auto without_floats = message_of<UsageError>([] {
    parse_as("bin/parlab", {"convsep", "64", "--variant", "cuda/tensor"});
  });
  BOOST_TEST(contains(without_floats,
                      "tensor is not there in float: try --dtype double"),
             without_floats);
  BOOST_TEST(contains(error_of({"64", "--cache", "warm"}),
                      "--cache warm: cache state 'warm'"));
  BOOST_TEST(
      contains(error_of({"64", "--format", "tabel"}), "did you mean 'table'?"));
  BOOST_TEST(contains(error_of({"64", "--iterations", "0"}),
                      "--iterations 0: '0' is too small"));
  BOOST_TEST(contains(error_of({"64"}, {{"NR_ITER", "1,2"}}),
                      "NR_ITER=1,2: one number"));
  BOOST_TEST(contains(error_of({"64"}, {{"PARLAB_FORCE", "yes"}}),
                      "PARLAB_FORCE=yes: allowed"));
  for (const auto* text : {"0", "-1", "abc", "nan", "1e9", "inf"}) {
    BOOST_TEST(
        contains(error_of({"64", "--time-limit", text}), "--time-limit "),
        text);
  }
}

BOOST_AUTO_TEST_CASE(refused_options) {
  BOOST_TEST(contains(error_of({"64", "--blok", "3"}),
                      "--blok: unknown option; did you mean '--block'?"));
  BOOST_TEST(
      contains(error_of({"64", "--block"}), "--block: needs a value, LIST"));
  BOOST_TEST(
      contains(error_of({"64", "--force=1"}), "--force: takes no value"));
  BOOST_TEST(contains(error_of({"64", "--block", "1", "--block", "2"}),
                      "--block: given twice"));
}

BOOST_AUTO_TEST_CASE(workloads_and_commands) {
  const auto of_parlab = [](const Words& arguments) {
    return read_as("/some/where/parlab", arguments);
  };
  const auto called = [&](const Words& words) {
    return std::string(of_parlab(words).command->name);
  };
  BOOST_TEST(of_parlab({"fake_line", "64"}).workload->name() == "fake_line");
  BOOST_TEST(of_parlab({"--block", "32", "fake", "64"}).workload->name() ==
             "fake");
  BOOST_TEST(called({}) == "");
  BOOST_TEST(called({"fake"}) == "");
  BOOST_TEST(called({"--list"}) == "--list");
  BOOST_TEST(called({"-h"}) == "--help");
  BOOST_TEST(called({"--version"}) == "--version");
  BOOST_TEST(called({"machine"}) == "machine");
  BOOST_TEST(called({"compare", "--help"}) == "--help");
  BOOST_TEST(of_parlab({"compare", "--help"}).subject->name == "compare");
  BOOST_TEST(called({"help", "compare"}) == "--help");
  BOOST_TEST(of_parlab({"help", "compare"}).subject->name == "compare");
  BOOST_TEST(contains(message_of<UsageError>([&] {
                        called({"dmv", "3", "--filter", "x"});
                      }),
                      "only convsep filters"));
  BOOST_TEST(called({"convsep", "--image", "x"}) == "image");
  BOOST_TEST(of_parlab({"show", "a", "b"}).positional == (Words{"a", "b"}),
             per_element());
  BOOST_TEST(called({"execute-once", "vector_sum", "64"}) == "execute-once");
  for (const auto& words : {Words{"export"},
                            {"claims"},
                            {"tune"},
                            {"index"},
                            {"merge", "a"},
                            {"query", "a"},
                            {"serve", "dmv"}})
    BOOST_CHECK_THROW(of_parlab(words), UsageError);
}

namespace {

int say_hello(const Arguments& arguments, const Streams& streams) {
  streams.out << "hello " << arguments.text("to") << '\n';
  return 3;
}

}  // namespace

// Only its own file names it.
BOOST_AUTO_TEST_CASE(a_command_registers_itself) {
  static const CommandRegistration hello(
      {.name = "hello",
       .usage = "[options]",
       .help = "Says hello.",
       .options =
           [] {
             return Options{{.flag = "to", .argument = "NAME", .help = "whom"}};
           },
       .run = say_hello});
  const auto help = [](const Words& words) {
    return printed(print_help, read_as("parlab", words));
  };
  BOOST_TEST(contains(help({"--help"}), "hello"));
  BOOST_TEST(contains(help({"hello", "--help"}), "Usage: parlab hello"));
  BOOST_TEST(contains(help({"hello", "--help"}), "--to NAME"));
  const std::string json =
      R"({"type":"command","command":"hello","usage":"[options]",)"
      R"("help":"Says hello."})"
      "\n";
  BOOST_TEST(contains(help({"--help", "--format", "json"}), json));
  BOOST_TEST(!contains(help({"--help", "--format", "json"}), "--help"));
  BOOST_TEST(help({"hello", "--help", "--format", "json"}) == json);
  const auto arguments = read_as("parlab", {"hello", "--to", "you"});
  std::ostringstream out, messages;
  BOOST_TEST(call(arguments, {out, messages}) == 3);
  BOOST_TEST(out.str() == "hello you\n");
  BOOST_TEST(contains(error_of({"64", "--to", "you"}),
                      "--to: is an option of 'parlab hello'"));
}

// The command's name may follow its options.
BOOST_AUTO_TEST_CASE(an_option_is_a_switch_in_all_commands_or_in_none) {
  std::map<std::string, bool> takes_value;
  for (const auto* command : all_commands()) {
    for (const auto& option : command->options()) {
      const auto known =
          takes_value.emplace(option.flag, !option.argument.empty()).first;
      BOOST_TEST(known->second == !option.argument.empty(), option.flag);
    }
  }
}

BOOST_AUTO_TEST_CASE(refused_workloads) {
  const auto error_of_parlab = [](const Words& arguments) {
    return message_of<UsageError>([&] { parse_as("parlab", arguments); });
  };
  BOOST_TEST(
      contains(error_of_parlab({"fak", "64"}),
               "'fak' is no workload and no command; did you mean 'fake'?"));
  BOOST_TEST(contains(error_of_parlab({"comapre", "a", "b"}),
                      "'comapre' is no workload and no command; did you mean "
                      "'compare'?"));
  BOOST_TEST(contains(error_of_parlab({"run"}), "no command (atax"));
  BOOST_TEST(contains(error_of_parlab({"1024"}), "'1024' is no workload"));
  BOOST_TEST(contains(message_of<UsageError>([] { parse_as("fak", {"64"}); }),
                      "'fak' is no workload"));
}

BOOST_AUTO_TEST_CASE(tunables) {
  const auto request = parse({"64", "--block", "16:64:16", "--threads=1,2"});
  BOOST_TEST(request.plan.tunables.at("block") == (Numbers{16, 32, 48, 64}),
             per_element());
  BOOST_TEST(request.plan.tunables.at("threads") == (Numbers{1, 2}),
             per_element());
  BOOST_TEST(request.warnings ==
                 Words{"--block 16:64:16: fake/cuda/warp cannot take 16, 48 "
                       "(allowed: 32 to 1024, a multiple of 32); left out"},
             per_element());
  // in the order of the variants: see fake_workload.hpp
  std::vector<std::size_t> counts;
  for (const auto* variant : request.plan.variants) {
    const auto all = configurations(request.plan, *variant);
    counts.push_back(all.size());
    if (variant->name != "warp") continue;
    BOOST_TEST_REQUIRE(all.size() == 2u);
    BOOST_TEST(all[0]["block"] == 32);
    BOOST_TEST(all[1]["block"] == 64);
  }
  BOOST_TEST(counts == (std::vector<std::size_t>{1, 2, 2, 1, 4, 4, 2, 1, 1}),
             per_element());
}

BOOST_AUTO_TEST_CASE(
    a_value_that_a_variant_cannot_take_drops_it_unless_it_was_named) {
  const auto dropped = parse({"64", "--block", "48"});
  BOOST_TEST(dropped.warnings.size() == 1u);
  CHECK_NAMES(dropped.plan,
              {"serial/plain", "openmp/rows", "openmp/second", "blas/gemv",
               "cuda/naive", "cuda/coalesced", "blas/library", "cuda/tiled"});
  BOOST_TEST(
      error_of({"64"}, {{"GPU_BLOCK_SIZE", "48"}, {"GPU_KERNEL", "warp"}}) ==
      "GPU_BLOCK_SIZE=48: fake/cuda/warp cannot take 48 (allowed: 32 to 1024, "
      "a multiple of "
      "32)");
}

// The command line has no option for tiles; the variants bring it.
BOOST_AUTO_TEST_CASE(a_tunable_of_the_registry_is_an_option_and_a_variable) {
  BOOST_TEST(
      parse({"64"}, {{"PARLAB_TILE", "8,32"}}).plan.tunables.at("tile") ==
          (Numbers{8, 32}),
      per_element());
  BOOST_TEST(error_of({"64", "--tile", "12"}) ==
             "--tile 12: fake/cuda/tiled cannot take 12 (allowed: 4 to 64, a "
             "power of two)");
  BOOST_TEST(contains(error_of({"64", "--tile", "128"}), "allowed: 4 to 64"));
}

BOOST_AUTO_TEST_CASE(tunables_nobody_has) {
  BOOST_TEST(contains(error_of({"64", "--block", "32", "--backend", "serial"}),
                      "--block 32: no chosen variant has this tunable"));
  const auto ignored =
      parse({"64", "--backend", "serial"}, {{"OMP_NUM_THREADS", "4"}});
  BOOST_TEST(ignored.plan.tunables.empty());
  BOOST_TEST(ignored.warnings.empty());
  BOOST_CHECK_THROW(parse_as("fake_line", {"64", "--tile", "4"}), UsageError);
  BOOST_TEST(parse_as("fake_line", {"64"}, {{"PARLAB_TILE", "4"}})
                 .plan.tunables.empty());
}

BOOST_AUTO_TEST_CASE(energy_is_asked_for) {
  BOOST_TEST(!parse({"64"}).plan.energy);
  BOOST_TEST(parse({"64", "--energy"}).plan.energy);
  BOOST_TEST(parse({"64"}, {{"PARLAB_ENERGY", "1"}}).plan.energy);
}

BOOST_AUTO_TEST_CASE(unknown_variables_are_a_warning) {
  const auto request = parse({"64"}, {{"PARLAB_FORMATT", "csv"},
                                      {"PARLAB_BLAS", "libblis.so.4"},
                                      {"PARLAB_SEED", "7"},
                                      {"HOME", "/"},
                                      {"GPU_X", "1"}});
  BOOST_TEST(request.warnings ==
                 Words{"PARLAB_FORMATT=csv: unknown variable, ignored; did you "
                       "mean 'PARLAB_FORMAT'?"},
             per_element());
}

BOOST_AUTO_TEST_CASE(the_old_calling_convention_is_recognised) {
  const auto format = [](const Words& arguments,
                         const Environment& environment) {
    return parse(arguments, environment).format;
  };
  BOOST_TEST(format({"64"}, {{"GPU_KERNEL", "1"}}) == "record");
  BOOST_TEST(format({"64"}, {{"GPU_BLOCK_SIZE", "128"}}) == "record");
  BOOST_TEST(format({"64"}, {{"GPU_KERNEL", ""}}) == "table");
  BOOST_TEST(format({"64"}, {{"OMP_NUM_THREADS", "1"}}) == "table");
  BOOST_TEST(format({"64", "128", "256"}, {{"GPU_KERNEL", "1"}}) == "table");
  BOOST_TEST(format({"64", "--iterations", "3"}, {{"GPU_KERNEL", "1"}}) ==
             "table");
  BOOST_TEST(format({"64"}, {{"GPU_KERNEL", "1"},
                             {"PARLAB_FORMAT", "table"}}) == "table");
  BOOST_TEST(format({"64"}, {{"GPU_KERNEL", "0,1"}}) == "table");
  BOOST_TEST(format({"64"}, {{"GPU_BLOCK_SIZE", "16:512:16"}}) == "table");
}

BOOST_AUTO_TEST_CASE(what_the_old_calling_convention_measures) {
  const auto old =
      parse({"64"}, {{"GPU_KERNEL", "1"}, {"GPU_BLOCK_SIZE", "128"}});
  CHECK_NAMES(old.plan, {"serial/plain", "openmp/rows", "cuda/coalesced"});
  BOOST_TEST(*old.plan.iterations == 100);
  CHECK_NAMES(parse({"64"}, {{"GPU_BLOCK_SIZE", "128"}}).plan,
              {"serial/plain", "openmp/rows", "cuda/naive"});
  CHECK_NAMES(parse({"64"}, {{"GPU_KERNEL", "3"}}).plan,
              {"serial/plain", "openmp/rows", "blas/library"});
  CHECK_NAMES(parse({"64"}, {{"GPU_KERNEL", "3"}, {"BACKEND", "cuda"}}).plan,
              {"blas/library"});
  CHECK_NAMES(parse({"64"}, {{"GPU_KERNEL", "3"}, {"BACKEND", "openmp"}}).plan,
              {"openmp/rows"});
  const auto asked = parse({"64", "--format", "record", "--iterations", "5"});
  CHECK_NAMES(asked.plan, {"serial/plain", "openmp/rows", "cuda/naive"});
  BOOST_TEST(*asked.plan.iterations == 5);
}

BOOST_AUTO_TEST_CASE(what_emulation_may_stand_in_for) {
  BOOST_TEST(can_be_emulated(parse({"64"})));
  BOOST_TEST(!can_be_emulated(parse({"64", "--backend", "serial,openmp"})));
  BOOST_TEST(can_be_emulated(parse({"64"}, {{"GPU_KERNEL", "1"}})));
  BOOST_TEST(!can_be_emulated(parse({"64"}, {{"GPU_KERNEL", "3"}})));
}

BOOST_AUTO_TEST_CASE(parameters_of_a_problem) {
  const auto of_line = [](const Words& arguments,
                          const Environment& variables = {}) {
    return sizes(parse_as("fake_line", arguments, variables).plan);
  };
  CHECK_WORDS(of_line({"64"}), {"64x16"});
  CHECK_WORDS(of_line({"64,128", "--radius", "1,2"}),
              {"64x1", "64x2", "128x1", "128x2"});
  CHECK_WORDS(of_line({"64"}, {{"PARLAB_RADIUS", "0"}}), {"64x0"});
  CHECK_WORDS(of_line({"64x3,32", "--radius", "5"}), {"64x3", "32x5"});
  const auto too_large = message_of<UsageError>([&] {
    of_line({"64", "--radius", "65"});
  });
  BOOST_TEST(too_large.starts_with("--radius 65: '65' is too large"),
             too_large);
  BOOST_TEST(message_of<UsageError>([&] { of_line({"64x65"}); }) ==
             "size 64x65: radius 65 is not allowed: 0 to 64");
  const auto no_power = message_of<UsageError>([] {
    parse_as("bin/spmv", {"64", "--longest", "4,6"});
  });
  BOOST_TEST(no_power ==
             "--longest 4,6: '6' is not allowed: 2 to 1048576, a power of two");
}

BOOST_AUTO_TEST_CASE(memory_needed) {
  const auto bytes = [](const Plan& plan, Dtype dtype) {
    return bytes_needed(*plan.workload, plan.sizes[0], dtype, plan.variants);
  };
  const auto plan = parse({"1000x500", "--backend", "serial"}).plan;
  BOOST_TEST(bytes(plan, Dtype::f32) == 4.0 * (500000 + 1000));
  const auto transposed = parse({"1000x500", "--kernel", "coalesced"}).plan;
  BOOST_TEST(bytes(transposed, Dtype::f64) == 8.0 * (1000000 + 1000));
  BOOST_TEST(free_memory_bytes() > 1e6);
}

BOOST_AUTO_TEST_CASE(usage_names_every_kernel) {
  const auto usage = printed(print_usage, read_as("fake", {}));
  BOOST_TEST(contains(
      usage,
      "[GPU_KERNEL=<kernel_no>] [GPU_BLOCK_SIZE=<size>] fake <matrix size>"));
  BOOST_TEST(contains(printed(print_usage, read_as("fake_line", {})),
                      "fake_line <size>"));
  for (const auto* line :
       {"0:naive", "1:coalesced", "2:warp", "3:library", "4:tiled"}) {
    BOOST_TEST(contains(usage, std::string("    ") + line));
  }
  BOOST_TEST(contains(usage, "one row per thread"));
  const auto workloads = printed(print_usage, read_as("parlab", {}));
  BOOST_TEST(contains(workloads, "  fake_line"));
}

BOOST_AUTO_TEST_CASE(help_fits_a_screen) {
  for (const auto* program : {"parlab", "fake"}) {
    const auto help = printed(print_help, read_as(program, {"--help"}));
    for (const auto& line : split(help, '\n'))
      BOOST_TEST(line.size() <= 80u, line);
    for (const auto* flag :
         {"--kernel", "--block", "--threads", "--iterations"}) {
      BOOST_TEST(contains(help, flag));
    }
    for (const auto* name : {"GPU_KERNEL", "GPU_BLOCK_SIZE", "OMP_NUM_THREADS",
                             "NR_ITER", "BACKEND", "--tile"}) {
      BOOST_TEST(contains(help, name));
    }
    // Rare options, and the tunables of one workload, are listed if that
    // workload is named.
    const bool named = std::string(program) == "fake";
    for (const auto* rare : {"PARLAB_TILE", "  --tile LIST", "--shard I/N"}) {
      BOOST_TEST((help.find(rare) != std::string::npos) == named,
                 program << ": " << rare);
    }
    for (const auto* title : {"What to run:", "How long:", "What comes out:"})
      BOOST_TEST(contains(help, title));
    BOOST_TEST(contains(help, named ? "  fake 1024 " : "  parlab "));
    // One line more than the program's own help, for the test's command.
    if (!named) BOOST_TEST(split(help, '\n').size() <= 45u, help);
  }
}

BOOST_AUTO_TEST_CASE(help_of_every_workload_fits_a_screen) {
  for (const auto* workload : Registry::instance().workloads()) {
    const auto help = printed(
        print_help,
        read_as("parlab-emulated", {std::string(workload->name()), "--help"}));
    for (const auto& line : split(help, '\n'))
      BOOST_TEST(line.size() <= 80u, line);
    BOOST_TEST(contains(help, "  several sizes, recorded\n"));
    BOOST_TEST((help.find("BLOCK_SIZE, one problem") != help.npos) ==
               (count_extents(*workload) > 1));
  }
}

BOOST_AUTO_TEST_CASE(help_shows_every_word_of_every_option) {
  for (const auto* command : all_commands()) {
    const std::string name(command->name);
    if (command->takes_run || name.starts_with("--")) continue;
    const auto help =
        printed(print_help, name.empty() ? read_as("fake", {"--help"})
                                         : read_as("parlab", {name, "--help"}));
    for (const auto& line : split(help, '\n'))
      BOOST_TEST(line.size() <= 80u, line);
    BOOST_TEST((help.find("  --list ") != help.npos) == name.empty());
    const auto all = " " + join(split(help, '\n'), " ");
    for (const auto& option : command->options()) {
      if (option.parameter || option.tunable) continue;
      for (const auto& word : split(option.help, ' '))
        BOOST_TEST(contains(all, word), option.flag);
    }
  }
}

BOOST_AUTO_TEST_CASE(list_shows_limits) {
  const auto list = printed(
      [](std::ostream& out, const Arguments& arguments) {
        print_list(arguments, {out, out});
      },
      read_as("fake", {"--list"}));
  BOOST_TEST(contains(list, "fake/cuda/warp"));
  BOOST_TEST(contains(list, "--block 256 (32 to 1024, a multiple of 32)"));
  BOOST_TEST(contains(list, "--tile 16 (4 to 64, a power of two)"));
  BOOST_TEST(contains(list, "--threads all cores (1 to 4096)"));
  BOOST_TEST(contains(list, "float double"));
  BOOST_TEST(contains(list, "needs TMA"));
}

BOOST_AUTO_TEST_CASE(on_the_host_nothing_is_explained) {
  CHECK_NAMES(parse({"64", "--explain", "--variant", "plain,warp"}).plan,
              {"cuda/warp"});
}

BOOST_AUTO_TEST_CASE(misspelt_words) {
  BOOST_TEST(edit_distance("kitten", "sitting") == 3u);
  BOOST_TEST(edit_distance("", "abc") == 3u);
  BOOST_TEST(did_you_mean("c6", {"P6", "C6"}) == "; did you mean 'C6'?");
  BOOST_TEST(did_you_mean("xyz", {"coalesced", "naive"}).empty());
}

BOOST_AUTO_TEST_CASE(numbers_as_printed) {
  BOOST_TEST(significant(4143.2, 3) == "4143");
  BOOST_TEST(significant(0.012345, 3) == "0.0123");
  BOOST_TEST(significant(9.996, 3) == "10.0");
  BOOST_TEST(significant(0, 3) == "0.00");
  BOOST_TEST(significant(0.012345, 3, 3) == "0.012");
  BOOST_TEST(significant(1e308, 3) == "1e+308");
  BOOST_TEST(significant(1e-300, 3) == "1e-300");
  BOOST_TEST(significant(1e-300, 3, 2) == "0.00");
  BOOST_TEST(significant(1.25e-12, 3) == "0.00000000000125");
  BOOST_TEST(percent(0.953) == "95%");
  BOOST_TEST(percent(0.0005) == "0.05%");
  BOOST_TEST(percent(1.004) == "100%");
  BOOST_TEST(words(quantity(16.24e-6, Unit::second)) == "16.24 us");
  BOOST_TEST(words(quantity(0.99999e-3, Unit::second)) == "1.000 ms");
  BOOST_TEST(words(quantity(812e-9, Unit::second)) == "812.0 ns");
  BOOST_TEST(words(quantity(75, Unit::second)) == "75.00 s");
}

BOOST_AUTO_TEST_CASE(lines_are_wrapped) {
  BOOST_TEST(wrap("one two three", 8) == (Words{"one two", "three"}),
             per_element());
  BOOST_TEST(wrap("abcdefgh", 3) == (Words{"abc", "def", "gh"}), per_element());
  BOOST_TEST(wrap("", 3) == (Words{""}), per_element());
}

BOOST_AUTO_TEST_SUITE_END()
