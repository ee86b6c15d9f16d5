// One implementation of a workload, and how it announces itself.
//
// A variant is one file, BACKEND/WORKLOAD/NAME.{cpp,cu}; the path is its identity. It ends with
//
//   const parlab::Register<parlab::Dmv, float, double> variant(
//       {.rung = 3, .idea = "...", .tunables = {...}},
//       [](Gpu& gpu, const auto& dmv, const Tunables& tunables) { ... });
//
// and nothing else has to know of it. The callable computes the workload once; its first
// parameter, Gpu& or Host&, says where.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/types.hpp"
#include "core/workload.hpp"

// Set by the Makefile for the file of a variant.
#ifndef PARLAB_SOURCE
#define PARLAB_SOURCE ""
#define PARLAB_SOURCE_HASH ""
#endif

namespace parlab {

class Gpu;   // device/gpu.hpp
class Host;  // host/host.hpp

// Threads per block, asked for as GPU_BLOCK_SIZE.
inline Tunable block_size(std::int64_t fallback = 256, std::int64_t multiple_of = 1) {
  return {"block", fallback, multiple_of, 1024, multiple_of};
}
// CPU threads, asked for as OMP_NUM_THREADS; 0 stands for all cores.
inline Tunable threads() { return {"threads", 0, 1, 4096}; }

struct Description {
  int rung = 0;           // place on its ladder, the lowest first
  int id = -1;            // number for GPU_KERNEL; given by the registry when absent
  std::string idea = {};  // one line: what it does and why it is faster
  std::vector<Tunable> tunables = {};
  // The inputs it reads, when not all in their first layout: {"a_transposed", "x"}.
  std::vector<std::string> inputs = {};
  // The outputs it writes, when not all in their first layout: {"cov_packed"}.
  std::vector<std::string> outputs = {};
  Arithmetic arithmetic = Arithmetic::ieee;
  std::string hardware = {};  // what emulation cannot give it: "TMA"; empty: it can be emulated
  std::string label = {};     // its name in the course's record format, when it has another
};

struct Variant : Description {
  std::string workload, backend, name;
  std::string source, source_hash;
  bool on_gpu = false;
  std::vector<Dtype> dtypes;
  // One of the two is set: computes the workload once, on arrays of that backend's memory.
  std::function<void(Gpu&, const Arrays&, const Size&, Dtype, const Tunables&)> run_gpu;
  std::function<void(Host&, const Arrays&, const Size&, Dtype, const Tunables&)> run_host;

  std::string full_name() const { return workload + "/" + backend + "/" + name; }
  bool has(Dtype dtype) const;
  const Tunable* tunable(std::string_view tunable_name) const;  // nullptr when absent
  bool reads(const ArraySpec& input) const;
  bool writes(const ArraySpec& output) const;
};

// Everything that was linked in. Filled before main() by Register objects.
class Registry {
 public:
  static Registry& instance();

  void add(std::unique_ptr<Workload> workload);
  void add(Variant variant);

  const Workload* workload(std::string_view name) const;  // nullptr when unknown
  std::vector<const Workload*> workloads() const;         // by name
  // In ladder order: serial, openmp, blas on the CPU, then the GPU's by rung; ids all given.
  std::vector<const Variant*> variants(std::string_view workload) const;

 private:
  std::vector<std::unique_ptr<Workload>> workloads_;
  std::vector<std::unique_ptr<Variant>> variants_;
};

// Defines the identity fields from the path of the source file.
Variant describe(Description description, std::string_view source, std::string_view hash);

template <typename Contract, typename... Types>
class Register {
 public:
  template <typename F>
  Register(Description description, F run, std::string_view source = PARLAB_SOURCE,
           std::string_view hash = PARLAB_SOURCE_HASH) {
    Variant variant = describe(std::move(description), source, hash);
    variant.dtypes = {dtype_of<Types>()...};
    constexpr bool on_gpu =
        (std::is_invocable_v<F, Gpu&, const typename Contract::template Args<Types>&,
                             const Tunables&> &&
         ...);
    variant.on_gpu = on_gpu;
    auto call = [run](auto& machine, const Arrays& arrays, const Size& size, Dtype dtype,
                      const Tunables& tunables) {
      (void)((dtype_of<Types>() == dtype &&
              (run(machine, Contract::template bind<Types>(arrays, size), tunables), true)) ||
             ...);
    };
    if constexpr (on_gpu) {
      variant.run_gpu = call;
    } else {
      variant.run_host = call;
    }
    Registry::instance().add(std::move(variant));
  }
};

struct RegisterWorkload {
  explicit RegisterWorkload(std::unique_ptr<Workload> workload) {
    Registry::instance().add(std::move(workload));
  }
};

}  // namespace parlab
