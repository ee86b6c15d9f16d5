// All three matrices are in the host's memory. A product of large ones takes
// longer than the copies, so that these should be hidden by it. Yet at the
// beginning there is nothing to compute with, and at the end C still has to
// leave.
//
// C is cut into a grid of tiles, with a panel of A for each row of the grid and
// a panel of B for each column. Panels of A and B arrive in turns, and each new
// one allows the tiles where it meets those already there. The work available
// grows with the square of what has arrived, and soon exceeds what the GPU can
// do during a copy. Tiles leave as they are finished.
//
// The panels are cut once more along k, into slices that arrive one after the
// other: every tile is computed from the first slice, then products of the
// second are added. That halves the wait at the beginning; more slices would
// keep all of C back to the end.
//
// The tiles of a slice go to several streams: one alone would not fill the
// device. The kernel of `warp_tiles` computes the tiles.
#include <algorithm>
#include <utility>
#include <vector>

#include "gpu/streams.hpp"
#include "warp_tiles.cuh"

#include "core/grid.hpp"

namespace {

// The places where the parts of an extent begin, and its end: multiples of
// `unit`. No part is empty.
std::vector<std::int64_t> cuts(std::int64_t extent, std::int64_t parts,
                               std::int64_t unit) {
  const auto units = ceil_div(extent, unit);
  const auto count =
      static_cast<int>(std::clamp<std::int64_t>(parts, 1, units));
  std::vector<std::int64_t> begins;
  for (int i = 0; i <= count; ++i) {
    begins.push_back(std::min(share_begin(units, i, count) * unit, extent));
  }
  return begins;
}

// Several tiles are computed at a time, since one may not fill the device.
template <bool ADD, typename T>
void multiply_tile(Gpu& gpu, const Matmul::Args<T>& p) {
  using Large = typename TileShapes<T>::Large;
  launch_tiles<ADD>(
      gpu, p,
      fits<Large>(p) ? TileChoice{TileSize::large} : best_tiles(gpu, p, false));
}

// A product in progress: the pieces of it that are on the GPU, each a matrix of
// its own.
template <typename T>
class Product {
 public:
  Product(Streams& streams, const Matmul::Args<T>& p, std::int64_t parts,
          std::int64_t slices, int computing)
      : streams_(streams),
        p_(p),
        rows_(cuts(p.m, parts, unit)),
        cols_(cuts(p.n, parts, unit)),
        depth_(cuts(p.k, slices, unit)),
        waited_(static_cast<std::size_t>(computing)),
        a_(streams[0].scratch<T>(p.m * p.k)),
        b_(streams[0].scratch<T>(p.k * p.n)),
        c_(streams[0].scratch<T>(p.m * p.n)) {}

  void run() {
    for (std::size_t slice = 0; slice + 1 < depth_.size(); ++slice) {
      for (std::size_t i = 0; i + 1 < std::max(rows_.size(), cols_.size());
           ++i) {
        if (i + 1 < rows_.size()) {
          copy_panel_of_a(slice, i);
          for (std::size_t j = 0; j < std::min(i, cols_.size() - 1); ++j)
            multiply(slice, i, j);
        }
        if (i + 1 < cols_.size()) {
          copy_panel_of_b(slice, i);
          for (std::size_t j = 0; j <= std::min(i, rows_.size() - 2); ++j)
            multiply(slice, j, i);
        }
      }
    }
  }

 private:
  // Tiles consist of whole blocks of threads, and their rows are aligned as
  // those of the matrices are.
  static constexpr std::int64_t unit = 128;

  std::int64_t height(std::size_t i) const { return rows_[i + 1] - rows_[i]; }
  std::int64_t width(std::size_t j) const { return cols_[j + 1] - cols_[j]; }
  std::int64_t thickness(std::size_t slice) const {
    return depth_[slice + 1] - depth_[slice];
  }

  // A slice begins with all of its panels, and a panel with all of its rows.
  T* panel_of_a(std::size_t slice, std::size_t i) const {
    return a_ + depth_[slice] * p_.m + rows_[i] * thickness(slice);
  }
  T* panel_of_b(std::size_t slice, std::size_t j) const {
    return b_ + depth_[slice] * p_.n + cols_[j] * thickness(slice);
  }
  T* tile(std::size_t i, std::size_t j) const {
    return c_ + rows_[i] * p_.n + cols_[j] * height(i);
  }

  void copy_panel_of_a(std::size_t slice, std::size_t i) {
    ++arrived_;
    const auto cols = thickness(slice);
    streams_.to_device(
        0, Block<T>{panel_of_a(slice, i), cols},
        Block<const T>{p_.a + rows_[i] * p_.k + depth_[slice], p_.k}, height(i),
        cols);
  }
  void copy_panel_of_b(std::size_t slice, std::size_t j) {
    ++arrived_;
    const auto cols = width(j);
    streams_.to_device(
        0, Block<T>{panel_of_b(slice, j), cols},
        Block<const T>{p_.b + depth_[slice] * p_.n + cols_[j], p_.n},
        thickness(slice), cols);
  }

  // A tile stays in one stream, so that the products of its slices are added in
  // order.
  void multiply(std::size_t slice, std::size_t i, std::size_t j) {
    const int s =
        1 + static_cast<int>((i * (cols_.size() - 1) + j) % waited_.size());
    if (std::exchange(waited_[static_cast<std::size_t>(s) - 1], arrived_) <
        arrived_) {
      streams_.wait(s, 0);
    }
    const Matmul::Args<T> part{panel_of_a(slice, i), panel_of_b(slice, j),
                               tile(i, j),           height(i),
                               thickness(slice),     width(j)};
    if (slice == 0) {
      multiply_tile<false>(streams_[s], part);
    } else {
      multiply_tile<true>(streams_[s], part);
    }
    if (slice + 2 < depth_.size()) return;

    streams_.to_host(s, Block<T>{p_.c + rows_[i] * p_.n + cols_[j], p_.n},
                     Block<const T>{tile(i, j), width(j)}, height(i), width(j));
  }

  Streams& streams_;
  Matmul::Args<T> p_;
  std::vector<std::int64_t> rows_, cols_, depth_;
  int arrived_ = 0;          // panels
  std::vector<int> waited_;  // panels waited for, by stream
  T *a_, *b_, *c_;
};

}  // namespace

const Register<Matmul, float, double, int> variant(
    {
        .rung = 17,
        .idea = "from host memory: panels arrive and tiles of C leave while "
                "others are multiplied",
        .tunables = {{.name = "panels", .fallback = 4, .min = 1, .max = 6},
                     {.name = "slices", .fallback = 2, .min = 1, .max = 3},
                     streams_in_turn()},
    },
    []<typename T>(Streams& streams, const Matmul::Args<T>& p,
                   const Tunables& tunables) {
      Product<T>(streams, p, tunables["panels"], tunables["slices"],
                 static_cast<int>(tunables["streams"]))
          .run();
    });
