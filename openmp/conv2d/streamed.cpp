// Three things save time at the memory. Stores that go around the caches
// (non-temporal): a line of b that is written in the usual way is first read
// from memory, a third of all that is moved. Four rows of b at a time: six rows
// of a are read for them, not twelve. And a vector of a is loaded once: what
// its points have to the left and right is shifted in from its neighbours,
// where loads of these would touch two lines each. Images that fit in a cache
// gain less: what is stored around it is missing there.
//
// Such stores must be aligned, in all of the rows: where the next row begins at
// another place inside a vector it is one row at a time. The few points before
// and after the aligned part of a row are computed one by one.
#include <algorithm>
#include <cstdint>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "host/host.hpp"
#include "host/vectors.hpp"
#include "workloads/conv2d.hpp"

using namespace parlab;

namespace {

// Bytes of a row ahead of what is computed: the hardware's own prefetching
// ends at a page.
constexpr int ahead = 512;

// Elements first, first + 1, ... of the two, one after the other.
template <int first, typename Vector, int... lane>
Vector elements_from(Vector low, Vector high,
                     std::integer_sequence<int, lane...>) {
#if defined(__clang__)
  return __builtin_shufflevector(low, high, (first + lane)...);
#else
  using Lanes = decltype(low < high);  // integers of the same width
  return __builtin_shuffle(low, high, Lanes{(first + lane)...});
#endif
}

// to: aligned to the size of value.
template <typename Vector, typename T>
void stream(T* to, Vector value) {
#if defined(__AVX512F__)
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to),
                      reinterpret_cast<__m512i&>(value));
#elif defined(__AVX__)
  _mm256_stream_si256(reinterpret_cast<__m256i*>(to),
                      reinterpret_cast<__m256i&>(value));
#elif defined(__x86_64__)
  _mm_stream_si128(reinterpret_cast<__m128i*>(to),
                   reinterpret_cast<__m128i&>(value));
#else
  *reinterpret_cast<Vector*>(to) = value;
#endif
}

// Other threads see streamed stores no later than what follows.
void end_of_stream() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

// Points [from, to) of one row of b; a and b: where the row begins.
template <typename T>
void one_row(const T* a, T* b, std::int64_t cols, std::int64_t from,
             std::int64_t to) {
  for (std::int64_t col = from; col < to; ++col) {
    T sum = 0;
    for (int down = -1; down <= 1; ++down) {
      for (int across = -1; across <= 1; ++across) {
        sum += Conv2d::weight<T>(down, across) * a[down * cols + col + across];
      }
    }
    b[col] = sum;
  }
}

// Points 1 to cols - 2 of some rows; a and b: where the first of them begins.
template <int rows, typename T>
void rows_together(const T* a, T* b, std::int64_t cols) {
  using Vector = typename VectorOf<T>::type;
  using Unaligned = typename VectorOf<T>::unaligned;
  constexpr int n = vector_bytes / sizeof(T), needed = rows + 2;
  constexpr std::make_integer_sequence<int, n> lanes;
  const auto past = static_cast<std::int64_t>(
      reinterpret_cast<std::uintptr_t>(b + 1) % vector_bytes);
  const auto first = std::min(
      1 + (n - past / static_cast<std::int64_t>(sizeof(T))) % n, cols - 1);
  std::int64_t col = first;
  if (col + 2 * n <= cols) {
    // of each row of a: the vector at col, and the one before it, of which
    // only the last element counts
    Vector before[needed], here[needed];
#pragma GCC unroll 6
    for (int row = 0; row < needed; ++row) {
      const T* const at = a + (row - 1) * cols + col;
      before[row] = Vector{} + at[-1];
      here[row] = *reinterpret_cast<const Unaligned*>(at);
    }

    for (; col + 2 * n <= cols; col += n) {
      Vector sum[rows] = {};
#pragma GCC unroll 6
      for (int row = 0; row < needed; ++row) {
        const T* const at = a + (row - 1) * cols + col;
        // the others were read for the rows above
        if (row >= 2) {
          __builtin_prefetch(reinterpret_cast<const char*>(at) + ahead);
        }
        const Vector after = *reinterpret_cast<const Unaligned*>(at + n);
        const Vector left = elements_from<n - 1>(before[row], here[row], lanes),
                     right = elements_from<1>(here[row], after, lanes);
#pragma GCC unroll 4
        for (int out = 0; out < rows; ++out) {
          const int down = row - 1 - out;
          if (down < -1 || down > 1) continue;
          sum[out] += Conv2d::weight<T>(down, -1) * left +
                      Conv2d::weight<T>(down, 0) * here[row] +
                      Conv2d::weight<T>(down, 1) * right;
        }
        before[row] = here[row];
        here[row] = after;
      }
#pragma GCC unroll 4
      for (int out = 0; out < rows; ++out)
        stream(b + out * cols + col, sum[out]);
    }
  }

  for (int row = 0; row < rows; ++row) {
    one_row(a + row * cols, b + row * cols, cols, 1, first);
    one_row(a + row * cols, b + row * cols, cols, col, cols - 1);
  }
}

template <int together, typename T>
void all_rows(const T* a, T* b, std::int64_t rows, std::int64_t cols,
              int threads) {
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(static) nowait
    for (std::int64_t first = 1; first < rows - 1; first += together) {
      if (first + together < rows) {
        rows_together<together>(a + first * cols, b + first * cols, cols);
        continue;
      }
      for (std::int64_t row = first; row < rows - 1; ++row)
        one_row(a + row * cols, b + row * cols, cols, 1, cols - 1);
    }
    end_of_stream();
  }
}

template <typename T>
void conv2d_streamed_host(const T* a, T* b, std::int64_t rows,
                          std::int64_t cols, int threads) {
  const auto pitch = cols * static_cast<std::int64_t>(sizeof(T));
  const auto run = pitch % vector_bytes == 0 ? all_rows<4, T> : all_rows<1, T>;
  run(a, b, rows, cols, threads);
}

}  // namespace

const Register<Conv2d, float, double> variant(
    {
        .rung = 2,
        .idea = "four rows at a time, each vector of a loaded once, b written "
                "around the caches",
        .tunables = {threads()},
    },
    []<typename T>(Host&, const Conv2d::Args<T>& p, const Tunables& tunables) {
      conv2d_streamed_host(p.a, p.b, p.rows, p.cols,
                           static_cast<int>(tunables["threads"]));
    });
