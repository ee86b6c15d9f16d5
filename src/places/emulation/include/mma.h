// Stand-in for the toolkit's header of this name, for emulated kernels:
// products of tiles by a warp. Element e of lane l is number 32 e + l of its
// tile, row by row. A GPU uses another order, which programs must not rely on.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "places/emulation/runtime.hpp"

namespace nvcuda::wmma {

using parlab::emulation::Site;

struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
}  // namespace precision

template <typename T>
struct Storage {
  using type = T;
};
template <>
struct Storage<precision::tf32> {
  using type = float;
};

template <typename Use, int m, int n, int k, typename T, typename Layout = void>
struct fragment {
  static constexpr bool is_a = std::is_same_v<Use, matrix_a>,
                        is_b = std::is_same_v<Use, matrix_b>;
  static constexpr int rows = is_b ? k : m, cols = is_a ? k : n;
  static constexpr int num_elements = rows * cols / 32;
  using element_type = typename Storage<T>::type;
  using storage_element_type = element_type;
  element_type x[num_elements];
};

// The lanes of a warp must come together, or the result is undefined.
inline void come_together(const char* what, const Site& site) {
  parlab::emulation::meet({parlab::emulation::Scope::lanes, what, site});
}

template <typename Use, int m, int n, int k, typename T, typename Layout>
void fill_fragment(fragment<Use, m, n, k, T, Layout>& to,
                   std::type_identity_t<
                       typename fragment<Use, m, n, k, T, Layout>::element_type>
                       value) {
  for (auto& x : to.x)
    x = value;
}

// Calls f(element of this lane, its place in memory).
template <typename Fragment, typename P, typename F>
void each_element(const char* what, const Site& site, P* matrix, unsigned pitch,
                  bool by_rows, F f) {
  come_together(what, site);
  parlab::emulation::require_tile(matrix, pitch * sizeof(P), what, site);
  for (int e = 0; e < Fragment::num_elements; ++e) {
    const unsigned number =
        static_cast<unsigned>(32 * e + parlab::emulation::lane_index());
    const unsigned row = number / Fragment::cols, col = number % Fragment::cols;
    f(e, by_rows ? matrix + row * pitch + col : matrix + col * pitch + row);
  }
}

template <typename Use, int m, int n, int k, typename T, typename Layout,
          typename P>
void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& to, const P* matrix,
                      unsigned pitch, PARLAB_SITE) {
  each_element<fragment<Use, m, n, k, T, Layout>>(
      "load_matrix_sync", site, matrix, pitch,
      std::is_same_v<Layout, row_major>,
      [&](int e, const P* at) { to.x[e] = *at; });
}
template <int m, int n, int k, typename T, typename P>
void load_matrix_sync(fragment<accumulator, m, n, k, T>& to, const P* matrix,
                      unsigned pitch, layout_t layout, PARLAB_SITE) {
  each_element<fragment<accumulator, m, n, k, T>>(
      "load_matrix_sync", site, matrix, pitch, layout == mem_row_major,
      [&](int e, const P* at) { to.x[e] = *at; });
}
template <int m, int n, int k, typename T, typename P>
void store_matrix_sync(P* matrix, const fragment<accumulator, m, n, k, T>& from,
                       unsigned pitch, layout_t layout, PARLAB_SITE) {
  each_element<fragment<accumulator, m, n, k, T>>(
      "store_matrix_sync", site, matrix, pitch, layout == mem_row_major,
      [&](int e, P* at) { *at = from.x[e]; });
}

template <typename T>
double factor(T x) {
  return static_cast<double>(static_cast<float>(x));
}
inline double factor(double x) {
  return x;
}
inline float __float_to_tf32(float x) {
  return __uint_as_float((__float_as_uint(x) + 0x1000) & ~0x1fffu);
}

// Products are exact, added in double and rounded once; for doubles they are a
// chain of fused multiply-adds. See gpu/tensor_cores.hpp.
template <int m, int n, int k, typename T, typename A, typename LayoutA,
          typename LayoutB, typename C>
void mma_sync(fragment<accumulator, m, n, k, T>& d,
              const fragment<matrix_a, m, n, k, A, LayoutA>& a,
              const fragment<matrix_b, m, n, k, A, LayoutB>& b,
              const fragment<accumulator, m, n, k, C>& c, PARLAB_SITE) {
  struct Mine {
    fragment<matrix_a, m, n, k, A, LayoutA> a;
    fragment<matrix_b, m, n, k, A, LayoutB> b;
  };
  const auto lanes = parlab::emulation::all_lanes(Mine{a, b}, site);
  const auto cut = [](auto x) {
    if constexpr (std::is_same_v<A, precision::tf32>)
      return factor(__uint_as_float(__float_as_uint(x) & ~0x1fffu));
    else
      return factor(x);
  };
  for (int e = 0; e < d.num_elements; ++e) {
    const int number = 32 * e + parlab::emulation::lane_index();
    const int row = number / n, col = number % n;
    double sum = factor(c.x[e]);
    for (int i = 0; i < k; ++i) {
      const int at_a = row * k + i, at_b = i * n + col;
      sum = std::fma(cut(lanes[at_a % 32].a.x[at_a / 32]),
                     cut(lanes[at_b % 32].b.x[at_b / 32]), sum);
    }
    d.x[e] = static_cast<T>(sum);
  }
}

}  // namespace nvcuda::wmma

namespace parlab::emulation::cuda {
using nvcuda::wmma::__float_to_tf32;
}
