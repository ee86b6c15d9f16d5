// How a variant registers itself.
//
// A variant is one file, BACKEND/WORKLOAD/NAME.{cpp,cu}; the path is
// its identity. It ends with
//
//   const parlab::Register<parlab::Dmv, float, double> variant(
//       {.rung = 3, .idea = "...", .tunables = {...}},
//       [](Gpu& gpu, const auto& dmv, const Tunables& tunables) { ... });
//
// and nothing else needs to be changed. The callable must not capture
// anything and computes the workload once. Its first parameter says where:
// Host&, Gpu&, Gpus& for a team of GPUs, or Streams& for a GPU when the
// arrays begin and end in the host's memory.
//
// Every variant includes this file, and nvcc reads it three times, so it
// includes little.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/dtype.hpp"
#include "core/named_arrays.hpp"
#include "core/short_list.hpp"
#include "core/tunables.hpp"

// The Makefile defines these for the file of a variant.
#ifndef PARLAB_SOURCE
#define PARLAB_SOURCE ""
#define PARLAB_SOURCE_HASH ""
#endif
#ifndef PARLAB_ASKS_FOR_EMULATION
#define PARLAB_ASKS_FOR_EMULATION false
#endif

namespace parlab {

class Gpu;      // gpu/gpu.hpp
class Gpus;     // gpu/gpus.hpp
class Streams;  // gpu/streams.hpp
class Host;     // host/host.hpp

// For example "tensor double" for double.
struct UnitOfDtype {
  constexpr UnitOfDtype() = default;
  constexpr UnitOfDtype(Dtype dtype, const char* name)
      : dtype_number(static_cast<std::int64_t>(dtype)), unit(name) {}
  // as wide as a pointer: see short_list.hpp
  std::int64_t dtype_number = 0;
  const char* unit = nullptr;
};

struct Description {
  int rung = 0;  // place on its ladder, lowest first
  int id = -1;   // number for GPU_KERNEL; the registry assigns one if absent
  const char* idea = "";  // one line: what it does and why that is faster
  ShortList<TunableSpec> tunables = {};
  // Each extent must be a multiple of this; other sizes are not_supported.
  std::int64_t multiple_of = 1;
  // The inputs that it reads, if any has a layout other than the first:
  // {"a_transposed", "x"}.
  ShortList<const char*> inputs = {};
  // The outputs that it writes, if any has a layout other than the first:
  // {"cov_packed"}.
  ShortList<const char*> outputs = {};
  Arithmetic arithmetic = Arithmetic::ieee;
  // The unit that sets its peak, by dtype, if not the plain one: see
  // core/variant.hpp.
  ShortList<UnitOfDtype> units = {};
  // hardware that emulation does not have: "TMA"; empty: it can be emulated
  const char* hardware = "";
  // its name in the course's record format, if that differs
  const char* label = "";
  // For a team: the dimension whose extent is divided, {"rows"}. Arrays without
  // that dimension are copied. With two dimensions the GPUs form a grid, whose
  // rows divide the first and whose columns divide the second.
  ShortList<const char*> split = {};
  // Bytes in its arrays above which two GPUs are faster than one. Their
  // communication takes some microseconds however small the problem is. 0:
  // always.
  double pays_from = 0;
  // Bytes that each of this many GPUs must send at least; nullptr: none.
  double (*travels)(const std::int64_t* size, Dtype dtype, int gpus) = nullptr;
};

// The parts that the GPUs of a team have, Parts<Dmv::Args<T>>: core/parts.hpp
template <typename Args>
class Parts;

// The arrays and the size of one part. size: one number for each dimension and
// parameter of the workload.
struct UnboundPart {
  const NamedArrays* arrays;
  const std::int64_t* size;
};

// Computes a workload once, on arrays in that machine's memory; with Streams in
// the host's.
template <typename Machine>
using RunOn = void (*)(Machine&, UnboundPart whole, Dtype, const Tunables&);

// The same on a team, with one part for each of its GPUs.
using RunOnTeam = void (*)(Gpus&, const UnboundPart* parts, int count, Dtype,
                           const Tunables&);

// source: the path of the variant's file. hash: hash of its content and of the
// headers beside it (scripts/source-hash.sh).
template <typename Run>
struct Announcement {
  const Description& description;
  ShortList<Dtype> dtypes;
  Run run;
  const char *source, *hash;
  bool asks_for_emulation;
};
void register_variant(const Announcement<RunOn<Gpu>>& variant);
void register_variant(const Announcement<RunOn<Host>>& variant);
void register_variant(const Announcement<RunOn<Streams>>& variant);
void register_variant(const Announcement<RunOnTeam>& variant);

template <typename Contract, typename... Types>
class Register {
 public:
  template <typename F>
  Register(const Description& description, F,
           const char* source = PARLAB_SOURCE,
           const char* hash = PARLAB_SOURCE_HASH,
           bool asks_for_emulation = PARLAB_ASKS_FOR_EMULATION) {
    static_assert(std::is_empty_v<F>,
                  "the callable of a variant must capture nothing");
    const auto announce = [&](auto run) {
      register_variant(Announcement<decltype(run)>{description,
                                                   {dtype_of<Types>()...},
                                                   run,
                                                   source,
                                                   hash,
                                                   asks_for_emulation});
    };
    constexpr bool on_team =
        (std::is_invocable_v<
             F, Gpus&, const Parts<typename Contract::template Args<Types>>&,
             const Tunables&> &&
         ...);
    if constexpr (on_team) {
      announce(RunOnTeam{&run_on_team<F>});
    } else {
      using Machine = std::conditional_t<
          runs_on<F, Gpu>, Gpu,
          std::conditional_t<runs_on<F, Streams>, Streams, Host>>;
      announce(RunOn<Machine>{&run_on<F, Machine>});
    }
  }

 private:
  template <typename F, typename Machine>
  static constexpr bool runs_on =
      (std::is_invocable_v<F, Machine&,
                           const typename Contract::template Args<Types>&,
                           const Tunables&> &&
       ...);
  template <typename F, typename Machine>
  static void run_on(Machine& machine, UnboundPart whole, Dtype dtype,
                     const Tunables& tunables) {
    dispatch<Types...>(dtype, [&]<typename T>(T) {
      F{}(machine, arguments_of<Contract, T>(*whole.arrays, whole.size),
          tunables);
    });
  }
  template <typename F>
  static void run_on_team(Gpus& team, const UnboundPart* unbound, int count,
                          Dtype dtype, const Tunables& tunables) {
    dispatch<Types...>(dtype, [&]<typename T>(T) {
      Parts<typename Contract::template Args<T>> parts;
      for (int i = 0; i < count; ++i) {
        parts.push_back(
            arguments_of<Contract, T>(*unbound[i].arrays, unbound[i].size));
      }
      F{}(team, parts, tunables);
    });
  }
};

}  // namespace parlab
