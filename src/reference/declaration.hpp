// A workload declares this beside its loop.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "core/random.hpp"
#include "core/workload.hpp"

namespace parlab::reference {

struct DeclaredArray {
  std::string_view name;
  Role role;
  // the dimensions that count its rows and the elements of a row: what a team
  // can divide it along; none: one element
  std::vector<std::string_view> shape = {};
  // where that is not the product of the shape
  std::function<std::int64_t(const Size&)> count = {};
  // of its elements, by the problem's, where it is another
  std::function<Dtype(Dtype)> type = {};
  // rows of its neighbours that a part of it needs on either side
  std::function<std::int64_t(const Size&)> halo = {};
  // Another layout of the array of this name, and where the elements are; of
  // inputs without a map: ones, for libraries that want them.
  std::string_view layout_of = {};
  std::function<LayoutMap(const Size&)> map = {};
  // Element i, where it says how the problem is built, like the indices of a
  // sparse matrix: the same in all kinds of inputs, and never changed.
  std::function<std::int64_t(const Size&, std::int64_t i)> structure = {};
};

inline DeclaredArray in(std::string_view name,
                        std::vector<std::string_view> shape) {
  return {.name = name, .role = Role::input, .shape = std::move(shape)};
}
inline DeclaredArray in(std::string_view name,
                        std::function<std::int64_t(const Size&)> count) {
  return {.name = name, .role = Role::input, .count = std::move(count)};
}
// count(size) elements of type T; element(size, i) is one of them.
template <typename T>
DeclaredArray structure(
    std::string_view name, std::function<std::int64_t(const Size&)> count,
    std::function<std::int64_t(const Size&, std::int64_t i)> element) {
  return {.name = name,
          .role = Role::input,
          .count = std::move(count),
          .type = [](Dtype) { return dtype_of<T>(); },
          .structure = std::move(element)};
}
inline DeclaredArray out(std::string_view name,
                         std::vector<std::string_view> shape = {}) {
  return {.name = name, .role = Role::output, .shape = std::move(shape)};
}
inline DeclaredArray out(std::string_view name,
                         std::function<std::int64_t(const Size&)> count) {
  return {.name = name, .role = Role::output, .count = std::move(count)};
}

// Where an oracle is written by hand, and no loop tells: how many terms the
// longest sum has, and how many inputs are multiplied in each of them.
struct Sums {
  std::function<double(const Size&)> terms = {};
  int degree = 0;
};

struct Declaration {
  std::string_view name;
  std::string_view summary;  // "y = A x, ..."
  std::vector<std::string_view> extents;
  std::vector<Tunable> parameters = {};  // with a default: "steps"
  std::vector<DeclaredArray> arrays;
  // How many additions and multiplications; 0: it moves data only.
  std::function<double(const Size&)> flops = {};
  // Where not all elements of all arrays are moved.
  std::function<Work(const Size&, Dtype)> work = {};
  Sums sums = {};
  // No input below 0 belongs to the problem, as to a logarithm: elements keep
  // their signs between executions.
  bool keeps_signs = false;
  // Inputs that random numbers will not do for. The arrays of structure are
  // written before. True: it has written all others; false: it has written
  // none, and this kind is made as for any workload.
  std::function<bool(const Arrays&, const Size&, Dtype, InputKind)> fill = {};
};

// Fills the input of that name by element(i), if it is there.
template <typename T, typename F>
void fill_input(const Arrays& inputs, std::string_view name, F element) {
  if (T* const data = inputs.get<T>(name))
    fill_parallel(data, inputs.spec(name).count, element);
}

// For a workload that makes all of its inputs: make(T{}, inputs, size, kind).
template <typename... Types, typename Make>
auto for_all_kinds(Make make) {
  return [make](const Arrays& inputs, const Size& size, Dtype dtype,
                InputKind kind) {
    dispatch<Types...>(dtype,
                       [&](auto zero) { make(zero, inputs, size, kind); });
    return true;
  };
}

}  // namespace parlab::reference
