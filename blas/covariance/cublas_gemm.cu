// The centred copy, and gemm of cuBLAS for its product with itself: both
// triangles are computed. The library may use tensor cores for double as well.
// The division is a separate pass: gemm's factor could only multiply by the
// reciprocal, which rounds twice. cuBLAS thinks in columns: for it the copy is
// the transpose, n x m, and the product is that times its own transpose.
#include <algorithm>

#include "gpu/cublas.hpp"

#include "../../cuda/covariance/centred.cuh"

using namespace parlab;

namespace {

template <typename T>
__global__ void covariance_divide(T* cov, std::int64_t count, T divisor) {
  for (std::int64_t at = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
       at < count; at += std::int64_t{gridDim.x} * blockDim.x) {
    cov[at] /= divisor;
  }
}

}  // namespace

const Register<Covariance, float, double> variant(
    {
        .rung = 100,
        .idea = "gemm of cuBLAS on the centred copy: both triangles",
        .units = {{Dtype::f64, "tensor double"}},
    },
    []<typename T>(Gpu& gpu, const Covariance::Args<T>& p, const Tunables&) {
      const T* const centred = centred_copy(gpu, p, p.m, p.n);
      Cublas::on(gpu).gemm_gram(p.n, p.m, centred, p.cov);
      const auto blocks =
          std::min<std::int64_t>(ceil_div(p.n * p.n, 256), 1 << 16);
      gpu.launch({.grid = {blocks}, .block = {256}}, covariance_divide<T>,
                 p.cov, p.n * p.n, p.divisor);
    });
