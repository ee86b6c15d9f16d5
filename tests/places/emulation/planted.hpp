// Kernels with planted faults, correct ones that are unusual, and how each of
// them is run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "places/emulation/emulated_gpu.hpp"

namespace planted {

// The data for a kernel: n inputs 0, 1, 2, 3, 0, 1, ..., n outputs that start
// as zeros.
struct Bench {
  parlab::EmulatedGpu& gpu;
  const float* in;
  float* out;
  int n, block;

  // Enough blocks for n threads, with `block` floats of dynamic shared memory.
  parlab::LaunchConfig config() const {
    return {.grid = {parlab::ceil_div(n, block)},
            .block = {block},
            .shared_bytes = static_cast<std::size_t>(block) * sizeof(float)};
  }
};

enum class Kind { right, fault, wrong_sum };
struct Case {
  std::string name;
  Kind kind;
  std::function<void(const Bench&)> run;
  double sum = 0;  // of the outputs if all is right
  parlab::Verdict verdict = parlab::Verdict::passed;
  // the name of its cause, arguments: parts of to_string(Detail)
  std::vector<std::string> says = {};
  int n = 100, block = 32;

  Case at(int n_, int block_) const {
    Case other = *this;
    other.n = n_;
    other.block = block_;
    return other;
  }
};

std::vector<Case>& cases();
struct Add {
  Add(const Case& one) { cases().push_back(one); }
};

// Kernels differ in their arguments: (in, out, n) with one more for a flag or
// counter that is zero, or for as many floats as there are inputs, or for both.
using Run = std::function<void(const Bench&)>;
Run launch(void (*kernel)(const float* in, float* out, int n));
Run launch(void (*kernel)(const float* in, float* out, unsigned* zero, int n));
Run launch(void (*kernel)(const float* in, float* middle, float* out, int n));
Run launch(void (*kernel)(const float* in, float* middle, unsigned* zero,
                          float* out, int n));
Run launch(Run host_code);
// Runs all blocks together, with grid barriers.
Run cooperative(void (*kernel)(const float* in, float* middle, float* out,
                               int n));

// The sum of the outputs. Throws the exceptions of Gpu::launch.
double run(parlab::EmulatedGpu& gpu, const Case& one);

}  // namespace planted

// In every order of threads,
//   RIGHT(kernel, sum) passes, with this sum of its outputs;
//   FAULT(kernel, verdict, "cause", "argument" ...) fails, and its detail has
//     all of these; a line that it names is marked "// wrong";
//   WRONG(kernel, right sum) passes with a different sum.
// Each may be followed by .at(n, block).
#define PLANTED_NAME(line) planted_##line
#define PLANTED_ON(line, ...) \
  const planted::Add PLANTED_NAME(line) = planted::Case __VA_ARGS__
#define PLANTED(line, ...) PLANTED_ON(line, __VA_ARGS__)
#define RIGHT(name, sum) \
  PLANTED(__LINE__, {#name, planted::Kind::right, planted::launch(name), sum})
#define FAULT(name, verdict, ...)              \
  PLANTED(__LINE__, {#name,                    \
                     planted::Kind::fault,     \
                     planted::launch(name),    \
                     0,                        \
                     parlab::Verdict::verdict, \
                     {__VA_ARGS__}})
#define WRONG(name, sum) \
  PLANTED(__LINE__,      \
          {#name, planted::Kind::wrong_sum, planted::launch(name), sum})
