// The BLAS of this host, loaded when it is first called: a program that
// does not use it does not wait for it. Any that has the CBLAS interface
// with 32-bit extents will do.
#pragma once

#include <omp.h>

#include <cstdint>
#include <limits>
#include <string>
#include <tuple>

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

  // T: float or double. All matrices are row-major without gaps.
  // y = A x, A rows x cols, on this many threads.
  template <typename T>
  void gemv(int threads, std::int64_t rows, std::int64_t cols, const T* a,
            const T* x, T* y) const {
    const Threads scope(*this, threads);
    of<T>().gemv(row_major, no_trans, size(rows), size(cols), 1, a, size(cols),
                 x, 1, 0, y, 1);
  }
  // y = A^T x, A as above.
  template <typename T>
  void gemv_transposed(int threads, std::int64_t rows, std::int64_t cols,
                       const T* a, const T* x, T* y) const {
    const Threads scope(*this, threads);
    of<T>().gemv(row_major, trans, size(rows), size(cols), 1, a, size(cols), x,
                 1, 0, y, 1);
  }
  // x . y, n elements each.
  template <typename T>
  T dot(int threads, std::int64_t n, const T* x, const T* y) const {
    const Threads scope(*this, threads);
    return of<T>().dot(size(n), x, 1, y, 1);
  }
  // C = A B, A m x k, B k x n.
  template <typename T>
  void gemm(int threads, std::int64_t m, std::int64_t k, std::int64_t n,
            const T* a, const T* b, T* c) const {
    const Threads scope(*this, threads);
    of<T>().gemm(row_major, no_trans, no_trans, size(m), size(n), size(k), 1, a,
                 size(k), b, size(n), 0, c, size(n));
  }
  // C = A^T A, A m x n, C n x n.
  template <typename T>
  void gemm_gram(int threads, std::int64_t m, std::int64_t n, const T* a,
                 T* c) const {
    const Threads scope(*this, threads);
    of<T>().gemm(row_major, trans, no_trans, size(n), size(n), size(m), 1, a,
                 size(n), a, size(n), 0, c, size(n));
  }
  // The same; only the upper triangle of C is written.
  template <typename T>
  void syrk(int threads, std::int64_t m, std::int64_t n, const T* a,
            T* c) const {
    const Threads scope(*this, threads);
    of<T>().syrk(row_major, upper, trans, size(n), size(m), 1, a, size(n), 0, c,
                 size(n));
  }

 private:
  // Of the CBLAS interface: row-major; as it is,
  // transposed; the upper triangle.
  static constexpr int row_major = 101, no_trans = 111, trans = 112,
                       upper = 121;

  template <typename T>
  struct Calls {
    void (*gemv)(int, int, int, int, T, const T*, int, const T*, int, T, T*,
                 int) = nullptr;
    T (*dot)(int, const T*, int, const T*, int) = nullptr;
    void (*gemm)(int, int, int, int, int, int, T, const T*, int, const T*, int,
                 T, T*, int) = nullptr;
    void (*syrk)(int, int, int, int, int, T, const T*, int, T, T*,
                 int) = nullptr;
  };
  template <typename T>
  const Calls<T>& of() const {
    return std::get<Calls<T>>(calls_);
  }

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
  template <typename T>
  void resolve(Calls<T>& calls, const std::string& prefix) const;

  static int size(std::int64_t extent) {
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    if (extent > most) {
      throw PointError(
          Verdict::not_supported,
          {.cause = Cause::extent_beyond_blas, .arguments = {extent, most}});
    }
    return static_cast<int>(extent);
  }

  void* library_ = nullptr;
  std::string soname_, name_;
  // Of the one instance there is: known where the library is not linked, too.
  inline static bool has_own_threads_ = false;
  std::tuple<Calls<float>, Calls<double>> calls_;
  void (*set_threads_)(int) = nullptr;                // at most one of the two
  void (*set_threads_long_)(std::int64_t) = nullptr;  // BLIS
};

}  // namespace parlab
