// Emulation finds every planted fault and names its line, and finds none in
// correct kernels, in every order of threads and blocks.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "facts/cause.hpp"
#include "places/emulation/planted.hpp"
#include "text.hpp"

using namespace parlab;
using emulation::Order;
using planted::Case, planted::Kind;

namespace {

struct Outcome {
  Verdict verdict = Verdict::passed;
  std::string text;
  double sum = 0;
};

Outcome outcome_of(const Case& one, Order order, std::uint64_t seed = 7) {
  const auto machine = std::make_shared<EmulatedMachine>(seed, order);
  machine->time_limit = std::chrono::milliseconds(500);
  EmulatedGpu gpu(machine);
  try {
    return {Verdict::passed, "", planted::run(gpu, one)};
  } catch (const PointError& error) {
    return {error.verdict, error.what(), 0};
  }
}

const Case& named(const std::string& name) {
  for (const auto& one : planted::cases()) {
    if (one.name == name) return one;
  }
  throw std::logic_error("no case is called " + name);
}

constexpr Order orders[] = {Order::ascending, Order::descending,
                            Order::shuffled};

// The places that a file marks as wrong: "line 12 of faults_of_memory.cu". A
// mark on a line of its own refers to the statement below.
std::vector<std::string> lines_marked_wrong() {
  std::vector<std::string> places;
  for (const std::string name :
       {"faults_of_memory", "faults_of_order", "faults_of_warps",
        "faults_of_copies", "faults_of_students", "own_streams"}) {
    std::ifstream file("tests/places/emulation/" + name + ".cu");
    std::string line;
    bool below = false;
    for (int number = 1; std::getline(file, line); ++number) {
      const bool marked = line.find("// wrong") != line.npos;
      if (!marked && !below) continue;
      const auto code = line.substr(0, line.find("//"));
      below = code.find_first_of(";{") == code.npos;
      places.push_back("line " + std::to_string(number) + " of " + name +
                       ".cu");
    }
  }
  return places;
}

void expect_found(const Case& one, const std::vector<std::string>& marked) {
  for (const auto order : orders) {
    const auto [verdict, text, sum] = outcome_of(one, order);
    BOOST_TEST(to_string(verdict) == to_string(one.verdict),
               one.name << ": " << text);
    BOOST_TEST_CONTEXT(one.name) {
      for (const auto& part : one.says)
        BOOST_TEST(testing::contains(text, part));
    }
    if (!std::regex_search(text, std::regex("line [0-9]+ of "))) continue;
    // The name of the file must end there.
    const auto is_named = [&](const auto& place) {
      return text.find(place + ",") != text.npos ||
             text.find(place + ";") != text.npos ||
             text.find(place + ":") != text.npos ||
             text.find(place + " ") != text.npos || text.ends_with(place);
    };
    BOOST_TEST(std::any_of(marked.begin(), marked.end(), is_named),
               one.name << " names a line that is not wrong: " << text);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(emulation_of_cuda)

BOOST_AUTO_TEST_CASE(planted_faults_are_found) {
  const auto marked = lines_marked_wrong();
  BOOST_TEST(marked.size() > 50U);
  std::set<std::string> names;
  for (const auto& one : planted::cases()) {
    if (one.kind != Kind::fault) continue;
    names.insert(one.name);
    expect_found(one, marked);
  }
  BOOST_TEST(names.size() >= 100U);
}

// Emulation cannot see these as they happen, but the result must be wrong each
// time.
BOOST_AUTO_TEST_CASE(uninitialised_variables_give_wrong_results) {
  for (const auto& one : planted::cases()) {
    if (one.kind != Kind::wrong_sum) continue;
    for (const auto order : orders) {
      const auto [verdict, text, sum] = outcome_of(one, order);
      BOOST_TEST(text == "", one.name << ": " << text);
      BOOST_TEST((std::isnan(sum) || std::abs(sum - one.sum) > 0.5),
                 one.name << ": " << sum);
    }
  }
}

BOOST_AUTO_TEST_CASE(right_kernels_are_right) {
  std::set<std::string> names;
  for (const auto& one : planted::cases()) {
    if (one.kind != Kind::right) continue;
    names.insert(one.name);
    for (const auto order : orders) {
      const auto [verdict, text, sum] = outcome_of(one, order);
      BOOST_TEST(text == "", one.name << ": " << text);
      BOOST_TEST(sum == one.sum,
                 one.name << " computed " << sum << ", not " << one.sum);
    }
  }
  BOOST_TEST(names.size() >= 85U);
}

// A fault is found because nothing orders two accesses, in whatever order they
// happened.
BOOST_AUTO_TEST_CASE(every_seed_finds_the_same) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const auto* name : {"missing_barrier", "last_block_without_fence",
                             "plain_add_by_blocks", "fence_before_the_write"}) {
      BOOST_TEST(outcome_of(named(name), Order::shuffled, seed).text != "",
                 name << " is not found with seed " << seed);
    }
    for (const auto* name :
         {"fence_then_barrier", "last_block_resets", "aggregated_atomics"}) {
      const auto text = outcome_of(named(name), Order::shuffled, seed).text;
      BOOST_TEST(text == "", name << " with seed " << seed << ": " << text);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_gpu_works_after_a_fault) {
  EmulatedGpu gpu(std::make_shared<EmulatedMachine>(3));
  for (int i = 0; i < 3; ++i) {
    for (const auto* name :
         {"divergent_barrier", "missing_barrier", "host_reads",
          "endless_recursion", "crashes_unseen", "asserts"}) {
      BOOST_CHECK_THROW(planted::run(gpu, named(name)), PointError);
    }
    BOOST_TEST(planted::run(gpu, named("reverses_a_piece")) == 150);
  }
}

BOOST_AUTO_TEST_CASE(a_fault_names_the_seed_of_its_order) {
  const auto fault =
      outcome_of(named("divergent_barrier").at(3200, 32), Order::shuffled, 11);
  BOOST_TEST(testing::contains(fault.text, "emulated_with_seed 11"));
}

BOOST_AUTO_TEST_CASE(launches_a_device_cannot_take_are_refused) {
  for (const auto& [block, verdict] :
       {std::pair{1025, Verdict::not_supported}, {0, Verdict::launch_failed}}) {
    EmulatedGpu gpu(std::make_shared<EmulatedMachine>(1));
    Case one = named("copies");
    one.run = [block = block](const planted::Bench& b) {
      b.gpu.launch(
          {.grid = {1}, .block = {block}}, +[](const float*, int) {}, b.in,
          b.n);
    };
    try {
      planted::run(gpu, one);
      BOOST_ERROR("a block of " << block << " threads was accepted");
    } catch (const PointError& error) {
      BOOST_TEST(to_string(error.verdict) == to_string(verdict), error.what());
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
