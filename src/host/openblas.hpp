// OpenBLAS, loaded when it is first called: a program that does not use it does not wait for it.
#pragma once

#include <cblas.h>
#include <dlfcn.h>
#include <omp.h>

#include <cstdint>
#include <limits>
#include <string>

#include "core/types.hpp"

namespace parlab {

// The calls of OpenBLAS that variants use. One instance per process; the library stays loaded.
class OpenBlas {
 public:
  // Throws PointError(not_supported) when the library is not there.
  static const OpenBlas& instance() {
    static const OpenBlas library;
    return library;
  }

  // y = A x, A rows x cols and row-major, on this many threads.
  void gemv(int threads, std::int64_t rows, std::int64_t cols, const float* a, const float* x,
            float* y) const {
    const Threads scope(*this, threads);
    sgemv_(CblasRowMajor, CblasNoTrans, size(rows), size(cols), 1, a, size(cols), x, 1, 0, y, 1);
  }
  void gemv(int threads, std::int64_t rows, std::int64_t cols, const double* a, const double* x,
            double* y) const {
    const Threads scope(*this, threads);
    dgemv_(CblasRowMajor, CblasNoTrans, size(rows), size(cols), 1, a, size(cols), x, 1, 0, y, 1);
  }

  // y = A^T x, A as above.
  void gemv_transposed(int threads, std::int64_t rows, std::int64_t cols, const float* a,
                       const float* x, float* y) const {
    const Threads scope(*this, threads);
    sgemv_(CblasRowMajor, CblasTrans, size(rows), size(cols), 1, a, size(cols), x, 1, 0, y, 1);
  }
  void gemv_transposed(int threads, std::int64_t rows, std::int64_t cols, const double* a,
                       const double* x, double* y) const {
    const Threads scope(*this, threads);
    dgemv_(CblasRowMajor, CblasTrans, size(rows), size(cols), 1, a, size(cols), x, 1, 0, y, 1);
  }

  // x . y, n elements each.
  float dot(int threads, std::int64_t n, const float* x, const float* y) const {
    const Threads scope(*this, threads);
    return sdot_(size(n), x, 1, y, 1);
  }
  double dot(int threads, std::int64_t n, const double* x, const double* y) const {
    const Threads scope(*this, threads);
    return ddot_(size(n), x, 1, y, 1);
  }

  // C = A B, A m x k, B k x n, all row-major without gaps.
  void gemm(int threads, std::int64_t m, std::int64_t k, std::int64_t n, const float* a,
            const float* b, float* c) const {
    const Threads scope(*this, threads);
    sgemm_(CblasRowMajor, CblasNoTrans, CblasNoTrans, size(m), size(n), size(k), 1, a, size(k), b,
           size(n), 0, c, size(n));
  }
  void gemm(int threads, std::int64_t m, std::int64_t k, std::int64_t n, const double* a,
            const double* b, double* c) const {
    const Threads scope(*this, threads);
    dgemm_(CblasRowMajor, CblasNoTrans, CblasNoTrans, size(m), size(n), size(k), 1, a, size(k), b,
           size(n), 0, c, size(n));
  }

  // C = A^T A, A m x n, C n x n, all row-major without gaps.
  void gemm_gram(int threads, std::int64_t m, std::int64_t n, const float* a, float* c) const {
    const Threads scope(*this, threads);
    sgemm_(CblasRowMajor, CblasTrans, CblasNoTrans, size(n), size(n), size(m), 1, a, size(n), a,
           size(n), 0, c, size(n));
  }
  void gemm_gram(int threads, std::int64_t m, std::int64_t n, const double* a, double* c) const {
    const Threads scope(*this, threads);
    dgemm_(CblasRowMajor, CblasTrans, CblasNoTrans, size(n), size(n), size(m), 1, a, size(n), a,
           size(n), 0, c, size(n));
  }
  // The same; only the upper triangle of C is written.
  void syrk(int threads, std::int64_t m, std::int64_t n, const float* a, float* c) const {
    const Threads scope(*this, threads);
    ssyrk_(CblasRowMajor, CblasUpper, CblasTrans, size(n), size(m), 1, a, size(n), 0, c, size(n));
  }
  void syrk(int threads, std::int64_t m, std::int64_t n, const double* a, double* c) const {
    const Threads scope(*this, threads);
    dsyrk_(CblasRowMajor, CblasUpper, CblasTrans, size(n), size(m), 1, a, size(n), 0, c, size(n));
  }

 private:
  static constexpr const char* soname = "libopenblas.so.0";

  // Sets the number of threads for one call. The OpenMP flavour of the library changes the
  // caller's default with it, so that is put back.
  class Threads {
   public:
    Threads(const OpenBlas& library, int threads) : before_(omp_get_max_threads()) {
      library.set_num_threads_(threads);
    }
    ~Threads() { omp_set_num_threads(before_); }
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

   private:
    int before_;
  };

  OpenBlas() : library_(dlopen(soname, RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) {
      throw LibraryMissing(soname, std::string(dlerror()) + "; install libopenblas0-openmp");
    }
    resolve(sgemv_, "cblas_sgemv");
    resolve(dgemv_, "cblas_dgemv");
    resolve(sdot_, "cblas_sdot");
    resolve(ddot_, "cblas_ddot");
    resolve(sgemm_, "cblas_sgemm");
    resolve(dgemm_, "cblas_dgemm");
    resolve(ssyrk_, "cblas_ssyrk");
    resolve(dsyrk_, "cblas_dsyrk");
    resolve(set_num_threads_, "openblas_set_num_threads");
  }

  template <typename F>
  void resolve(F*& function, const char* name) {
    function = reinterpret_cast<F*>(dlsym(library_, name));
    if (function == nullptr) {
      throw PointError(Verdict::not_supported, std::string(soname) + " has no function " + name +
                                                   "; install libopenblas0-openmp");
    }
  }

  static blasint size(std::int64_t extent) {
    if (extent > std::numeric_limits<blasint>::max()) {
      throw PointError(Verdict::not_supported,
                       "OpenBLAS cannot take an extent of " + std::to_string(extent) +
                           ": the largest is " +
                           std::to_string(std::numeric_limits<blasint>::max()));
    }
    return static_cast<blasint>(extent);
  }

  void* library_;
  decltype(cblas_sgemv)* sgemv_ = nullptr;
  decltype(cblas_dgemv)* dgemv_ = nullptr;
  decltype(cblas_sdot)* sdot_ = nullptr;
  decltype(cblas_ddot)* ddot_ = nullptr;
  decltype(cblas_sgemm)* sgemm_ = nullptr;
  decltype(cblas_dgemm)* dgemm_ = nullptr;
  decltype(cblas_ssyrk)* ssyrk_ = nullptr;
  decltype(cblas_dsyrk)* dsyrk_ = nullptr;
  decltype(openblas_set_num_threads)* set_num_threads_ = nullptr;
};

}  // namespace parlab
