// Stand-in for the toolkit's header of this name, for emulated kernels. A group
// makes these copies together, and they take place when it waits for them.
#pragma once
#include <cooperative_groups.h>

namespace cooperative_groups {

template <typename Group, typename T>
void memcpy_async(const Group& group, T* to, const T* from, std::size_t bytes) {
  copy_together(group, to, from, bytes);
  parlab::emulation::commit_copies();
}
template <typename Group, typename T, typename Bytes>
requires requires(Bytes bytes) {
  bytes.value;
}
void memcpy_async(const Group& group, T* to, const T* from, Bytes bytes) {
  memcpy_async(group, to, from, bytes.value);
}
template <unsigned stages, typename Group>
void wait_prior(const Group& group, PARLAB_SITE) {
  parlab::emulation::wait_copies(stages);
  group.sync(site);
}
template <typename Group>
void wait(const Group& group, PARLAB_SITE) {
  wait_prior<0>(group, site);
}

}  // namespace cooperative_groups
