// How a variant announces itself.
//
// A variant is one file, BACKEND/WORKLOAD/NAME.{cpp,cu}; the path is
// its identity. It ends with
//
//   const parlab::Register<parlab::Dmv, float, double> variant(
//       {.rung = 3, .idea = "...", .tunables = {...}},
//       [](Gpu& gpu, const auto& dmv, const Tunables& tunables) { ... });
//
// and nothing else needs to be changed. The callable, which captures
// nothing, computes the workload once; its first parameter says where:
// Host&, Gpu&, Gpus& for a team of GPUs, or Streams& for a GPU when the
// arrays begin and end in the host's memory.
//
// Every variant includes this, and nvcc reads it twice:
// standard headers are few here.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/arrays.hpp"
#include "core/types.hpp"

// Set by the Makefile for the file of a variant.
#ifndef PARLAB_SOURCE
#define PARLAB_SOURCE ""
#define PARLAB_SOURCE_HASH ""
#endif

namespace parlab {

class Gpu;      // gpu/gpu.hpp
class Gpus;     // gpu/gpus.hpp
class Streams;  // gpu/streams.hpp
class Host;     // host/host.hpp

// Threads per block, asked for as GPU_BLOCK_SIZE.
inline Tunable block_size(std::int64_t fallback = 256,
                          std::int64_t multiple_of = 1) {
  return {"block", fallback, multiple_of, 1024, multiple_of};
}
// CPU threads, asked for as OMP_NUM_THREADS; 0 stands for all cores.
inline Tunable threads() {
  return {"threads", 0, 1, 4096};
}
// GPUs of a team; 0 stands for all of the machine, or one where
// Description::pays_from says so.
inline Tunable gpus() {
  return {"gpus", 0, 1, 16};
}

struct Description {
  int rung = 0;  // place on its ladder, the lowest first
  int id = -1;   // number for GPU_KERNEL; given by the registry when absent
  std::string idea = {};  // one line: what it does and why it is faster
  std::vector<Tunable> tunables = {};
  // The inputs it reads, when not all in their first layout:
  // {"a_transposed", "x"}.
  std::vector<std::string> inputs = {};
  // The outputs it writes, when not all in their first layout: {"cov_packed"}.
  std::vector<std::string> outputs = {};
  Arithmetic arithmetic = Arithmetic::ieee;
  // The unit that sets its peak, by dtype, where that is not the plain
  // one: see core/units.hpp.
  std::map<Dtype, std::string> units = {};
  // what emulation cannot give it: "TMA"; empty: it can be emulated
  std::string hardware = {};
  // its name in the course's record format, when it has another
  std::string label = {};
  // For a team: the dimension whose extent is shared out, {"rows"}; arrays
  // without it are copied. With several the GPUs form a grid: its rows share
  // an array's first one, its columns the second.
  std::vector<std::string> split = {};
  // Bytes in its arrays from which two GPUs are faster than one: what they tell
  // each other takes some microseconds however small the problem is. 0: always.
  double pays_from = 0;
  // Bytes that each of so many GPUs has to send at the least; nullptr: none.
  double (*travels)(const Size& size, Dtype dtype, int gpus) = nullptr;
};

// What each GPU of a team has of a problem, as if that were the whole of one:
// Parts<Dmv::Args<T>>. No part is empty: a team is smaller than was asked for
// where there is nothing left to share out. Where an array has a halo there
// is room for it around each part, and the variant fills it.
template <typename Args>
using Parts = std::vector<Args>;

// Computes a workload once, on arrays of that machine's memory:
// with Streams the host's.
template <typename Machine>
using RunOn =
    void (*)(Machine&, const Arrays&, const Size&, Dtype, const Tunables&);

// The same on a team: the arrays and the size of each GPU's part.
using RunOnTeam = void (*)(
    Gpus&, const Parts<Arrays>&, const Parts<Size>&, Dtype, const Tunables&);

// source: the path of the file that describes itself; hash: of its content
// and of the headers beside it (scripts/source-hash.sh).
void register_variant(Description description,
                      std::vector<Dtype> dtypes,
                      RunOn<Gpu> run,
                      std::string_view source,
                      std::string_view hash);
void register_variant(Description description,
                      std::vector<Dtype> dtypes,
                      RunOn<Host> run,
                      std::string_view source,
                      std::string_view hash);
void register_variant(Description description,
                      std::vector<Dtype> dtypes,
                      RunOn<Streams> run,
                      std::string_view source,
                      std::string_view hash);
void register_variant(Description description,
                      std::vector<Dtype> dtypes,
                      RunOnTeam run,
                      std::string_view source,
                      std::string_view hash);

template <typename Contract, typename... Types>
class Register {
 public:
  template <typename F>
  Register(Description description,
           F,
           std::string_view source = PARLAB_SOURCE,
           std::string_view hash = PARLAB_SOURCE_HASH) {
    static_assert(std::is_empty_v<F>,
                  "the callable of a variant must capture nothing");
    constexpr bool on_team =
        (std::is_invocable_v<
             F, Gpus&, const Parts<typename Contract::template Args<Types>>&,
             const Tunables&> &&
         ...);
    if constexpr (on_team) {
      register_variant(std::move(description), {dtype_of<Types>()...},
                       &run_on_team<F>, source, hash);
    } else {
      using Machine = std::conditional_t<
          runs_on<F, Gpu>, Gpu,
          std::conditional_t<runs_on<F, Streams>, Streams, Host>>;
      register_variant(std::move(description), {dtype_of<Types>()...},
                       &run_on<F, Machine>, source, hash);
    }
  }

 private:
  template <typename F, typename Machine>
  static constexpr bool runs_on =
      (std::is_invocable_v<F,
                           Machine&,
                           const typename Contract::template Args<Types>&,
                           const Tunables&> &&
       ...);
  template <typename F, typename Machine>
  static void run_on(Machine& machine,
                     const Arrays& arrays,
                     const Size& size,
                     Dtype dtype,
                     const Tunables& tunables) {
    dispatch<Types...>(dtype, [&]<typename T>(T) {
      F{}(machine, Contract::template bind<T>(arrays, size), tunables);
    });
  }
  template <typename F>
  static void run_on_team(Gpus& team,
                          const Parts<Arrays>& arrays,
                          const Parts<Size>& sizes,
                          Dtype dtype,
                          const Tunables& tunables) {
    dispatch<Types...>(dtype, [&]<typename T>(T) {
      Parts<typename Contract::template Args<T>> parts;
      for (std::size_t i = 0; i < arrays.size(); ++i) {
        parts.push_back(Contract::template bind<T>(arrays[i], sizes[i]));
      }
      F{}(team, parts, tunables);
    });
  }
};

}  // namespace parlab
