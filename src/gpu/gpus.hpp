// A variant's view of several GPUs: each of them, and transfers between their
// memories.
//
// One thread drives all of them. It queues work on each GPU in turn, and
// nothing waits for the host. Each call here takes its place in the order of
// every GPU that it names, after what was queued there before, and before what
// is queued there later. A GPU reads and writes only its own memory; these
// calls must bring over the data of others.
#pragma once

#include <functional>
#include <vector>

#include "core/grid.hpp"
#include "core/parts.hpp"
#include "gpu/gpu.hpp"

namespace parlab {

// One pointer per GPU of a team, each to memory of that GPU.
template <typename T>
using OnEach = std::vector<T*>;

// Bytes that a GPU must send at least when `elements` elements of each GPU are
// added up: everything but its own share once for the sum, and then that share
// to all others.
inline double all_reduce_bytes(double elements, Dtype dtype, int gpus) {
  return 2 * elements * static_cast<double>(bytes_of(dtype)) * (gpus - 1) /
         gpus;
}

// The tunables of a kernel, and the number of GPUs.
inline ShortList<TunableSpec> with_gpus(ShortList<TunableSpec> tunables) {
  tunables.push_back(gpus());
  return tunables;
}

class Gpus {
 public:
  virtual ~Gpus() = default;
  Gpus() = default;
  Gpus(const Gpus&) = delete;
  Gpus& operator=(const Gpus&) = delete;

  virtual int count() const = 0;
  virtual Gpu& operator[](int i) = 0;

  // Calls f(gpu, i) for each GPU.
  template <typename F>
  void each(F f) {
    for (int i = 0; i < count(); ++i)
      f((*this)[i], i);
  }
  // scratch() on each GPU, with this many elements each.
  template <typename T>
  OnEach<T> scratch(std::int64_t elements) {
    OnEach<T> all;
    each([&](Gpu& gpu, int) { all.push_back(gpu.scratch<T>(elements)); });
    return all;
  }

  // Calls f(part) for each part and collects the pointers that it returns.
  template <typename Args, typename F>
  auto from(const Parts<Args>& parts, F f) const {
    OnEach<std::remove_pointer_t<decltype(f(parts[0]))>> all;
    for (const auto& part : parts)
      all.push_back(f(part));
    return all;
  }
  // The variant must fill an input's halo. Returns the same address for
  // writing.
  template <typename T>
  static T* halo(const T* address) {
    return const_cast<T*>(address);
  }

  // to[i][k] = from[0][k] + from[1][k] + ... for all i and each k of
  // `elements`; from and to may be the same. Like broadcast(), it throws
  // LibraryMissing without NCCL. Sums of up to 64 KiB of float, double or int
  // need none, nor does a team of one.
  template <typename T>
  void all_reduce(const OnEach<T>& from, const OnEach<T>& to,
                  std::int64_t elements) {
    sum_over_all(untyped(from), untyped(to), elements, dtype_of<T>());
  }
  // data[i][k] = data[root][k] for all i.
  template <typename T>
  void broadcast(int root, const OnEach<T>& data, std::int64_t elements) {
    send_to_all(root, untyped(data), elements, dtype_of<T>());
  }
  // Memory of one GPU that is copied to another.
  struct Move {
    int target;
    void* to;
    int source;
    const void* from;
    std::size_t bytes;
  };
  template <typename T>
  static Move move(int target, T* to, int source, const T* from,
                   std::int64_t elements) {
    return {target, to, source, from,
            static_cast<std::size_t>(elements) * sizeof(T)};
  }
  // Makes all moves at the same time; none may read what another writes.
  virtual void exchange(const std::vector<Move>& moves) = 0;

  // Runs the calls that `transfers` makes here in parallel with the work that
  // `work` starts on the GPUs. Everything queued before comes before both, and
  // everything queued later after both. The transfers must not read what the
  // work writes, or write what it touches.
  virtual void beside(const std::function<void()>& transfers,
                      const std::function<void()>& work) = 0;

 protected:
  virtual void sum_over_all(const std::vector<void*>& from,
                            const std::vector<void*>& to, std::int64_t elements,
                            Dtype dtype) = 0;
  virtual void send_to_all(int root, const std::vector<void*>& data,
                           std::int64_t elements, Dtype dtype) = 0;

 private:
  template <typename T>
  static std::vector<void*> untyped(const OnEach<T>& data) {
    return {data.begin(), data.end()};
  }
};

}  // namespace parlab
