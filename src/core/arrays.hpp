// The arrays of a problem, by name.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/named_arrays.hpp"
#include "core/types.hpp"

namespace parlab {

PARLAB_ENUM(Role, "role", (input, "input"), (output, "output"))

// Maps elements of the first layout, which is row-major with rows of `pitch`
// elements, to their positions in another one. The other layout is transposed
// or has gaps between its rows.
struct LayoutMap {
  std::int64_t pitch = 0;
  // distance from an element to the one below and to the next in its row; one
  // of the two is 1
  std::int64_t down = 0, across = 0;
  std::int64_t start = 0;  // position of the first element

  std::int64_t place_of(std::int64_t element) const {
    return element / pitch * down + element % pitch * across + start;
  }
};

struct ArraySpec {
  std::string name;
  Dtype dtype = Dtype::f32;  // of its elements
  std::int64_t count = 0;    // elements
  Role role = Role::input;
  // Set for another layout of the same content ("a_transposed" of "a"). It is
  // only made for variants that name it among their inputs or outputs.
  std::string layout_of = {};
  // The workload's dimensions that count the array's rows and the elements of a
  // row; a team can divide it along them. {"rows"}: its rows are vectors of
  // count / rows elements. Empty: not divided.
  std::vector<std::string> shape = {};
  // Number of neighbouring rows that a part of the array needs above and below
  // its own.
  std::int64_t halo = 0;
  // Maps elements of the first layout to this one. Without a map the layout
  // holds constants.
  LayoutMap map = {};
  // Describes the structure of other arrays, like the indices of a sparse
  // matrix. Its elements are not changed between executions.
  bool is_structure = false;

  std::size_t bytes() const {
    return static_cast<std::size_t>(count) * bytes_of(dtype);
  }
  bool is_constant() const {
    return is_structure || (!layout_of.empty() && map.pitch == 0);
  }
};

struct Array {
  ArraySpec spec;
  void* data = nullptr;
};

// The arrays of one problem, on the host or on the device.
class Arrays final : public NamedArrays {
 public:
  Arrays() = default;
  explicit Arrays(std::vector<Array> arrays) : arrays_(std::move(arrays)) {}

  // T may also be unsigned char, for the bytes of an array of any type.
  template <typename T>
  T* get(std::string_view name) const {
    using Element = std::remove_cv_t<T>;
    const auto* const array = named(name);
    if (array == nullptr) return nullptr;
    if constexpr (!std::is_same_v<Element, unsigned char>)
      require(*array, dtype_of<Element>());
    return static_cast<T*>(array->data);
  }
  // Throws std::out_of_range.
  const ArraySpec& spec(std::string_view name) const {
    const auto* const array = named(name);
    if (array == nullptr) throw std::out_of_range(std::string(name));
    return array->spec;
  }
  auto begin() const { return arrays_.begin(); }
  auto end() const { return arrays_.end(); }

 private:
  void* find(const char* name, Dtype dtype) const override {
    const auto* const array = named(name);
    if (array == nullptr) return nullptr;
    require(*array, dtype);
    return array->data;
  }
  const Array* named(std::string_view name) const {
    for (const auto& array : arrays_) {
      if (array.spec.name == name) return &array;
    }
    return nullptr;
  }
  static void require(const Array& array, Dtype asked) {
    if (asked == array.spec.dtype) return;
    throw std::logic_error(array.spec.name + " has elements of type " +
                           std::string(to_string(array.spec.dtype)) + ", not " +
                           std::string(to_string(asked)));
  }

  std::vector<Array> arrays_;
};

}  // namespace parlab
