// Tests run planted variants and expect their verdicts by these functions.
#pragma once

#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>

#include "support.hpp"
#include "text.hpp"

namespace parlab::testing {

// The record of a plan for one configuration.
inline Record only_record(const Plan& plan) {
  const auto records = sweep(plan);
  BOOST_REQUIRE_EQUAL(records.size(), 1U);
  return records.front();
}

// The same for a variant that computes dmv: "gpu_cheats/cuda/sleeps".
inline Record record_of_dmv(const std::string& full_name, const Size& size) {
  return only_record(plan_for("dmv", variant_called(full_name), size));
}

inline void expect_passed(const Record& record) {
  BOOST_TEST(to_string(record.verdict) == "passed", described(record));
}

// It has this verdict, this cause and no time.
inline void expect_caught(const Record& record, std::string_view verdict,
                          const std::string& cause = "") {
  BOOST_TEST_CONTEXT(described(record)) {
    BOOST_TEST(to_string(record.verdict) == verdict);
    BOOST_TEST(contains(to_string(record.detail), cause));
    BOOST_TEST(record.seconds.size() == 0U);
  }
}

// By the missing work, or by what is still at work: whichever is seen first.
inline void expect_wrong_or_at_work(const Record& record) {
  const bool wrong = record.verdict == Verdict::wrong_result;
  expect_caught(record, wrong ? "wrong_result" : "implausible");
}

}  // namespace parlab::testing
