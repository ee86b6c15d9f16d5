// What the tests share: a sweep whose records are collected instead of printed.
#pragma once

#include <string>
#include <vector>

#include "core/variant.hpp"
#include "places/executor.hpp"
#include "sweep/sweep.hpp"

namespace parlab::testing {

struct Collector final : Observer {
  void point(const std::vector<Record>& complete) override {
    records.insert(records.end(), complete.begin(), complete.end());
  }
  void note(const std::string& line) override { notes.push_back(line); }

  std::vector<Record> records;
  std::vector<std::string> notes;
};

inline std::vector<Record> sweep(const Plan& plan) {
  Collector collector;
  run_sweep(plan, collector);
  return collector.records;
}

// A plan for one variant at one size: a few quick samples, hot.
inline Plan plan_for(const Workload& workload, const Variant& variant, const Size& size,
                     Dtype dtype = Dtype::f32) {
  Plan plan;
  plan.workload = &workload;
  plan.sizes = {size};
  plan.dtypes = {dtype};
  plan.variants = {&variant};
  plan.caches = {Cache::hot};
  plan.time_limit_s = 0.05;
  // Once for all tests, whose problems are small: all of them take ten seconds under sanitizers.
  static const Ceilings measured =
      make_host_executor()->ceilings({.most_bytes = 4 << 20, .units = {"fma float", "fma double"}});
  plan.host_ceilings = measured;
  plan.command = "test";
  return plan;
}

}  // namespace parlab::testing
