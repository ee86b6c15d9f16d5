// Loads and stores with a cache policy that a tunable selects by number before
// the launch.
//
// A policy is a hint. Loads: `ca` caches in L1 and L2, as plain loads on
// today's GPUs do; `cg` caches in L2 only; `cs` expects no second use, so its
// line is evicted first. Stores go through L1 to L2 in any case: `wb` leaves
// them there until their place is needed, `wt` sends them on to memory, `cs`
// expects no further use. No policy switches a cache off. That was only
// possible for L1, on devices of around 2010, where ptxas -dlcm=cg and -dlcm=cs
// -dscm=wt applied to a whole program what these functions apply to one access.
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
