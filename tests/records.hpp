// Records made by hand.
#pragma once

#include <algorithm>
#include <string>

#include "core/text.hpp"
#include "record/record.hpp"

namespace parlab::testing {

// A record of a variant, "dmv/cuda/naive", that passed at this size; without
// samples.
inline Record record_of(const std::string& full_name, const Size& size) {
  const auto names = split(full_name, '/');
  Record record;
  record.workload = names.at(0);
  record.backend = names.at(1);
  record.variant = names.at(2);
  record.dimensions = {"rows", "cols", "depth"};
  record.dimensions.resize(std::min<std::size_t>(size.size(), 3));
  record.size = size;
  record.verdict = Verdict::passed;
  record.run = "run";
  return record;
}

}  // namespace parlab::testing
