// Both passes at once on a strip of columns that is so narrow that the row
// pass's results stay in a cache: a ring of 2 radius + 4 rows. Four rows of the
// image are copied next to zeros (so the border needs no tests) and filtered
// along the row into the ring; then four rows of b are complete.
//
// The sums are in registers from the first weight to the last. In the row pass
// four vectors share a weight, and a read serves one multiply-add. In the
// column pass one read of the ring serves four, one in each of the four rows of
// b. The arithmetic then takes most of the time, provided that memory is asked
// early: for the next four rows of the strip during these, and for those of b
// before their sums.
//
// A thread has all rows of a strip, or a part of them. A part begins with 2
// radius rows whose row pass the thread above computes too.
#include <omp.h>

#include <algorithm>
#include <cstring>

#include "host/host.hpp"
#include "host/vectors.hpp"
#include "workloads/convsep.hpp"

using namespace parlab;

namespace {

template <typename T>
constexpr std::int64_t lanes = vector_bytes / sizeof(T);

constexpr int batch = 4;  // rows at once
constexpr int wide = 4;   // vectors at once in the row pass

// The layout of one thread's memory, in elements.
template <typename T>
struct Layout {
  static constexpr std::int64_t step = wide * lanes<T>;
  std::int64_t width, line, ring_rows;  // width: a multiple of `wide` vectors

  Layout(std::int64_t strip, int radius)
      : width((strip + step - 1) / step * step),
        line(width + (2 * radius + 63) / 64 * 64),
        ring_rows(2 * radius + batch) {}
  std::int64_t size() const { return line + ring_rows * width + batch * width; }
};

// line: width + 2 radius pixels, of which the first is `radius` left
// of the row's first sum.
template <typename T>
void row_pass(const T* line, const T* w, T* sums, std::int64_t width,
              int taps) {
  using Vector = typename VectorOf<T>::type;
  using Unaligned = typename VectorOf<T>::unaligned;
  for (std::int64_t x = 0; x < width; x += wide * lanes<T>) {
    Vector sum[wide] = {};
    for (int k = 0; k < taps; ++k) {
#pragma GCC unroll 4
      for (int i = 0; i < wide; ++i) {
        sum[i] += w[k] * *reinterpret_cast<const Unaligned*>(line + x + k +
                                                             i * lanes<T>);
      }
    }
#pragma GCC unroll 4
    for (int i = 0; i < wide; ++i)
      *reinterpret_cast<Unaligned*>(sums + x + i * lanes<T>) = sum[i];
  }
}

// sums: `batch` rows; rows: taps + batch - 1 rows of the ring,
// from the uppermost on.
template <typename T>
void column_pass(const T* const* rows, const T* w, T* sums, std::int64_t width,
                 int taps) {
  using Vector = typename VectorOf<T>::type;
  using Unaligned = typename VectorOf<T>::unaligned;
  constexpr int beside = 2;
  for (std::int64_t x = 0; x < width; x += beside * lanes<T>) {
    Vector sum[batch][beside] = {};

    // Row k meets weight k - y of row y of the batch. From the fourth row on,
    // that is all four rows.
    const auto add = [&](int k, int first, int last) {
      const Vector value[beside] = {
          *reinterpret_cast<const Unaligned*>(rows[k] + x),
          *reinterpret_cast<const Unaligned*>(rows[k] + x + lanes<T>)};
#pragma GCC unroll 4
      for (int y = 0; y < batch; ++y) {
        if (y < first || y > last) continue;
        for (int i = 0; i < beside; ++i)
          sum[y][i] += w[k - y] * value[i];
      }
    };
    int k = 0;
    for (; k < batch - 1; ++k)
      add(k, std::max(0, k - taps + 1), k);
    for (; k < taps; ++k)
      add(k, 0, batch - 1);
    for (; k < taps + batch - 1; ++k)
      add(k, k - taps + 1, batch - 1);
    for (int y = 0; y < batch; ++y) {
      for (int i = 0; i < beside; ++i) {
        *reinterpret_cast<Unaligned*>(sums + y * width + x + i * lanes<T>) =
            sum[y][i];
      }
    }
  }
}

// Prefetches a part of a row that is needed later. Rows lie so far apart that
// the hardware predicts none.
template <int to_write, typename T>
void ask_for(const T* from, std::int64_t count) {
  for (std::int64_t i = 0; i < count; i += 64 / sizeof(T))
    __builtin_prefetch(from + i, to_write);
}

// Rows [top, bottom) of b, columns [left, left + strip).
template <typename T>
void strip_of(const Convsep::Args<T>& p, const Layout<T>& layout, T* memory,
              std::int64_t left, std::int64_t strip, std::int64_t top,
              std::int64_t bottom) {
  const std::int64_t radius = p.radius;
  const int taps = 2 * p.radius + 1;
  T* const line = memory;
  T* const ring = memory + layout.line;
  T* const sums = ring + layout.ring_rows * layout.width;
  // row: of the image, from top - radius on
  const auto ring_row = [&](std::int64_t row) {
    return ring + (row - top + radius) % layout.ring_rows * layout.width;
  };
  std::fill_n(line, layout.line, T{0});
  const auto from = std::max(std::int64_t{0}, left - radius);
  const auto to = std::min(p.cols, left + strip + radius);
  const auto fetch = [&](std::int64_t row) {
    if (row < 0 || row >= p.rows) {
      std::fill_n(ring_row(row), layout.width, T{0});
    } else {
      std::copy_n(p.a + row * p.cols + from, to - from,
                  line + from - (left - radius));
      if (row + batch < p.rows)
        ask_for<0>(p.a + (row + batch) * p.cols + from, to - from);
      row_pass(line, p.w, ring_row(row), layout.width, taps);
    }
  };
  for (auto row = top - radius; row < top + radius; ++row)
    fetch(row);
  const T* rows[Convsep::max_taps + batch];
  for (auto row = top; row < bottom; row += batch) {
    for (int y = 0; y < batch; ++y)
      fetch(row + radius + y);
    const auto present = std::min<std::int64_t>(batch, bottom - row);
    for (std::int64_t y = 0; y < present; ++y)
      ask_for<1>(p.b + (row + y) * p.cols + left, strip);
    for (int k = 0; k < taps + batch - 1; ++k)
      rows[k] = ring_row(row - radius + k);
    column_pass(rows, p.w, sums, layout.width, taps);
    for (std::int64_t y = 0; y < present; ++y) {
      std::copy_n(sums + y * layout.width, strip,
                  p.b + (row + y) * p.cols + left);
    }
  }
}

template <typename T>
void convsep_strips(const Convsep::Args<T>& p, Host& host, int threads,
                    std::int64_t width) {
  width = std::min(width, p.cols);
  const Layout<T> layout(width, p.radius);
  T* const memory = host.scratch<T>(threads * layout.size());

  // Whole strips if there are enough of them, otherwise parts at least as tall
  // as the rows that they share.
  const auto strips = (p.cols + width - 1) / width;
  const auto most = std::max<std::int64_t>(1, p.rows / (4 * p.radius + batch));
  const auto parts =
      strips >= 4 * threads ? 1 : std::min<std::int64_t>(most, 2 * threads);
  const auto height = (p.rows + parts - 1) / parts;
#pragma omp parallel for collapse(2) schedule(dynamic) num_threads(threads)
  for (std::int64_t part = 0; part < parts; ++part) {
    for (std::int64_t strip = 0; strip < strips; ++strip) {
      const auto left = strip * width, top = part * height;
      strip_of(p, layout, memory + omp_get_thread_num() * layout.size(), left,
               std::min(width, p.cols - left), top,
               std::min(p.rows, top + height));
    }
  }
}

}  // namespace

const Register<Convsep, float, double> variant(
    {
        .rung = 2,
        .idea = "both passes on a strip whose rows between them stay in a "
                "cache, sums in registers",
        .tunables =
            {threads(),
             {.name = "width", .fallback = 256, .min = 1, .max = 1 << 20}},
    },
    []<typename T>(Host& host, const Convsep::Args<T>& p,
                   const Tunables& tunables) {
      convsep_strips(p, host, static_cast<int>(tunables["threads"]),
                     tunables["width"]);
    });
