// The column pass first, because there a read serves many multiply-adds: each
// value meets one weight in every row of sums. Along a row it would serve one,
// since vectors that begin one pixel apart are different reads. So squares of
// the column pass's results are transposed in registers: rows become columns,
// and the row pass is a column pass again. Its results are transposed back on
// the way to b.
//
// A tile is one square high. Its columns are those of a strip and `radius` more
// on both sides, whose column pass the neighbours compute too. The tiles of a
// strip follow each other downwards, so that the rows of the image that two of
// them share are still in a cache.
#include <omp.h>

#include <algorithm>

#include "../register_tile.hpp"
#include "../turn.hpp"
#include "host/host.hpp"
#include "workloads/convsep.hpp"

using namespace parlab;

namespace {

constexpr int deep = 4;                       // rows of sums at once
constexpr int beside = vector_registers / 8;  // vectors of each at once

template <typename T>
constexpr int lanes = vector_bytes / sizeof(T);
template <typename T>
constexpr int side = beside* lanes<T>;  // of a square, in elements

// Rows of the image, or columns as rows: the first of them at `data`.
template <typename T>
struct Lines {
  const T* data;            // a square's width apart
  std::int64_t first, end;  // end: beyond the whole image's last one
};

// `deep` rows of a square of sums, the first one at `to`: row y is the sum over
// k of w[k] times line top + y + k.
template <typename T>
void filter(const Lines<T>& lines, std::int64_t top, const T* w, int taps,
            T* to) {
  using Vector = typename VectorOf<T>::type;
  using Unaligned = typename VectorOf<T>::unaligned;
  Vector sum[deep][beside] = {};
  // Line k meets weight k - y of row y.
  const auto add = [&](int k, int least, int most) {
    const T* const from = lines.data + (top - lines.first + k) * side<T>;
    Vector value[beside];
#pragma GCC unroll 4
    for (int i = 0; i < beside; ++i)
      value[i] = *reinterpret_cast<const Unaligned*>(from + i * lanes<T>);
#pragma GCC unroll 4
    for (int y = 0; y < deep; ++y) {
      if (y < least || y > most) continue;
#pragma GCC unroll 4
      for (int i = 0; i < beside; ++i)
        sum[y][i] += w[k - y] * value[i];
    }
  };
  const auto end = static_cast<int>(
      std::min<std::int64_t>(taps + deep - 1, lines.end - top));
  auto k = static_cast<int>(std::max<std::int64_t>(0, -top));
  for (; k < std::min(deep - 1, end); ++k)
    add(k, std::max(0, k - taps + 1), k);
  const int whole = std::min(taps, end);
#pragma GCC unroll 2  // or else GCC reads each value four times
  for (; k < whole; ++k)
    add(k, 0, deep - 1);
  for (; k < end; ++k)
    add(k, k - taps + 1, deep - 1);
#pragma GCC unroll 4
  for (int y = 0; y < deep; ++y) {
#pragma GCC unroll 4
    for (int i = 0; i < beside; ++i) {
      *reinterpret_cast<Unaligned*>(to + y * side<T> + i * lanes<T>) =
          sum[y][i];
    }
  }
}

// Transposes a square of vectors, whose rows are a square's width apart. Its
// first `rows` rows then go to `to`, `stride` elements apart, with their first
// `cols` elements.
template <typename T>
void turn(const T* from, T* to, std::int64_t stride, std::int64_t rows,
          std::int64_t cols) {
  constexpr int n = lanes<T>;
  using Unaligned = typename VectorOf<T>::unaligned;
  typename VectorOf<T>::type turned[n];
#pragma GCC unroll 16
  for (int i = 0; i < n; ++i)
    turned[i] = *reinterpret_cast<const Unaligned*>(from + i * side<T>);
  transpose<T>(turned);
  if (rows >= n && cols >= n) {
#pragma GCC unroll 16
    for (int i = 0; i < n; ++i)
      *reinterpret_cast<Unaligned*>(to + i * stride) = turned[i];
    return;
  }
  T whole[n * n];
#pragma GCC unroll 16
  for (int i = 0; i < n; ++i)
    *reinterpret_cast<Unaligned*>(whole + i * n) = turned[i];
  for (std::int64_t i = 0; i < std::min<std::int64_t>(n, rows); ++i)
    std::copy_n(whole + i * n, std::min<std::int64_t>(n, cols),
                to + i * stride);
}

// Prefetches `rows` rows of `cols` elements. They lie so far apart that the
// hardware predicts none.
template <int to_write, typename T>
void ask_for(const T* from, std::int64_t stride, std::int64_t rows,
             std::int64_t cols) {
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t i = 0; i < cols; i += 64 / sizeof(T))
      __builtin_prefetch(from + row * stride + i, to_write);
  }
}

// One thread's memory, in elements.
template <typename T>
struct Layout {
  std::int64_t turned, part, square = side<T> * side<T>;
  explicit Layout(int radius)
      : turned((2 * radius + 2 * side<T>)*side<T>),
        part((2 * radius + side<T>)*side<T>) {}
  std::int64_t size() const { return turned + part + square; }
};

template <typename T>
class Strip {
 public:
  // Columns [left, right) of b.
  Strip(const Convsep::Args<T>& p, const Layout<T>& layout, T* memory,
        std::int64_t left, std::int64_t right)
      : p_(p),
        left_(left),
        right_(right),
        to_(std::min(p.cols, right + p.radius)),
        turned_(memory),
        part_(turned_ + layout.turned),
        square_(part_ + layout.part) {
    std::fill_n(square_, layout.square, T{0});
  }

  // The tile of b from row `top` on.
  void tile(std::int64_t top) {
    const auto rows = std::min<std::int64_t>(side<T>, p_.rows - top);
    // lines of the transposed results: columns [first, end)
    auto first = std::max<std::int64_t>(0, left_ - p_.radius), end = first;
    for (auto x = left_; x < right_; x += side<T>) {
      const auto keep = std::max<std::int64_t>(0, x - p_.radius);
      std::copy(line(keep - first), line(end - first), turned_);
      first = keep;
      for (; end < std::min(to_, x + side<T> + p_.radius); end += side<T>)
        columns(top, rows, end, line(end - first));
      const auto cols = std::min<std::int64_t>(side<T>, right_ - x);
      T* const b = p_.b + top * p_.cols + x;
      ask_for<1>(b, p_.cols, rows, cols);
      filter_square({turned_, first, p_.cols}, x, cols);
      for (std::int64_t i = 0; i < rows; i += lanes<T>) {
        for (std::int64_t j = 0; j < cols; j += lanes<T>) {
          turn(square_ + j * side<T> + i, b + i * p_.cols + j, p_.cols,
               rows - i, cols - j);
        }
      }
    }
  }

 private:
  // The column pass for a square of columns from x on, transposed. Its part of
  // the image is copied first: rows that lie a power of two apart would push
  // each other out of the cache.
  void columns(std::int64_t top, std::int64_t rows, std::int64_t x, T* turned) {
    const auto cols = std::min<std::int64_t>(side<T>, to_ - x),
               above = std::max<std::int64_t>(0, top - p_.radius),
               below = std::min(p_.rows, top + side<T> + p_.radius);
    const T* const image = p_.a + x;
    for (auto row = above; row < below; ++row) {
      T* const to = part_ + (row - above) * side<T>;
      if (cols == side<T>)  // a constant for the compiler
        std::copy_n(image + row * p_.cols, side<T>, to);
      else
        std::copy_n(image + row * p_.cols, cols, to);
    }
    // for the next tile
    ask_for<0>(image + below * p_.cols, p_.cols,
               std::min<std::int64_t>(side<T>, p_.rows - below), cols);
    filter_square({part_, above, p_.rows}, top, rows);
    for (std::int64_t i = 0; i < side<T>; i += lanes<T>) {
      for (std::int64_t j = 0; j < side<T>; j += lanes<T>) {
        turn(square_ + i * side<T> + j, turned + j * side<T> + i, side<T>,
             lanes<T>, lanes<T>);
      }
    }
  }

  T* line(std::int64_t i) const { return turned_ + i * side<T>; }
  void filter_square(const Lines<T>& lines, std::int64_t top,
                     std::int64_t rows) {
    for (std::int64_t y = 0; y < rows; y += deep) {
      filter(lines, top + y - p_.radius, p_.w, 2 * p_.radius + 1,
             square_ + y * side<T>);
    }
  }

  const Convsep::Args<T>& p_;
  std::int64_t left_, right_, to_;  // to_: end of the columns that it needs
  T *turned_, *part_, *square_;
};

template <typename T>
void convsep_turned(const Convsep::Args<T>& p, Host& host, int threads,
                    std::int64_t width) {
  width = std::min(width, p.cols);
  const Layout<T> layout(p.radius);
  T* const memory = host.scratch<T>(threads * layout.size());

  // As tall as possible, but some for each thread.
  const auto strips = (p.cols + width - 1) / width,
             tiles = (p.rows + side<T> - 1) / side<T>,
             wanted = (4 * threads + strips - 1) / strips,
             height = std::max<std::int64_t>(1, tiles / wanted) * side<T>,
             parts = (p.rows + height - 1) / height;
#pragma omp parallel for collapse(2) schedule(dynamic) num_threads(threads)
  for (std::int64_t part = 0; part < parts; ++part) {
    for (std::int64_t strip = 0; strip < strips; ++strip) {
      Strip<T> tiles_of(p, layout,
                        memory + omp_get_thread_num() * layout.size(),
                        strip * width, std::min(p.cols, (strip + 1) * width));
      const auto bottom = std::min(p.rows, (part + 1) * height);
      for (auto top = part * height; top < bottom; top += side<T>)
        tiles_of.tile(top);
    }
  }
}

}  // namespace

const Register<Convsep, float, double> variant(
    {
        .rung = 3,
        .idea = "the column pass transposed in registers, so that the row pass "
                "is one too",
        .tunables =
            {threads(),
             {.name = "width", .fallback = 512, .min = 1, .max = 1 << 20}},
    },
    []<typename T>(Host& host, const Convsep::Args<T>& p,
                   const Tunables& tunables) {
      convsep_turned(p, host, static_cast<int>(tunables["threads"]),
                     tunables["width"]);
    });
