// NCCL, loaded when a team first needs it. Debian has no package of it, so
// there is no header to rely on. These declarations follow its documented C
// interface; libnccl.so.2 keeps names, types and numbers stable. A stream is
// declared here as well, so that testing needs no toolkit.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "facts/cause.hpp"
#include "gpu/shared_library.hpp"

struct CUstream_st;
using cudaStream_t = CUstream_st*;  // as in the toolkit's cuda_runtime.h

namespace parlab {

// The collectives of the first GPUs of this machine, all driven by one thread.
class Nccl {
 public:
  // Throws LibraryMissing, or PointError(launch_failed) when NCCL cannot start.
  explicit Nccl(const std::vector<int>& devices,
                const std::string& soname = "libnccl.so.2")
      : library_((without_multicast(), soname),
                 "install libnccl2 from NVIDIA's package repository, or the "
                 "Python package "
                 "nvidia-nccl-cu13, and set LD_LIBRARY_PATH to its folder") {
    library_.resolve(error_string_, "ncclGetErrorString");
    library_.resolve(init_all_, "ncclCommInitAll");
    library_.resolve(destroy_, "ncclCommDestroy");
    library_.resolve(abort_, "ncclCommAbort");
    library_.resolve(group_start_, "ncclGroupStart");
    library_.resolve(group_end_, "ncclGroupEnd");
    library_.resolve(all_reduce_, "ncclAllReduce");
    library_.resolve(broadcast_, "ncclBroadcast");
    members_.resize(devices.size());
    const int status = init_all_(
        members_.data(), static_cast<int>(devices.size()), devices.data());
    if (status != 0) members_.clear();
    check(status, "ncclCommInitAll");
  }
  ~Nccl() {
    for (auto* member : members_)
      destroy_(member);
  }
  Nccl(const Nccl&) = delete;
  Nccl& operator=(const Nccl&) = delete;

  // One entry per GPU. Queued on the streams; returns without waiting.
  void all_reduce(const std::vector<void*>& from, const std::vector<void*>& to,
                  std::int64_t elements, Dtype dtype,
                  const std::vector<cudaStream_t>& streams) {
    together("ncclAllReduce", [&](std::size_t i) {
      return all_reduce_(from[i], to[i], static_cast<std::size_t>(elements),
                         number_of(dtype), sum, members_[i], streams[i]);
    });
  }
  void broadcast(int root, const std::vector<void*>& data,
                 std::int64_t elements, Dtype dtype,
                 const std::vector<cudaStream_t>& streams) {
    together("ncclBroadcast", [&](std::size_t i) {
      return broadcast_(data[i], data[i], static_cast<std::size_t>(elements),
                        number_of(dtype), root, members_[i], streams[i]);
    });
  }

  // Aborts all running collectives, wherever they wait. Nothing can be called
  // afterwards.
  void abort() {
    for (auto* member : members_)
      abort_(member);
    members_.clear();
  }

 private:
  struct Member;  // ncclComm

  static constexpr int sum = 0;  // ncclSum
  // ncclDataType_t
  static int number_of(Dtype dtype) {
    switch (dtype) {
      case Dtype::i8:
        return 0;
      case Dtype::u8:
        return 1;
      case Dtype::i32:
        return 2;
      case Dtype::u32:
        return 3;
      case Dtype::f16:
        return 6;
      case Dtype::f32:
        return 7;
      case Dtype::f64:
        return 8;
      default:
        return 9;  // bfloat16
    }
  }

  // On shared hosts, one program's use of NVLink multicast can block others.
  static void without_multicast() { setenv("NCCL_NVLS_ENABLE", "0", 1); }

  // Calls f(i) for each GPU, all in one group. A group left open after a
  // failure would swallow later calls.
  template <typename F>
  void together(const char* call, F f) {
    check(group_start_(), "ncclGroupStart");
    int status = 0;
    for (std::size_t i = 0; i < members_.size() && status == 0; ++i)
      status = f(i);
    const int ended = group_end_();
    check(status, call);
    check(ended, "ncclGroupEnd");
  }

  void check(int status, const char* call) const {
    if (status == 0) return;
    throw PointError(Verdict::launch_failed, Cause::nccl_failed, call,
                     error_string_(status));
  }

  SharedLibrary library_;
  std::vector<Member*> members_;
  const char* (*error_string_)(int) = nullptr;
  int (*init_all_)(Member**, int, const int*) = nullptr;
  int (*destroy_)(Member*) = nullptr;
  int (*abort_)(Member*) = nullptr;
  int (*group_start_)() = nullptr;
  int (*group_end_)() = nullptr;
  int (*all_reduce_)(const void*, void*, std::size_t, int, int, Member*,
                     cudaStream_t) = nullptr;
  int (*broadcast_)(const void*, void*, std::size_t, int, int, Member*,
                    cudaStream_t) = nullptr;
};

}  // namespace parlab
