// Loads and stores with a cache policy chosen before the launch, as
// a number in a tunable.
//
// A policy is a hint. Reads: `ca` caches in L1 and L2, what a plain load does
// on today's GPUs too; `cg` in L2 alone; `cs` expects no second use, and its
// line is the first to be given up. Writes go through L1 to L2 in any case;
// `wb` leaves them there until their place is needed, `wt` sends them on to
// memory, `cs` expects no further use. None of them switches a cache off: that
// was so for L1 alone, on devices of around 2010, where ptxas -dlcm=cg and
// -dlcm=cs -dscm=wt did for a whole program what these do for one access.
#pragma once

#include "core/tunables.hpp"
#include "gpu/gpu.hpp"

namespace parlab {

enum class LoadPolicy { normal, ca, cg, cs };
enum class StorePolicy { wb, wt, cs };

inline TunableSpec load_policy() {
  return {"load", 0, 0, 3};
}
inline TunableSpec store_policy() {
  return {"store", 0, 0, 2};
}

template <LoadPolicy policy, typename T>
__device__ __forceinline__ T load(const T* p) {
  if constexpr (policy == LoadPolicy::ca) {
    return __ldca(p);
  } else if constexpr (policy == LoadPolicy::cg) {
    return __ldcg(p);
  } else if constexpr (policy == LoadPolicy::cs) {
    return __ldcs(p);
  } else {
    return *p;
  }
}

template <StorePolicy policy, typename T>
__device__ __forceinline__ void store(T* p, T value) {
  if constexpr (policy == StorePolicy::wt) {
    __stwt(p, value);
  } else if constexpr (policy == StorePolicy::cs) {
    __stcs(p, value);
  } else {
    __stwb(p, value);
  }
}

// Calls f.operator()<Load, Store>() with the policies that the tunables name.
template <typename F>
void with_policies(const Tunables& tunables, F f) {
  const auto choose_store = [&]<LoadPolicy l>() {
    switch (tunables["store"]) {
      case 1:
        return f.template operator()<l, StorePolicy::wt>();
      case 2:
        return f.template operator()<l, StorePolicy::cs>();
      default:
        return f.template operator()<l, StorePolicy::wb>();
    }
  };
  switch (tunables["load"]) {
    case 1:
      return choose_store.template operator()<LoadPolicy::ca>();
    case 2:
      return choose_store.template operator()<LoadPolicy::cg>();
    case 3:
      return choose_store.template operator()<LoadPolicy::cs>();
    default:
      return choose_store.template operator()<LoadPolicy::normal>();
  }
}

}  // namespace parlab
