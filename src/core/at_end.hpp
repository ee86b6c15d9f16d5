// Does something at the end of a scope, however the scope is left.
#pragma once

#include <utility>

namespace parlab {

template <typename F>
class AtEnd {
 public:
  explicit AtEnd(F action) : action_(std::move(action)) {}
  ~AtEnd() { action_(); }
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;

 private:
  F action_;
};

}  // namespace parlab
