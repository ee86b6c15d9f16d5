// Three things save time at the memory. Non-temporal stores go around the
// caches: a line of b that is written in the usual way is first read from
// memory, a third of all traffic. Four rows of b are computed at a time: six
// rows of a are read for them, not twelve. And a vector of a is loaded once:
// the points to the left and right of its own are shifted in from its
// neighbours, where loading them would touch two lines each. Images that fit in
// a cache gain less, because the stored points are then missing there.
//
// Such stores must be aligned, and those of a cache line must follow each
// other: a line that leaves the core in parts is written several times. So 2
// KiB of a row's points are collected in the L1 cache and leave as whole lines,
// wherever in a line the row begins: odd sizes are as fast as even ones. Lines
// that belong to two rows are written in the usual way.
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

// Bytes to prefetch ahead in a row: the hardware's own prefetching ends at a
// page.
constexpr int ahead = 512;

// Elements first, first + 1, ... of low followed by high.
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

// Makes streamed stores visible to other threads before later ones.
void end_of_stream() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

// Points [from, to) of one row. a: where the row begins; sums: results from the
// point `from` on.
template <typename T>
void one_by_one(const T* a, std::int64_t cols, std::int64_t from,
                std::int64_t to, T* sums) {
  for (std::int64_t col = from; col < to; ++col) {
    T sum = 0;
    for (int down = -1; down <= 1; ++down) {
      for (int across = -1; across <= 1; ++across) {
        sum += Conv2d::weight<T>(down, across) * a[down * cols + col + across];
      }
    }
    sums[col - from] = sum;
  }
}

// Points [from, to) of some rows, as far as whole vectors go; returns their
// end. a: where the first row begins; sums: the results of each row.
template <int rows, typename T>
std::int64_t vectors_of(const T* a, std::int64_t cols, std::int64_t from,
                        std::int64_t to, T* const (&sums)[rows]) {
  using Vector = typename VectorOf<T>::type;
  using Unaligned = typename VectorOf<T>::unaligned;
  constexpr int n = vector_bytes / sizeof(T), needed = rows + 2;
  constexpr std::make_integer_sequence<int, n> lanes;
  std::int64_t col = from;
  if (col + n > to || col + 2 * n > cols) return col;

  // per row of a: the vector at col, and the previous one for its last element
  Vector before[needed], here[needed];
#pragma GCC unroll 6
  for (int row = 0; row < needed; ++row) {
    const T* const at = a + (row - 1) * cols + col;
    before[row] = Vector{} + at[-1];
    here[row] = *reinterpret_cast<const Unaligned*>(at);
  }

  for (; col + n <= to && col + 2 * n <= cols; col += n) {
    Vector sum[rows] = {};
#pragma GCC unroll 6
    for (int row = 0; row < needed; ++row) {
      const T* const at = a + (row - 1) * cols + col;
      // the other rows were already read for the rows above
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
      *reinterpret_cast<Unaligned*>(sums[out] + (col - from)) = sum[out];
  }
  return col;
}

constexpr std::int64_t line_bytes = 64;

// A row of b on its way to memory. Element i here is element i of the cache
// line of b that is written next.
template <typename T>
class Outgoing {
 public:
  static constexpr std::int64_t line = line_bytes / sizeof(T),
                                most = 2048 / sizeof(T);

  void begin(T* to) {
    first_ = end_ = reinterpret_cast<std::uintptr_t>(to) % line_bytes /
                    static_cast<std::int64_t>(sizeof(T));
    to_ = to - first_;
  }
  T* room() { return elements_ + end_; }  // room for `most` elements
  std::int64_t space() const { return most - end_; }

  // Adds the next `count` elements, already in room(), and stores whole lines.
  void add(std::int64_t count) {
    using Vector = typename VectorOf<T>::type;
    constexpr std::int64_t n = vector_bytes / sizeof(T);
    end_ += count;
    const auto whole = end_ / line * line;
    if (whole == 0) return;
    std::int64_t i = 0;
    if (first_ > 0) {  // the line belongs to the row above, too
      std::copy(elements_ + first_, elements_ + line, to_ + first_);
      i = line;
    }
    for (; i < whole; i += n)
      stream(to_ + i, *reinterpret_cast<const Vector*>(elements_ + i));
    std::copy(elements_ + whole, elements_ + end_, elements_);
    to_ += whole;
    first_ = 0;
    end_ -= whole;
  }
  void finish() {
    std::copy(elements_ + first_, elements_ + end_, to_ + first_);
  }

 private:
  alignas(line_bytes) T elements_[most + line];
  T* to_;
  std::int64_t first_, end_;
};

// Points 1 to cols - 2 of some rows. a and b: where the first of them begins.
template <int rows, typename T>
void rows_together(const T* a, T* b, std::int64_t cols) {
  Outgoing<T> outgoing[rows];
  for (int row = 0; row < rows; ++row)
    outgoing[row].begin(b + row * cols + 1);
  // The first part ends at the end of a line of the first row.
  auto end = std::min(1 + outgoing[0].space(), cols - 1);
  for (std::int64_t col = 1; col < cols - 1;
       col = end, end = std::min(col + Outgoing<T>::most, cols - 1)) {
    T* room[rows];
    for (int row = 0; row < rows; ++row)
      room[row] = outgoing[row].room();
    const auto done = vectors_of<rows>(a, cols, col, end, room);
    for (int row = 0; row < rows; ++row) {
      one_by_one(a + row * cols, cols, done, end, room[row] + (done - col));
      outgoing[row].add(end - col);
    }
  }
  for (auto& row : outgoing)
    row.finish();
}

template <typename T>
void conv2d_streamed_host(const T* a, T* b, std::int64_t rows,
                          std::int64_t cols, int threads) {
  constexpr int together = 4;
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(static) nowait
    for (std::int64_t first = 1; first < rows - 1; first += together) {
      if (first + together < rows) {
        rows_together<together>(a + first * cols, b + first * cols, cols);
        continue;
      }
      for (std::int64_t row = first; row < rows - 1; ++row)
        rows_together<1>(a + row * cols, b + row * cols, cols);
    }
    end_of_stream();
  }
}

}  // namespace

const Register<Conv2d, float, double> variant(
    {
        .rung = 2,
        .idea = "four rows at a time, each vector of a loaded once, b written "
                "past the caches",
        .tunables = {threads()},
    },
    []<typename T>(Host&, const Conv2d::Args<T>& p, const Tunables& tunables) {
      conv2d_streamed_host(p.a, p.b, p.rows, p.cols,
                           static_cast<int>(tunables["threads"]));
    });
