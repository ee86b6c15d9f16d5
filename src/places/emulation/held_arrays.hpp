// The arrays of a problem in memory of the emulation.
#pragma once

#include <cstring>
#include <vector>

#include "core/arrays.hpp"
#include "places/emulation/memory.hpp"

namespace parlab::emulation {

class HeldArrays {
 public:
  HeldArrays() = default;
  // allocate: Memory of a name, so many bytes and a kind.
  template <typename Allocate>
  HeldArrays(const Arrays& inputs,
             const std::vector<ArraySpec>& outputs,
             Allocate allocate) {
    std::vector<Array> arrays;
    const auto hold = [&](const ArraySpec& spec, Kind kind) -> Memory& {
      memory_.push_back(allocate(spec.name, spec.bytes(), kind));
      arrays.push_back({spec, memory_.back()->data});
      return memory_.back();
    };
    for (const auto& array : inputs) {
      const auto& memory = hold(array.spec, Kind::input);
      std::memcpy(memory->data, array.data, memory->bytes);
    }
    for (const auto& spec : outputs)
      hold(spec, Kind::output);
    view_ = Arrays(arrays);
  }

  const Arrays& view() const { return view_; }
  void poison_outputs() {
    for (const auto& memory : memory_) {
      if (memory->kind == Kind::output) memory->poison();
    }
  }

 private:
  std::vector<Memory> memory_;
  Arrays view_;
};

}  // namespace parlab::emulation
