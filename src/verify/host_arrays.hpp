// Host memory for the arrays of one problem, each between guard words.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/workload.hpp"
#include "facts/cause.hpp"

namespace parlab {

class HostArrays {
 public:
  // Throws PointError(out_of_memory) with the bytes needed and free.
  explicit HostArrays(const std::vector<ArraySpec>& specs);

  const Arrays& view() const { return view_; }
  void poison();
  void renew_guards();
  // Detects writes outside the arrays.
  Detail damage() const;

 private:
  struct Release {
    std::size_t bytes;
    void operator()(unsigned char* memory) const;
  };
  std::vector<std::unique_ptr<unsigned char, Release>> memory_;
  Arrays view_;
};

}  // namespace parlab
