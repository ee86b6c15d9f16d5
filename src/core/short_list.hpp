// A list of few elements, given in braces. Every variant includes this file,
// and nvcc reads it three times; std::vector would be most of that.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace parlab {

// At most twelve; more abort at start-up.
template <typename T>
class ShortList {
 public:
  constexpr ShortList() = default;
  constexpr ShortList(std::initializer_list<T> elements) {
    for (const T& element : elements)
      push_back(element);
  }
  constexpr void push_back(const T& element) {
    if (size_ == most) __builtin_trap();
    elements_[size_++] = element;
  }
  constexpr const T* begin() const { return elements_; }
  constexpr const T* end() const { return elements_ + size_; }

 private:
  static constexpr std::int64_t most = 12;
  T elements_[most] = {};
  // As wide as a pointer, and so are the members of T. Where there is padding,
  // g++ 12 with -ftrivial-auto-var-init=pattern overwrites the wrong bytes of a
  // temporary.
  std::int64_t size_ = 0;
};

}  // namespace parlab
