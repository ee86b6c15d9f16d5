// The arrays of a problem, by name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parlab {

enum class Role { input, output };

struct ArraySpec {
  std::string name;
  std::int64_t count = 0;  // elements
  Role role = Role::input;
  // The same content in another layout ("a_transposed" of "a"): made only for variants that name it
  // among their inputs or outputs.
  std::string layout_of = {};
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

  // The data of the named array, or nullptr when this set was made without it.
  template <typename T>
  T* get(std::string_view name) const {
    for (const auto& array : arrays_) {
      if (array.spec.name == name) return static_cast<T*>(array.data);
    }
    return nullptr;
  }
  auto begin() const { return arrays_.begin(); }
  auto end() const { return arrays_.end(); }

 private:
  std::vector<Array> arrays_;
};

}  // namespace parlab
