// Shared by the tests: a sweep whose records are collected instead of printed,
// and questions about its records.
#pragma once

#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/variant.hpp"
#include "places/executor.hpp"
#include "render/words.hpp"
#include "sweep/sweep.hpp"

namespace parlab::testing {

struct Collector final : Observer {
  void point(const std::vector<Record>& complete) override {
    records.insert(records.end(), complete.begin(), complete.end());
  }
  void note(const Detail& detail) override { notes.push_back(detail); }

  std::vector<Record> records;
  std::vector<Detail> notes;
};

// Finds a variant by its full name, such as "dmv/cuda/naive".
inline const Variant& variant_called(const std::string& name) {
  for (const auto* variant :
       Registry::instance().variants(name.substr(0, name.find('/')))) {
    if (variant->full_name() == name) return *variant;
  }
  throw std::logic_error("no variant is called " + name);
}

inline std::vector<Record> sweep(const Plan& plan) {
  Collector collector;
  run_sweep(plan, collector);
  return collector.records;
}

// A plan for one variant at one size: a few quick samples, hot.
inline Plan plan_for(std::string_view workload, const Variant& variant,
                     const Size& size, Dtype dtype = Dtype::f32) {
  Plan plan;
  plan.workload = Registry::instance().workload(workload);
  plan.sizes = {size};
  plan.dtypes = {dtype};
  plan.variants = {&variant};
  plan.caches = {Cache::hot};
  plan.time_limit_s = 0.05;
  // Once for all tests, because under sanitizers it takes ten seconds.
  static const Ceilings measured = make_host_executor()->ceilings(
      {.most_bytes = 4 << 20, .units = {"fma float", "fma double"}});
  plan.host_ceilings = measured;
  plan.command = "test";
  return plan;
}

// The same for a variant of the workload of its name, which is only verified.
inline Plan plan_to_verify(const Variant& variant, const Size& size,
                           Dtype dtype = Dtype::f32) {
  Plan plan = plan_for(variant.workload, variant, size, dtype);
  plan.verify_only = true;
  return plan;
}

// On a machine without a GPU a kernel has no verdict, and that does not count
// as its failure. A GPU that this process has lost does.
inline bool right_or_no_gpu(const Record& record) {
  static const bool has_gpu = access("/dev/nvidiactl", F_OK) == 0;
  return record.verdict == Verdict::passed ||
         (record.verdict == Verdict::no_device && !has_gpu);
}

// Describes a record and its result, for the message of a failed check.
inline std::string described(const Record& record) {
  return record.full_name() + " " + to_string(record.size) + " " +
         std::string(to_string(record.dtype)) + " " +
         to_string(record.tunables) + ": " +
         std::string(to_string(record.verdict)) + ", " + words(record.detail);
}

inline void expect_right(const Plan& plan) {
  for (const auto& record : sweep(plan))
    BOOST_TEST(right_or_no_gpu(record), described(record));
}

}  // namespace parlab::testing
