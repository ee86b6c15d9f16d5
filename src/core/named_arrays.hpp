// The arrays of a problem, from which a workload makes its arguments.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
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

// Members of a workload's arguments: a named array, and a number of the size.
struct BoundArray {
  const NamedArrays& arrays;
  const char* name;
  template <typename T>
  operator T*() const {
    return arrays.get<T>(name);
  }
};
struct BoundNumber {
  std::int64_t number;
  template <std::integral T>
  operator T() const {
    return static_cast<T>(number);
  }
};

// Contract::Args<Types...>: the arrays that Contract::arrays names, then the
// numbers of the size, as many as it has members. Or what Contract::bind says.
// Pointers without a name, or names without a pointer, do not compile.
template <typename Contract, typename... Types>
auto arguments_of(const NamedArrays& arrays, const std::int64_t* size) {
  if constexpr (requires { Contract::arrays; }) {
    using Args = typename Contract::template Args<Types...>;
    constexpr auto count = std::extent_v<decltype(Contract::arrays)>;
    constexpr auto members = sizeof(Args) / sizeof(std::int64_t);
    return [&]<std::size_t... i, std::size_t... j>(std::index_sequence<i...>,
                                                   std::index_sequence<j...>) {
      static_assert(
          !requires {
            Args{BoundArray{arrays, Contract::arrays[i]}...,
                 BoundNumber{size[j]}..., BoundNumber{0}};
          },
          "only the last member of Args may be smaller than 8 bytes");
      return Args{BoundArray{arrays, Contract::arrays[i]}...,
                  BoundNumber{size[j]}...};
    }
    (std::make_index_sequence<count>{},
     std::make_index_sequence<members - count>{});
  } else {
    return Contract::template bind<Types...>(arrays, size);
  }
}

}  // namespace parlab
