// Shared by the variants for several GPUs: which GPU computes which part, and
// which data travels in the meantime.
//
// Each GPU of a team has a panel of the data: some of the columns. It computes
// as many rows of the result and needs the other GPUs' columns for them. If
// there are two GPUs, one sends its centred panel. The other computes their
// common block, once for its own rows and once, as the mirror image, for those
// of the sender. In step d a GPU computes the block of the GPU d places ahead;
// the panel for the next step and the results of the previous one travel
// meanwhile. In step 0 it has all it needs. Halfway round, two GPUs have the
// same block ahead: each computes half.
//
// The panels of half of the other GPUs travel, and one triangle of the result.
// No sums are added up between GPUs, for each GPU knows the means of its
// columns.
//
// S is the tile, with the members that tile.cuh lists and multiply_tile(S, ...)
// of two pieces.
#pragma once

#include <algorithm>
#include <vector>

#include "gpu/copy_block.hpp"
#include "gpu/gpus.hpp"
#include "tile.cuh"

namespace {

// left, right: centred panels, steps * deep x stride. cov: rows x cols
// elements of products of the first `rows` columns of left with the first
// `cols` of right; mirrored: the same, transposed. DIAGONAL: both panels
// are the same, and one triangle is computed.
template <bool DIAGONAL, typename T, typename S>
__global__ void __launch_bounds__(S::threads, S::blocks_per_sm)
    covariance_panels(const T* left, const T* right, T* cov, T* mirrored,
                      int steps, std::int64_t rows, std::int64_t cols,
                      std::int64_t stride, std::int64_t cov_pitch,
                      std::int64_t mirrored_pitch, T divisor) {
  const std::int64_t across = ceil_div(cols, S::size);
  const auto place =
      DIAGONAL ? S::place(blockIdx.x, cols)
               : Covariance::Place{blockIdx.x / across, blockIdx.x % across};
  const std::int64_t i0 = place.row * S::size, j0 = place.col * S::size;
  T sum[S::rows][S::cols] = {};
  multiply_tile(S{}, left + i0, right + j0, stride, steps, shared_memory<T>(),
                sum);

  const std::int64_t row0 = i0 + S::first_row(threadIdx.x),
                     col0 = j0 + S::first_col(threadIdx.x);
  _Pragma("unroll")
  for (int r = 0; r < S::rows; ++r) {
    _Pragma("unroll")
    for (int s = 0; s < S::cols; ++s) {
      const std::int64_t row = row0 + S::further_row(r),
                         col = col0 + S::further_col(s);
      if (row >= rows || col >= cols || (DIAGONAL && row > col)) continue;
      const T value = sum[r][s] / divisor;
      cov[row * cov_pitch + col] = value;
      mirrored[col * mirrored_pitch + row] = value;
    }
  }
}

// Stores the data less its means in `centred`: rows x stride, rows >= m, with
// zeros beyond the data.
template <typename T>
void centre_panel(Gpu& gpu, const Covariance::Args<T>& p, T* centred,
                  std::int64_t rows, std::int64_t stride) {
  const auto parts = std::min<std::int64_t>(ceil_div(p.m, 64), 64);
  T* const sums = gpu.scratch<T>(parts * p.n);
  constexpr int vector = 16 / sizeof(T);
  if (p.n % vector == 0) {
    centre<vector>(gpu, p, sums, centred, parts, rows, stride);
  } else {
    centre<1>(gpu, p, sums, centred, parts, rows, stride);
  }
}

// A GPU's part of the block that its own columns have in common with those of
// another GPU: the first `rows` of its own columns, and the other's columns
// from `col` on.
struct CommonBlock {
  std::int64_t rows, col, cols;
};

// SIDE_BY_SIDE: the panels of a GPU lie in one allocation, its own in the
// middle. Some tiles find the right piece by its distance from the left.
template <typename T, typename S, bool SIDE_BY_SIDE = false>
class CovariancePanels {
 public:
  CovariancePanels(Gpus& team, const Parts<Covariance::Args<T>>& parts)
      : team_(team), parts_(parts), steps_(ceil_div(parts[0].m, S::deep)) {
    std::int64_t most = 0;
    for (const auto& part : parts) {
      first_.push_back(n_);
      n_ += part.n;
      most = std::max(most, part.n);
    }
    stride_ = ceil_div(most, S::size) * S::size;
    const auto rows = steps_ * S::deep;
    const bool alone = team.count() == 1;
    if (SIDE_BY_SIDE && !alone) {
      const auto panel = panel_elements();
      for (T* const first : team.scratch<T>(3 * panel)) {
        panel_[0].push_back(first);
        centred_.push_back(first + panel);
        panel_[1].push_back(first + 2 * panel);
      }
      team.each([&](Gpu& gpu, int i) {
        centre_panel(gpu, parts[i], centred_[i], rows, stride_);
      });
    } else {
      team.each([&](Gpu& gpu, int i) {
        centred_.push_back(centred_copy(gpu, parts[i], rows, stride_));
      });
    }
    if (alone) return;
    for (int set = 0; set < 2; ++set) {
      if (!SIDE_BY_SIDE) panel_[set] = team.scratch<T>(panel_elements());
      result_[set] = team.scratch<T>(most * most);
      arrived_[set] = team.scratch<T>(most * most);
    }
  }

  void compute() {
    const int last = team_.count() / 2;
    for (int step = 0; step <= last; ++step) {
      team_.beside(
          [&] {
            auto moves = results_of(step - 1);
            for (const auto& move : panels_for(step + 1))
              moves.push_back(move);
            team_.exchange(moves);
          },
          [&] { team_.each([&](Gpu& gpu, int i) { compute(gpu, i, step); }); });
      place_results_of(step - 1);
    }
    team_.exchange(results_of(last));
    place_results_of(last);
  }

 private:
  std::int64_t panel_elements() const { return steps_ * S::deep * stride_; }
  int ahead(int i, int step) const { return (i + step) % team_.count(); }

  CommonBlock common(int i, int step) const {
    const int j = ahead(i, step);
    if (2 * step != team_.count()) return {parts_[i].n, 0, parts_[j].n};
    // The columns of the first of the two GPUs are cut at a whole tile.
    const auto first = parts_[std::min(i, j)].n;
    const auto half = ceil_div(first, S::size) / 2 * S::size;
    if (i < j) return {half, 0, parts_[j].n};
    return {parts_[i].n, half, parts_[j].n - half};
  }

  // A step that neither needs nor yields anything of others has no moves.
  bool is_between(int step) const {
    return step > 0 && step <= team_.count() / 2;
  }

  std::vector<Gpus::Move> panels_for(int step) const {
    std::vector<Gpus::Move> moves;
    for (int i = 0; is_between(step) && i < team_.count(); ++i) {
      const int j = ahead(i, step);
      moves.push_back(
          team_.move(i, panel_[step % 2][i], j, centred_[j], panel_elements()));
    }
    return moves;
  }
  std::vector<Gpus::Move> results_of(int step) const {
    std::vector<Gpus::Move> moves;
    for (int i = 0; is_between(step) && i < team_.count(); ++i) {
      const int j = ahead(i, step);
      const auto block = common(i, step);
      moves.push_back(team_.move(j, arrived_[step % 2][j], i,
                                 result_[step % 2][i],
                                 block.rows * block.cols));
    }
    return moves;
  }

  void compute(Gpu& gpu, int i, int step) const {
    const auto& p = parts_[i];
    const auto start = [&](auto kernel, std::int64_t tiles, const T* right,
                           T* cov, T* mirrored, std::int64_t rows,
                           std::int64_t cols, std::int64_t mirrored_pitch) {
      if (tiles == 0) return;
      gpu.launch({.grid = {tiles},
                  .block = {S::threads},
                  .shared_bytes = S::shared_bytes},
                 kernel, centred_[i], right, cov, mirrored,
                 static_cast<int>(steps_), rows, cols, stride_, n_,
                 mirrored_pitch, p.divisor);
    };
    if (step == 0) {
      T* const own = p.cov + first_[i];
      start(covariance_panels<true, T, S>, S::count(p.n), centred_[i], own, own,
            p.n, p.n, n_);
      return;
    }
    const auto [rows, col, cols] = common(i, step);
    start(covariance_panels<false, T, S>,
          ceil_div(rows, S::size) * ceil_div(cols, S::size),
          panel_[step % 2][i] + col, p.cov + first_[ahead(i, step)] + col,
          result_[step % 2][i], rows, cols, rows);
  }

  void place_results_of(int step) {
    for (int i = 0; is_between(step) && i < team_.count(); ++i) {
      const int j = ahead(i, step);
      const auto [rows, col, cols] = common(i, step);
      copy_block(team_[j], arrived_[step % 2][j], rows,
                 parts_[j].cov + col * n_ + first_[i], n_, cols, rows);
    }
  }

  Gpus& team_;
  const Parts<Covariance::Args<T>>& parts_;
  std::int64_t steps_, n_ = 0, stride_ = 0;
  std::vector<std::int64_t> first_;  // first column of each GPU
  OnEach<T> centred_;
  // For this step and the next: a panel that came, results to send, results
  // that came.
  OnEach<T> panel_[2], result_[2], arrived_[2];
};

// The bytes that each GPU sends: see Description::travels.
inline double panels_that_travel(const std::int64_t* size, Dtype dtype,
                                 int gpus) {
  const double m = static_cast<double>(size[0]),
               n = static_cast<double>(size[1]);
  const double panels = gpus / 2, blocks = 0.5 * (gpus - 1), own = n / gpus;
  return (panels * m * own + blocks * own * own) *
         static_cast<double>(bytes_of(dtype));
}

}  // namespace
