// Two things save time at the memory. Stores that go around the caches
// (non-temporal): a line of b that is written in the usual way is first read
// from memory, a third of all that is moved. And two rows of b at a time: four
// rows of a are read for them, not six, so that the caches keep up. Images that
// fit in a cache do not gain: what is stored around it is missing there.
//
// Such stores must be aligned, in both rows: the vectors are as wide as
// the distance of two rows allows. The few points before and after the
// aligned part of a row are computed one by one, and so is an odd row, or
// all of them when rows begin at odd places.
#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "host/host.hpp"
#include "workloads/conv2d.hpp"

using namespace parlab;

namespace {

template <typename T, int bytes>
struct VectorOf {
  typedef T type __attribute__((vector_size(bytes)));
  typedef T unaligned
      __attribute__((vector_size(bytes), aligned(sizeof(T)), may_alias));
};

// to: aligned to the size of value.
template <typename Vector, typename T>
void stream(T* to, Vector value) {
#if defined(__AVX512F__)
  if constexpr (sizeof(Vector) == 64) {
    return _mm512_stream_si512(reinterpret_cast<__m512i*>(to),
                               reinterpret_cast<__m512i&>(value));
  }
#endif
#if defined(__AVX__)
  if constexpr (sizeof(Vector) == 32) {
    return _mm256_stream_si256(reinterpret_cast<__m256i*>(to),
                               reinterpret_cast<__m256i&>(value));
  }
#endif
#if defined(__x86_64__)
  if constexpr (sizeof(Vector) == 16) {
    return _mm_stream_si128(reinterpret_cast<__m128i*>(to),
                            reinterpret_cast<__m128i&>(value));
  }
#endif
  *reinterpret_cast<Vector*>(to) = value;
}

// Other threads see streamed stores no later than what follows.
void end_of_stream() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

// Points [from, to) of one row of b; a and b: where the row begins.
template <typename T>
void one_row(
    const T* a, T* b, std::int64_t cols, std::int64_t from, std::int64_t to) {
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

// Points 1 to cols - 2 of two rows; a and b: where the upper one begins.
template <int bytes, typename T>
void two_rows(const T* a, T* b, std::int64_t cols) {
  using Vector = typename VectorOf<T, bytes>::type;
  using Unaligned = typename VectorOf<T, bytes>::unaligned;
  constexpr std::int64_t n = bytes / sizeof(T);
  const auto past = static_cast<std::int64_t>(
      reinterpret_cast<std::uintptr_t>(b + 1) % bytes);
  const auto first = std::min(
      1 + (n - past / static_cast<std::int64_t>(sizeof(T))) % n, cols - 1);
  std::int64_t col = first;
  for (; col + n <= cols - 1; col += n) {
    Vector upper{}, lower{};
#pragma GCC unroll 4
    for (int row = -1; row <= 2; ++row) {  // of a, beside the upper row of b
#pragma GCC unroll 3
      for (int across = -1; across <= 1; ++across) {
        const Vector value =
            *reinterpret_cast<const Unaligned*>(a + row * cols + col + across);
        if (row <= 1) upper += Conv2d::weight<T>(row, across) * value;
        if (row >= 0) lower += Conv2d::weight<T>(row - 1, across) * value;
      }
    }
    stream(b + col, upper);
    stream(b + cols + col, lower);
  }

  for (const std::int64_t row : {std::int64_t{0}, cols}) {
    one_row(a + row, b + row, cols, 1, first);
    one_row(a + row, b + row, cols, col, cols - 1);
  }
}

template <int bytes, typename T>
void all_rows(
    const T* a, T* b, std::int64_t rows, std::int64_t cols, int threads) {
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(static) nowait
    for (std::int64_t row = 1; row < rows - 2; row += 2) {
      two_rows<bytes>(a + row * cols, b + row * cols, cols);
    }
    end_of_stream();
  }

  if (rows >= 3 && rows % 2 == 1) {
    one_row(a + (rows - 2) * cols, b + (rows - 2) * cols, cols, 1, cols - 1);
  }
}

template <typename T>
void conv2d_streamed_host(
    const T* a, T* b, std::int64_t rows, std::int64_t cols, int threads) {
  const auto pitch = cols * static_cast<std::int64_t>(sizeof(T));
#if defined(__AVX512F__)
  if (pitch % 64 == 0) return all_rows<64>(a, b, rows, cols, threads);
#endif
#if defined(__AVX__)
  if (pitch % 32 == 0) return all_rows<32>(a, b, rows, cols, threads);
#endif
  if (pitch % 16 == 0) return all_rows<16>(a, b, rows, cols, threads);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t row = 1; row < rows - 1; ++row) {
    one_row(a + row * cols, b + row * cols, cols, 1, cols - 1);
  }
}

}  // namespace

const Register<Conv2d, float, double> variant(
    {
        .rung = 2,
        .idea = "two rows at a time, written around the caches: b is not read "
                "before it is written",
        .tunables = {threads()},
    },
    []<typename T>(Host&, const Conv2d::Args<T>& p, const Tunables& tunables) {
      conv2d_streamed_host(p.a, p.b, p.rows, p.cols,
                           static_cast<int>(tunables["threads"]));
    });
