// The arrays of a problem, by name.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/types.hpp"

namespace parlab {

enum class Role { input, output };

struct ArraySpec {
  std::string name;
  Dtype dtype = Dtype::f32;  // of its elements
  std::int64_t count = 0;    // elements
  Role role = Role::input;
  // The same content in another layout ("a_transposed" of "a"): made only
  // for variants that name it among their inputs or outputs.
  std::string layout_of = {};
  // Which of the workload's dimensions count its rows and the elements of
  // a row: what a team can divide it along. {"rows"}: its rows are vectors
  // of count / rows elements; empty: not divided.
  std::vector<std::string> shape = {};
  // Rows of its neighbours that a part of the array needs
  // above and below its own.
  std::int64_t halo = 0;

  std::size_t bytes() const {
    return static_cast<std::size_t>(count) * bytes_of(dtype);
  }
};

struct Array {
  ArraySpec spec;
  void* data = nullptr;
};

// The arrays of one problem, on the host or on the device.
class Arrays {
 public:
  Arrays() = default;
  explicit Arrays(std::vector<Array> arrays) : arrays_(std::move(arrays)) {}

  // The data of the named array, or nullptr when this set was made
  // without it. T is its element type, or unsigned char for its bytes;
  // any other throws std::logic_error.
  template <typename T>
  T* get(std::string_view name) const {
    using Element = std::remove_cv_t<T>;
    for (const auto& array : arrays_) {
      if (array.spec.name != name) continue;
      if constexpr (!std::is_same_v<Element, unsigned char>) {
        if (dtype_of<Element>() != array.spec.dtype)
          wrong_type(array.spec, dtype_of<Element>());
      }
      return static_cast<T*>(array.data);
    }
    return nullptr;
  }
  auto begin() const { return arrays_.begin(); }
  auto end() const { return arrays_.end(); }

 private:
  [[noreturn]] static void wrong_type(const ArraySpec& spec, Dtype asked) {
    throw std::logic_error(spec.name + " has elements of type " +
                           std::string(to_string(spec.dtype)) + ", not " +
                           std::string(to_string(asked)));
  }

  std::vector<Array> arrays_;
};

}  // namespace parlab
