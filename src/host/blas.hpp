// The BLAS of this host, loaded when it is first called: a program that
// does not use it does not wait for it. Any that has the CBLAS interface
// with 32-bit extents will do.
#pragma once

#include <omp.h>

#include <cstdint>
#include <limits>
#include <string>

#include "core/types.hpp"
#include "facts/cause.hpp"

namespace parlab {

// The calls that variants use. One instance per process;
// the library stays loaded.
class Blas {
 public:
  // The one that PARLAB_BLAS names, by soname or path; else the first
  // there is of OpenBLAS, built with OpenMP if possible, BLIS, FlexiBLAS
  // and MKL. Throws PointError(not_supported) when there is none.
  static const Blas& instance();
  // What is loaded, "OpenBLAS 0.3.21"; empty when nothing has asked for it.
  static std::string loaded();
  // The one that is loaded was built to start threads of its own,
  // beside those of OpenMP.
  static bool has_own_threads() { return has_own_threads_; }

  // y = A x, A rows x cols and row-major, on this many threads.
  void gemv(int threads,
            std::int64_t rows,
            std::int64_t cols,
            const float* a,
            const float* x,
            float* y) const {
    const Threads scope(*this, threads);
    sgemv_(row_major, no_trans, size(rows), size(cols), 1, a, size(cols), x, 1,
           0, y, 1);
  }
  void gemv(int threads,
            std::int64_t rows,
            std::int64_t cols,
            const double* a,
            const double* x,
            double* y) const {
    const Threads scope(*this, threads);
    dgemv_(row_major, no_trans, size(rows), size(cols), 1, a, size(cols), x, 1,
           0, y, 1);
  }

  // y = A^T x, A as above.
  void gemv_transposed(int threads,
                       std::int64_t rows,
                       std::int64_t cols,
                       const float* a,
                       const float* x,
                       float* y) const {
    const Threads scope(*this, threads);
    sgemv_(row_major, trans, size(rows), size(cols), 1, a, size(cols), x, 1, 0,
           y, 1);
  }
  void gemv_transposed(int threads,
                       std::int64_t rows,
                       std::int64_t cols,
                       const double* a,
                       const double* x,
                       double* y) const {
    const Threads scope(*this, threads);
    dgemv_(row_major, trans, size(rows), size(cols), 1, a, size(cols), x, 1, 0,
           y, 1);
  }

  // x . y, n elements each.
  float dot(int threads, std::int64_t n, const float* x, const float* y) const {
    const Threads scope(*this, threads);
    return sdot_(size(n), x, 1, y, 1);
  }
  double dot(int threads,
             std::int64_t n,
             const double* x,
             const double* y) const {
    const Threads scope(*this, threads);
    return ddot_(size(n), x, 1, y, 1);
  }

  // C = A B, A m x k, B k x n, all row-major without gaps.
  void gemm(int threads,
            std::int64_t m,
            std::int64_t k,
            std::int64_t n,
            const float* a,
            const float* b,
            float* c) const {
    const Threads scope(*this, threads);
    sgemm_(row_major, no_trans, no_trans, size(m), size(n), size(k), 1, a,
           size(k), b, size(n), 0, c, size(n));
  }
  void gemm(int threads,
            std::int64_t m,
            std::int64_t k,
            std::int64_t n,
            const double* a,
            const double* b,
            double* c) const {
    const Threads scope(*this, threads);
    dgemm_(row_major, no_trans, no_trans, size(m), size(n), size(k), 1, a,
           size(k), b, size(n), 0, c, size(n));
  }

  // C = A^T A, A m x n, C n x n, all row-major without gaps.
  void gemm_gram(int threads,
                 std::int64_t m,
                 std::int64_t n,
                 const float* a,
                 float* c) const {
    const Threads scope(*this, threads);
    sgemm_(row_major, trans, no_trans, size(n), size(n), size(m), 1, a, size(n),
           a, size(n), 0, c, size(n));
  }
  void gemm_gram(int threads,
                 std::int64_t m,
                 std::int64_t n,
                 const double* a,
                 double* c) const {
    const Threads scope(*this, threads);
    dgemm_(row_major, trans, no_trans, size(n), size(n), size(m), 1, a, size(n),
           a, size(n), 0, c, size(n));
  }
  // The same; only the upper triangle of C is written.
  void syrk(int threads,
            std::int64_t m,
            std::int64_t n,
            const float* a,
            float* c) const {
    const Threads scope(*this, threads);
    ssyrk_(row_major, upper, trans, size(n), size(m), 1, a, size(n), 0, c,
           size(n));
  }
  void syrk(int threads,
            std::int64_t m,
            std::int64_t n,
            const double* a,
            double* c) const {
    const Threads scope(*this, threads);
    dsyrk_(row_major, upper, trans, size(n), size(m), 1, a, size(n), 0, c,
           size(n));
  }

 private:
  // Of the CBLAS interface: row-major; as it is,
  // transposed; the upper triangle.
  static constexpr int row_major = 101, no_trans = 111, trans = 112,
                       upper = 121;

  template <typename T>
  using Gemv =
      void(int, int, int, int, T, const T*, int, const T*, int, T, T*, int);
  template <typename T>
  using Dot = T(int, const T*, int, const T*, int);
  template <typename T>
  using Gemm = void(int,
                    int,
                    int,
                    int,
                    int,
                    int,
                    T,
                    const T*,
                    int,
                    const T*,
                    int,
                    T,
                    T*,
                    int);
  template <typename T>
  using Syrk = void(int, int, int, int, int, T, const T*, int, T, T*, int);

  // Sets the number of threads for one call. The OpenMP flavour of a library
  // changes the caller's default with it, so that is put back.
  class Threads {
   public:
    Threads(const Blas& library, int threads) : before_(omp_get_max_threads()) {
      omp_set_num_threads(threads);
      if (library.set_threads_ != nullptr) library.set_threads_(threads);
      if (library.set_threads_long_ != nullptr)
        library.set_threads_long_(threads);
    }
    ~Threads() { omp_set_num_threads(before_); }
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

   private:
    int before_;
  };

  Blas();
  template <typename F>
  void resolve(F*& function, const char* name) const;

  static int size(std::int64_t extent) {
    if (extent > std::numeric_limits<int>::max()) {
      throw PointError(Verdict::not_supported,
                       "BLAS cannot take an extent of " +
                           std::to_string(extent) + ": the largest is " +
                           std::to_string(std::numeric_limits<int>::max()));
    }
    return static_cast<int>(extent);
  }

  void* library_ = nullptr;
  std::string soname_, name_;
  // Of the one instance there is: known where the library is not linked, too.
  inline static bool has_own_threads_ = false;
  Gemv<float>* sgemv_ = nullptr;
  Gemv<double>* dgemv_ = nullptr;
  Dot<float>* sdot_ = nullptr;
  Dot<double>* ddot_ = nullptr;
  Gemm<float>* sgemm_ = nullptr;
  Gemm<double>* dgemm_ = nullptr;
  Syrk<float>* ssyrk_ = nullptr;
  Syrk<double>* dsyrk_ = nullptr;
  void (*set_threads_)(int) = nullptr;                // at most one of the two
  void (*set_threads_long_)(std::int64_t) = nullptr;  // BLIS
};

}  // namespace parlab
