// Inputs that are only timed: their contents, their changes between executions,
// and that a variant which relies on them is found.
#include "reference/timed_inputs.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <set>

#include "folder.hpp"
#include "on_host.hpp"
#include "record/store.hpp"
#include "support.hpp"
#include "verify/disturbance.hpp"
#include "verify/problem.hpp"

using namespace parlab;
using parlab::testing::multiply;

namespace {

std::vector<InputKind> timed_kinds() {
  std::vector<InputKind> kinds;
  for (const auto kind : every_value<InputKind>()) {
    if (is_timed_on(kind)) kinds.push_back(kind);
  }
  return kinds;
}

constexpr std::int64_t side = 200, all = side * side;

// The matrix of dmv in double, so that all bits of the significand are used.
std::vector<double> matrix(InputKind kind, const char* name = "a") {
  const auto& workload = *Registry::instance().workload("dmv");
  Problem problem(workload, {side, side}, Dtype::f64, {});
  problem.fill(kind);
  const auto* const data = problem.inputs().get<const double>(name);
  return {data, data + problem.inputs().spec(name).count};
}

std::int64_t count_of(const std::vector<double>& data, double value) {
  return std::count(data.begin(), data.end(), value);
}
double mean(const std::vector<double>& data, double power) {
  double sum = 0;
  for (const double x : data)
    sum += std::pow(x, power);
  return sum / static_cast<double>(data.size());
}

// Works correctly until it has seen zeros, or ones, twice; then it returns its
// first answer.
void remember(const Dmv::Args<float>& p, float constant) {
  static std::vector<float> before;
  static int seen = 0;
  std::int64_t alike = 0;
  for (std::int64_t col = 0; col < p.cols; ++col)
    alike += p.a[col] == constant ? 1 : 0;
  if (2 * alike < p.cols) return multiply(p);
  if (++seen < 3 || std::ssize(before) != p.rows) {
    multiply(p);
    before.assign(p.y, p.y + p.rows);
  } else {
    std::copy(before.begin(), before.end(), p.y);
  }
}
const Register<Dmv, float> knows_zeros(
    {.idea = "rows"},
    [](Host&, const Dmv::Args<float>& p, const Tunables&) { remember(p, 0); },
    "serial/timed_inputs/knows_zeros.cpp", "");
const Register<Dmv, float> knows_ones(
    {.idea = "rows"},
    [](Host&, const Dmv::Args<float>& p, const Tunables&) { remember(p, 1); },
    "serial/timed_inputs/knows_ones.cpp", "");
const Register<Dmv, float> takes_zeros_for_granted(
    {.idea = "rows"},
    [](Host&, const Dmv::Args<float>& p, const Tunables&) {
      if (std::count(p.a, p.a + p.cols, 0.f) * 2 < p.cols) return multiply(p);
      std::fill(p.y, p.y + p.rows, 0.f);
    },
    "serial/timed_inputs/takes_zeros_for_granted.cpp", "");
const Register<Dmv, float> honest(
    {.idea = "rows"},
    [](Host&, const Dmv::Args<float>& p, const Tunables&) { multiply(p); },
    "serial/timed_inputs/honest.cpp", "");

Plan plan_of(const std::string& name, std::vector<InputKind> inputs) {
  auto plan = parlab::testing::plan_for(
      "dmv", parlab::testing::variant_called("timed_inputs/serial/" + name),
      {120, 120});
  plan.inputs = std::move(inputs);
  return plan;
}
Verdict verdict_of(const std::string& name, InputKind inputs) {
  const auto records = parlab::testing::sweep(plan_of(name, {inputs}));
  BOOST_TEST_REQUIRE(records.size() == 1u);
  return records.front().verdict;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(timed_inputs)

BOOST_AUTO_TEST_CASE(each_kind_is_what_it_says) {
  for (const auto& [kind, value] :
       {std::pair{InputKind::zeros, 0.}, {InputKind::ones, 1.}}) {
    const auto data = matrix(kind);
    BOOST_TEST(count_of(data, value) == all - side);
    BOOST_TEST(count_of(data, 64) + count_of(data, -64) == side);
    // one in each row
    for (std::int64_t row = 0; row < side; ++row) {
      const auto begin = data.begin() + row * side;
      BOOST_TEST_REQUIRE(std::count(begin, begin + side, value) == side - 1);
    }
  }
  const auto whole = matrix(InputKind::whole);
  BOOST_TEST(std::ranges::all_of(whole, [](double x) {
    return x == std::nearbyint(x) && x != 0 && std::abs(x) <= 8;
  }));
  BOOST_TEST(std::set(whole.begin(), whole.end()).size() == 16u);
  BOOST_TEST(std::abs(count_of(matrix(InputKind::sparse), 0) - 0.9 * all) <
             5 * std::sqrt(0.09 * all));
  const auto normal = matrix(InputKind::normal);
  BOOST_TEST(std::abs(mean(normal, 1)) < 0.03);
  BOOST_TEST(std::abs(mean(normal, 2) - 1) < 0.05);
  BOOST_TEST(std::abs(mean(normal, 4) - 3) < 0.3);
  const auto spread = matrix(InputKind::spread);
  BOOST_TEST(count_of(spread, 0) == 0);
  BOOST_TEST(std::ranges::max(spread) > 0x1p50);
  BOOST_TEST(std::ranges::count_if(
                 spread, [](double x) { return std::abs(x) < 1; }) > all / 3);
}

BOOST_AUTO_TEST_CASE(one_element_is_enough_of_each) {
  const auto& workload = *Registry::instance().workload("dmv");
  for (const auto kind : timed_kinds()) {
    Problem problem(workload, {1, 1}, Dtype::f32, {});
    BOOST_CHECK_NO_THROW(problem.fill(kind));
    BOOST_CHECK_NO_THROW(problem.disturbance());
  }
}

// Zeros stay zeros and ones stay ones, except for a few; all others change
// signs.
BOOST_AUTO_TEST_CASE(what_changes_between_executions_keeps_the_kind) {
  const auto& workload = *Registry::instance().workload("matmul");
  for (const auto kind : timed_kinds()) {
    Problem problem(workload, {90, 80, 70}, Dtype::f32, {});
    problem.fill(kind);
    const Array& a = *problem.inputs().begin();
    auto* const data = static_cast<float*>(a.data);
    const std::vector<float> before(data, data + a.spec.count);
    const auto disturbance = problem.disturbance();
    BOOST_TEST((disturbance.signs == Signs{}) == (kind == InputKind::ones));
    SignedInputs inputs(problem.inputs(), 1);
    inputs.take(disturbance.signs);
    std::int64_t other = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      BOOST_TEST_REQUIRE(std::abs(data[i]) == std::abs(before[i]));
      if (before[i] == 0) BOOST_TEST_REQUIRE(!std::signbit(data[i]));
      other += data[i] != before[i] ? 1 : 0;
    }
    if (kind == InputKind::zeros || kind == InputKind::ones) {
      BOOST_TEST(other <= 90);
      int seen = 0;
      for (const auto& change : disturbance.inputs) {
        if (change.array != a.spec.name) continue;
        ++seen;
        BOOST_TEST(std::abs(before[static_cast<std::size_t>(change.from)]) ==
                   64);
      }
      BOOST_TEST(seen > 0);
    } else {
      BOOST_TEST(other > (kind == InputKind::sparse ? 200 : 3000));
    }
  }
}

// For any computation; and its records name the timed inputs.
BOOST_AUTO_TEST_CASE(every_workload_is_right_on_every_kind) {
  for (const auto* workload : Registry::instance().workloads()) {
    for (const auto* variant :
         Registry::instance().variants(workload->name())) {
      // Other tests describe variants that cannot run.
      if (!variant->run_host ||
          variant->full_name() !=
              std::string(workload->name()) + "/serial/plain")
        continue;
      auto plan = parlab::testing::plan_for(workload->name(), *variant,
                                            complete_size(*workload, {40}));
      plan.dtypes = variant->dtypes;
      plan.inputs = timed_kinds();
      plan.iterations = 2;
      const auto records = parlab::testing::sweep(plan);
      BOOST_TEST(records.size() == plan.dtypes.size() * plan.inputs.size());
      for (std::size_t i = 0; i < records.size(); ++i) {
        const auto& record = records[i];
        BOOST_TEST(to_string(record.verdict) == "passed",
                   parlab::testing::described(record)
                       << " on " << to_string(record.inputs));
        BOOST_TEST((record.inputs == plan.inputs[i % plan.inputs.size()]));
        BOOST_TEST(record.errors.count("zeros_of_bound") == 0u);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(who_counts_on_zeros_or_ones_is_found) {
  BOOST_TEST((verdict_of("honest", InputKind::zeros) == Verdict::passed));
  BOOST_TEST((verdict_of("honest", InputKind::ones) == Verdict::passed));
  BOOST_TEST(
      (verdict_of("knows_zeros", InputKind::uniform) == Verdict::passed));
  BOOST_TEST(
      (verdict_of("knows_zeros", InputKind::zeros) == Verdict::wrong_result));
  BOOST_TEST(
      (verdict_of("knows_ones", InputKind::ones) == Verdict::wrong_result));
  BOOST_TEST((verdict_of("takes_zeros_for_granted", InputKind::zeros) ==
              Verdict::wrong_result));
}

// A record without the field has uniform inputs, as all used to have.
BOOST_AUTO_TEST_CASE(each_kind_is_resumed_by_itself) {
  const parlab::testing::Folder folder;
  auto plan = plan_of("honest", {InputKind::uniform});
  plan.results = folder.path / "dmv.jsonl";
  parlab::testing::sweep(plan);
  plan.inputs = {InputKind::zeros, InputKind::uniform};
  const auto both = parlab::testing::sweep(plan);
  BOOST_TEST_REQUIRE(both.size() == 2u);
  BOOST_TEST(both[0].point() == "timed_inputs 120x120 float hot zeros");
  BOOST_TEST(both[1].point() == "timed_inputs 120x120 float hot");
  BOOST_TEST(!same_point(both[0], both[1]));
  const auto stored = load_records(plan.results);
  BOOST_TEST(stored.records.size() == 2u);
  BOOST_TEST(latest(stored.records).size() == 2u);
  BOOST_TEST(stored.records[0].point() == "timed_inputs 120x120 float hot");
}

BOOST_AUTO_TEST_SUITE_END()
