// clang-format off
// The template of the CSLab course: kernels of the matrix-vector product of a square matrix.
//
// map: dmv float dmv_gpu_[a-z0-9_]+
// declares dmv: __global__ void dmv_gpu_NAME(const value_t *a, const value_t *x, value_t *y, size_t n)
// headers: dmv.h dmv_gpu.h kernel.h common.h error.h
// squares
//
// Device pointers, already allocated and filled; y is cleared. As in the template, n is a multiple of the
// block, a thread has a row, the block's dynamic shared memory holds a value for each thread, and kernels
// whose names say coalesced or shmem get the matrix transposed. A course that launches differently changes
// a copy of this file: grade --course mine.cu
#include <cstddef>
#include <string_view>

#include "workloads/dmv.hpp"

using value_t = PARLAB_TYPE;

#include PARLAB_HANDED_IN

namespace {
constexpr std::int64_t block = 256;
constexpr std::string_view name = PARLAB_FUNCTION_NAME;
constexpr bool transposed =
    name.find("coalesced") != name.npos || name.find("shmem") != name.npos;

parlab::Description description() {
  parlab::Description all{.idea = PARLAB_FUNCTION_NAME, .multiple_of = block};
  if (transposed) all.inputs = {"a_transposed", "x"};
  return all;
}
}  // namespace

const parlab::Register<parlab::Dmv, value_t> parlab_variant(
    description(), []<typename T>(parlab::Gpu& gpu, const parlab::Dmv::Args<T>& p,
                                  const parlab::Tunables&) {
      gpu.clear(p.y, static_cast<std::size_t>(p.rows) * sizeof(T));
      gpu.launch({.grid = {p.rows / block}, .block = {block}, .shared_bytes = block * sizeof(T)},
                 PARLAB_FUNCTION, transposed ? p.a_transposed : p.a, p.x, p.y,
                 static_cast<std::size_t>(p.rows));
    });
