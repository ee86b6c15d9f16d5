// The arrays of a problem, from which a workload makes its arguments.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "core/dtype.hpp"

namespace parlab {

class NamedArrays {
 public:
  // The data of the named array, or nullptr when this set was made
  // without it. Throws std::logic_error when T is not its element type.
  template <typename T>
  T* get(const char* name) const {
    return static_cast<T*>(find(name, dtype_of<std::remove_cv_t<T>>()));
  }

 protected:
  ~NamedArrays() = default;
  virtual void* find(const char* name, Dtype dtype) const = 0;
};

// Becomes the named array, or a number of the size.
struct BoundMember {
  const NamedArrays& arrays;
  const char* name;
  const std::int64_t* number;

  template <typename T>
  operator T*() const {
    return arrays.get<T>(name);
  }
  template <std::integral T>
  operator T() const {
    return static_cast<T>(*number);
  }
};

// Contract::Args<Types...>: the arrays that Contract::arrays names, then the
// numbers of the size, as many as it has members. Or what Contract::bind says.
template <typename Contract, typename... Types>
auto arguments_of(const NamedArrays& arrays, const std::int64_t* size) {
  if constexpr (requires { Contract::arrays; }) {
    using Args = typename Contract::template Args<Types...>;
    constexpr auto count = std::size(Contract::arrays);
    constexpr auto members = sizeof(Args) / sizeof(std::int64_t);
    const auto argument = [&](std::size_t i) -> BoundMember {
      if (i < count) return {arrays, Contract::arrays[i], nullptr};
      return {arrays, nullptr, size + (i - count)};
    };
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      static_assert(
          !requires(BoundMember one) {
            Args{argument(i)..., one};
          },
          "only the last member of Args may be smaller than 8 bytes");
      return Args{argument(i)...};
    }
    (std::make_index_sequence<members>{});
  } else {
    return Contract::template bind<Types...>(arrays, size);
  }
}

}  // namespace parlab
