// Variants that cheat or fail. The harness is worth something only if it catches every one.
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cmath>
#include <cstring>

#include "host/host.hpp"
#include "support.hpp"
#include "workloads/dmv.hpp"

using namespace parlab;
using testing::plan_for;

namespace {

template <typename T>
using Args = Dmv::Args<T>;

template <typename T>
void honest(const Args<T>& p) {
  for (std::int64_t row = 0; row < p.rows; ++row) {
    T sum = 0;
    for (std::int64_t col = 0; col < p.cols; ++col) sum += p.a[row * p.cols + col] * p.x[col];
    p.y[row] = sum;
  }
}

// Registered under a workload that does not exist: no other test meets them.
#define CHEAT(name, ...)                                                                        \
  const Register<Dmv, float> name({.idea = #name},                                              \
                                  [](Host&, const Args<float>& p, const Tunables&) __VA_ARGS__, \
                                  "serial/cheats/" #name ".cpp", "")

CHEAT(does_nothing, { (void)p; });

CHEAT(skips_the_tail, {
  const auto whole = p.rows / 4 * 4;
  honest<float>({p.a, nullptr, p.x, p.y, whole, p.cols});
});

CHEAT(skips_the_last_column, {
  for (std::int64_t row = 0; row < p.rows; ++row) {
    p.y[row] = 0;
    for (std::int64_t col = 0; col + 1 < p.cols; ++col) {
      p.y[row] += p.a[row * p.cols + col] * p.x[col];
    }
  }
});

CHEAT(right_only_at_the_first_call, {
  static int calls = 0;
  if (calls++ == 0) honest(p);
});

// Right while it is verified, wrong from the tenth call on: only the check after the samples sees.
CHEAT(wrong_after_a_while, {
  static int calls = 0;
  honest(p);
  if (++calls > 10) p.y[0] += 1;
});

CHEAT(writes_past_the_end, {
  honest(p);
  p.y[p.rows] = 1;
});

CHEAT(writes_before_the_start, {
  honest(p);
  p.y[-1] = 1;
});

CHEAT(changes_its_input, {
  honest(p);
  const_cast<float*>(p.a)[p.rows * p.cols / 2] += 1;
});

CHEAT(returns_a_cached_result, {
  static std::vector<float> cache;
  if (cache.empty()) {
    honest(p);
    cache.assign(p.y, p.y + p.rows);
  }
  std::memcpy(p.y, cache.data(), cache.size() * sizeof(float));
});

// Does the work only when the output was poisoned, so that every check finds the right answer.
CHEAT(faster_than_the_roof, {
  if (std::isnan(p.y[p.rows - 1])) honest(p);
});

CHEAT(fails, { throw PointError(Verdict::launch_failed, p.a ? "planted failure" : ""); });

CHEAT(sleeps, {
  const auto start = std::chrono::steady_clock::now();
  honest(p);
  while (std::chrono::steady_clock::now() - start < std::chrono::microseconds(500)) {
  }
});

CHEAT(honest_control, { honest(p); });

Record run(const std::string& name, const Size& size = {63, 65}) {
  const auto* dmv = Registry::instance().workload("dmv");
  for (const auto* variant : Registry::instance().variants("cheats")) {
    if (variant->name != name) continue;
    const auto records = testing::sweep(plan_for(*dmv, *variant, size));
    BOOST_REQUIRE_EQUAL(records.size(), 1U);
    return records.front();
  }
  BOOST_FAIL("no cheat named " + name);
  return {};
}

void expect_caught(const std::string& name, Verdict verdict, const std::string& words) {
  const Record record = run(name);
  BOOST_TEST(to_string(record.verdict) == to_string(verdict), name << ": " << record.detail);
  BOOST_TEST(record.detail.find(words) != std::string::npos, name << ": " << record.detail);
  BOOST_TEST(record.seconds.empty());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cheats)

BOOST_AUTO_TEST_CASE(an_honest_variant_passes) {
  const Record record = run("honest_control");
  BOOST_TEST(to_string(record.verdict) == "passed", record.detail);
  BOOST_TEST(!record.seconds.empty());
  BOOST_TEST(record.flags.empty());
}

BOOST_AUTO_TEST_CASE(wrong_results_are_caught) {
  expect_caught("does_nothing", Verdict::wrong_result, "y[0] is ");
  expect_caught("skips_the_tail", Verdict::wrong_result, "y[60] is ");
  expect_caught("skips_the_last_column", Verdict::wrong_result, "expected");
  expect_caught("right_only_at_the_first_call", Verdict::wrong_result, "expected");
  expect_caught("wrong_after_a_while", Verdict::wrong_result, "y[0]");
  expect_caught("returns_a_cached_result", Verdict::wrong_result, "expected");
}

BOOST_AUTO_TEST_CASE(damage_is_caught) {
  expect_caught("writes_past_the_end", Verdict::wrong_result, "wrote past the end of y");
  expect_caught("writes_before_the_start", Verdict::wrong_result, "wrote before the start of y");
  expect_caught("changes_its_input", Verdict::wrong_result, "changed its input a");
}

BOOST_AUTO_TEST_CASE(a_failure_is_a_verdict) {
  expect_caught("fails", Verdict::launch_failed, "planted failure");
}

BOOST_AUTO_TEST_CASE(faster_than_the_roof_is_flagged) {
  const Record record = run("faster_than_the_roof", {2000, 2000});
  BOOST_TEST(to_string(record.verdict) == "passed", record.detail);
  BOOST_REQUIRE_EQUAL(record.flags.size(), 1U);
  BOOST_TEST(record.flags.front() == "above_roof");
}

BOOST_AUTO_TEST_CASE(a_known_duration_is_measured) {
  const Record record = run("sleeps");
  BOOST_REQUIRE(!record.seconds.empty());
  const Summary summary = record.summary();
  BOOST_TEST(summary.min >= 500e-6);
  BOOST_TEST(summary.median < 520e-6);
}

BOOST_AUTO_TEST_CASE(a_damaged_input_does_not_harm_the_next_variant) {
  const auto* dmv = Registry::instance().workload("dmv");
  Plan plan;
  for (const auto* variant : Registry::instance().variants("cheats")) {
    if (plan.variants.empty()) plan = plan_for(*dmv, *variant, {40, 40});
    plan.variants = {variant};
    if (variant->name == "changes_its_input") break;
  }
  for (const auto* variant : Registry::instance().variants("cheats")) {
    if (variant->name == "honest_control") plan.variants.push_back(variant);
  }
  const auto records = testing::sweep(plan);
  BOOST_REQUIRE_EQUAL(records.size(), 2U);
  BOOST_TEST(to_string(records[0].verdict) == "wrong_result");
  BOOST_TEST(to_string(records[1].verdict) == "passed", records[1].detail);
}

BOOST_AUTO_TEST_SUITE_END()
