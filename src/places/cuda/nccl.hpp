// NCCL, loaded when a team first needs it. There is no Debian package of it, and so no header to
// rely on: what is declared here is its documented C interface, of which libnccl.so.2 keeps names,
// types and numbers.
#pragma once

#include <cuda_runtime.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "gpu/shared_library.hpp"

namespace parlab {

// The collectives of the first GPUs of this machine, all of them driven by one thread.
class Nccl {
 public:
  // Throws LibraryMissing, or PointError(launch_failed) when it cannot start.
  explicit Nccl(const std::vector<int>& devices)
      : library_((without_multicast(), "libnccl.so.2"),
                 "install libnccl2 from NVIDIA's package repository, or the Python package "
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
    const int status = init_all_(members_.data(), static_cast<int>(devices.size()), devices.data());
    if (status != 0) members_.clear();
    check(status, "ncclCommInitAll");
  }
  ~Nccl() {
    for (auto* member : members_) destroy_(member);
  }
  Nccl(const Nccl&) = delete;
  Nccl& operator=(const Nccl&) = delete;

  // One entry per GPU. Queued on the streams; nothing waits for it here.
  void all_reduce(const std::vector<void*>& from, const std::vector<void*>& to,
                  std::int64_t elements, Dtype dtype, const std::vector<cudaStream_t>& streams) {
    check(group_start_(), "ncclGroupStart");
    for (std::size_t i = 0; i < members_.size(); ++i) {
      check(all_reduce_(from[i], to[i], static_cast<std::size_t>(elements), number_of(dtype), sum,
                        members_[i], streams[i]),
            "ncclAllReduce");
    }
    check(group_end_(), "ncclGroupEnd");
  }
  void broadcast(int root, const std::vector<void*>& data, std::int64_t elements, Dtype dtype,
                 const std::vector<cudaStream_t>& streams) {
    check(group_start_(), "ncclGroupStart");
    for (std::size_t i = 0; i < members_.size(); ++i) {
      check(broadcast_(data[i], data[i], static_cast<std::size_t>(elements), number_of(dtype), root,
                       members_[i], streams[i]),
            "ncclBroadcast");
    }
    check(group_end_(), "ncclGroupEnd");
  }

  // Ends what is under way, wherever it waits. Nothing can be called afterwards.
  void abort() {
    for (auto* member : members_) abort_(member);
    members_.clear();
  }

 private:
  struct Member;  // ncclComm

  static constexpr int sum = 0;  // ncclSum
  // ncclDataType_t
  static int number_of(Dtype dtype) {
    switch (dtype) {
      case Dtype::i32:
        return 2;
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

  // Where hosts are shared, what one program does with NVLink multicast can stop others.
  static void without_multicast() { setenv("NCCL_NVLS_ENABLE", "0", 1); }

  void check(int status, const char* call) const {
    if (status == 0) return;
    throw PointError(Verdict::launch_failed,
                     std::string(call) + " failed: " + error_string_(status) +
                         "; NCCL_DEBUG=WARN in the environment makes it say more");
  }

  SharedLibrary library_;
  std::vector<Member*> members_;
  const char* (*error_string_)(int) = nullptr;
  int (*init_all_)(Member**, int, const int*) = nullptr;
  int (*destroy_)(Member*) = nullptr;
  int (*abort_)(Member*) = nullptr;
  int (*group_start_)() = nullptr;
  int (*group_end_)() = nullptr;
  int (*all_reduce_)(const void*, void*, std::size_t, int, int, Member*, cudaStream_t) = nullptr;
  int (*broadcast_)(const void*, void*, std::size_t, int, int, Member*, cudaStream_t) = nullptr;
};

}  // namespace parlab
