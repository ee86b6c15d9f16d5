// A problem of a workload on the host, and what knows its right results.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/workload.hpp"
#include "verify/host_arrays.hpp"

namespace parlab::testing {

// Without other layouts of the same content.
inline std::vector<ArraySpec> first_layouts(const Workload& workload,
                                            const Size& size, Dtype dtype) {
  auto specs = workload.arrays(size, dtype);
  std::erase_if(specs,
                [](const ArraySpec& spec) { return !spec.layout_of.empty(); });
  return specs;
}

// The inputs are filled; a test computes the outputs.
struct Filled {
  Size size;
  HostArrays arrays;
  std::unique_ptr<Oracle> oracle;

  Filled(const Workload& workload, const Size& of_size, Dtype dtype,
         InputKind kind)
      : size(of_size), arrays(first_layouts(workload, size, dtype)) {
    workload.fill(arrays.view(), size, dtype, kind);
    oracle =
        workload.oracle(arrays.view(), size, dtype, kind, Arithmetic::ieee);
  }
  template <typename T>
  T* get(const char* name) const {
    return arrays.view().get<T>(name);
  }
  // The first wrong element, or "right".
  std::string verdict() const {
    const auto wrong = oracle->check(arrays.view());
    return wrong ? wrong->where : "right";
  }
  bool right() const { return !oracle->check(arrays.view()); }
};

}  // namespace parlab::testing
