// The BLAS of this host, loaded on its first call, so that other programs do
// not wait for it. Any library with the CBLAS interface and 32-bit extents will
// do.
#pragma once

#include <omp.h>

#include <cstdint>
#include <limits>
#include <string>
#include <tuple>

#include "core/types.hpp"
#include "facts/cause.hpp"

namespace parlab {

// The BLAS calls that variants use. There is one instance per process, and the
// library stays loaded.
class Blas {
 public:
  // The library that PARLAB_BLAS names, by soname or path. Otherwise the first
  // available one of OpenBLAS, preferably built with OpenMP, BLIS, FlexiBLAS
  // and MKL. Throws PointError(not_supported) if there is none.
  static const Blas& instance();
  // What is loaded, "OpenBLAS 0.3.21"; empty when nothing has asked for it.
  static std::string loaded();
  // Whether the loaded library starts threads of its own besides those of
  // OpenMP.
  static bool has_own_threads() { return has_own_threads_; }

  // T is float or double. All matrices are row-major without gaps. y = A x,
  // with A rows x cols, on this many threads.
  template <typename T>
  void gemv(int threads, std::int64_t rows, std::int64_t cols, const T* a,
            const T* x, T* y) const {
    const Threads scope(*this, threads);
    of<T>().gemv(row_major, no_trans, size(rows), size(cols), 1, a, size(cols),
                 x, 1, 0, y, 1);
  }
  // y = A^T x, with A as above.
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
  // C = A B, with A m x k and B k x n.
  template <typename T>
  void gemm(int threads, std::int64_t m, std::int64_t k, std::int64_t n,
            const T* a, const T* b, T* c) const {
    const Threads scope(*this, threads);
    of<T>().gemm(row_major, no_trans, no_trans, size(m), size(n), size(k), 1, a,
                 size(k), b, size(n), 0, c, size(n));
  }
  // C = A^T A, with A m x n and C n x n.
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
  // Constants of the CBLAS interface: row-major; not transposed; transposed;
  // the upper triangle.
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

  // Sets the number of threads for one call. Libraries built with OpenMP also
  // change the caller's default, so that is restored.
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
  // For the only instance; defined even if the library is not linked.
  inline static bool has_own_threads_ = false;
  std::tuple<Calls<float>, Calls<double>> calls_;
  // at most one of the two is set
  void (*set_threads_)(int) = nullptr;
  void (*set_threads_long_)(std::int64_t) = nullptr;  // BLIS
};

}  // namespace parlab
