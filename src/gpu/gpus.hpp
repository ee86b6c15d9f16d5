// What a variant sees of several GPUs: each of them, and what moves
// between their memories.
//
// One thread drives all of them: it queues work on each GPU in turn, and
// nothing waits for the host. What is called here takes its place in the order
// of every GPU that it names: after what was queued there before, and before
// what is queued there later. A GPU reads and writes its own memory alone;
// what another one has must be brought over by one of these calls.
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

// What a GPU has to send at the least when `elements` elements of
// each are added up: all but its own share once for the sum, and
// that share to all others.
inline double all_reduce_bytes(double elements, Dtype dtype, int gpus) {
  return 2 * elements * static_cast<double>(bytes_of(dtype)) * (gpus - 1) /
         gpus;
}

// The tunables of a kernel, and how many GPUs it is to run on.
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

  // Calls f(gpu, i) for each of them.
  template <typename F>
  void each(F f) {
    for (int i = 0; i < count(); ++i)
      f((*this)[i], i);
  }
  // scratch() of each GPU: count elements.
  template <typename T>
  OnEach<T> scratch(std::int64_t elements) {
    OnEach<T> all;
    each([&](Gpu& gpu, int) { all.push_back(gpu.scratch<T>(elements)); });
    return all;
  }

  // f(part) of each part: a pointer that it has.
  template <typename Args, typename F>
  auto from(const Parts<Args>& parts, F f) const {
    OnEach<std::remove_pointer_t<decltype(f(parts[0]))>> all;
    for (const auto& part : parts)
      all.push_back(f(part));
    return all;
  }
  // An input's halo is the variant's to fill: the same address, to write to.
  template <typename T>
  static T* halo(const T* address) {
    return const_cast<T*>(address);
  }

  // to[i][k] = from[0][k] + from[1][k] + ... for all i and each k of
  // `elements`; from and to may be the same. Throws LibraryMissing where NCCL
  // is not there, as broadcast() does; a team of one needs none.
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
  // Memory of one GPU that goes to another.
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
  // All of them at the same time: none reads what another writes.
  virtual void exchange(const std::vector<Move>& moves) = 0;

  // Does what `transfers` calls here beside what `work` starts on the GPUs,
  // neither waiting for the other. What was queued before comes before both,
  // what is queued later after both. The transfers read nothing that the
  // work writes, and write nothing that it touches.
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
