// The GPUs of a team form a grid, and each has a block of A, of B and of C:
// there is no second copy of any matrix. For its block of C a GPU needs the
// blocks of A in its row of the grid and those of B in its column. They come in
// panels, some columns of A and as many rows of B. The GPUs that have them send
// them to the others of their row or column. While one panel is multiplied and
// added to C, the next is on its way; only the first is waited for. (van de
// Geijn and Watts, SUMMA, 1997.)
//
// Each GPU's block of A travels to the others of its row, that of B to those of
// its column. On a grid of p x p this is 2 (p - 1) / p^2 of a matrix per GPU. A
// product does n operations for each element that it needs, so from a few
// thousand rows on the transfers are small beside the work.
#include <algorithm>
#include <vector>

#include "gpu/copy_block.hpp"
#include "gpu/gpus.hpp"
#include "warp_tiles.cuh"

namespace {

// Columns of A, and rows of B, from `first` on. col: the column of the grid
// whose GPUs have these columns of A; row: the row of the grid whose GPUs have
// these rows of B.
struct Panel {
  std::int64_t first, depth;
  int row, col;
};

// Panels no deeper than `deepest`, each in the blocks of one row and of one
// column of the grid.
std::vector<Panel> panels_of(std::int64_t k, Grid grid, std::int64_t deepest) {
  std::vector<Panel> panels;
  int row = 0, col = 0;
  for (std::int64_t first = 0; first < k; first += panels.back().depth) {
    while (share_begin(k, row + 1, grid.rows) <= first)
      ++row;
    while (share_begin(k, col + 1, grid.cols) <= first)
      ++col;
    const auto end =
        std::min({first + deepest, share_begin(k, row + 1, grid.rows),
                  share_begin(k, col + 1, grid.cols)});
    panels.push_back({first, end - first, row, col});
  }
  return panels;
}

template <typename T>
class PanelProduct {
 public:
  PanelProduct(Gpus& team, const Parts<Matmul::Args<T>>& parts,
               std::int64_t deepest)
      : team_(team),
        parts_(parts),
        grid_(grid_of(team.count())),
        k_(parts[0].k),
        panels_(panels_of(k_, grid_, deepest)) {
    std::int64_t most = 0;
    for (const auto& panel : panels_)
      most = std::max(most, panel.depth);
    team.each([&](Gpu& gpu, int i) {
      packed_.push_back(
          gpu.scratch<T>(parts[i].m * share(col_of(i), grid_.cols)));
      for (int set = 0; set < 2; ++set) {
        a_[set].push_back(grid_.cols > 1 ? gpu.scratch<T>(parts[i].m * most)
                                         : nullptr);
        b_[set].push_back(grid_.rows > 1 ? gpu.scratch<T>(most * parts[i].n)
                                         : nullptr);
      }
    });
  }

  void compute() {
    team_.each([&](Gpu& gpu, int i) { pack(gpu, i); });
    team_.exchange(moves_of(0));
    for (std::size_t step = 0; step < panels_.size(); ++step) {
      team_.beside(
          [&] {
            if (step + 1 < panels_.size()) team_.exchange(moves_of(step + 1));
          },
          [&] {
            team_.each([&](Gpu& gpu, int i) { multiply(gpu, i, step); });
          });
    }
  }

 private:
  int row_of(int i) const { return i / grid_.cols; }
  int col_of(int i) const { return i % grid_.cols; }
  std::int64_t share(int i, int members) const {
    return share_begin(k_, i + 1, members) - share_begin(k_, i, members);
  }

  // A panel in the block of the GPU that owns it.
  T* own_a(int i, const Panel& panel) const {
    return packed_[i] +
           parts_[i].m * (panel.first - share_begin(k_, panel.col, grid_.cols));
  }
  const T* own_b(int i, const Panel& panel) const {
    return parts_[i].b +
           (panel.first - share_begin(k_, panel.row, grid_.rows)) * parts_[i].n;
  }

  // Stores panels of A one after another, each without gaps, so that it can be
  // sent in one piece.
  void pack(Gpu& gpu, int i) const {
    const auto& p = parts_[i];
    const auto first = share_begin(k_, col_of(i), grid_.cols);
    for (const auto& panel : panels_) {
      if (panel.col != col_of(i)) continue;
      copy_block(gpu, p.a + (panel.first - first), share(col_of(i), grid_.cols),
                 own_a(i, panel), panel.depth, p.m, panel.depth);
    }
  }

  std::vector<Gpus::Move> moves_of(std::size_t step) const {
    const auto& panel = panels_[step];
    std::vector<Gpus::Move> moves;
    for (int i = 0; i < team_.count(); ++i) {
      const int from_a = row_of(i) * grid_.cols + panel.col;
      const int from_b = panel.row * grid_.cols + col_of(i);
      if (from_a != i) {
        moves.push_back(team_.move(i, a_[step % 2][i], from_a,
                                   own_a(from_a, panel),
                                   parts_[i].m * panel.depth));
      }
      if (from_b != i) {
        moves.push_back(team_.move(i, b_[step % 2][i], from_b,
                                   own_b(from_b, panel),
                                   panel.depth * parts_[i].n));
      }
    }
    return moves;
  }

  void multiply(Gpu& gpu, int i, std::size_t step) const {
    const auto& panel = panels_[step];
    Matmul::Args<T> p = parts_[i];
    p.a = panel.col == col_of(i) ? own_a(i, panel) : a_[step % 2][i];
    p.b = panel.row == row_of(i) ? own_b(i, panel) : b_[step % 2][i];
    p.k = panel.depth;
    if (step == 0) {
      choose_tiles<false>(gpu, p);
    } else {
      choose_tiles<true>(gpu, p);
    }
  }

  Gpus& team_;
  const Parts<Matmul::Args<T>>& parts_;
  Grid grid_;
  std::int64_t k_;
  std::vector<Panel> panels_;
  OnEach<T> packed_;
  // panels of other GPUs, for this step and for the next
  OnEach<T> a_[2], b_[2];
};

}  // namespace

const Register<Matmul, float, double, int> variant(
    {
        .rung = 2,
        .idea = "several GPUs: blocks of all matrices on a grid; panels travel "
                "during the product",
        .tunables = {gpus(),
                     {.name = "panel",
                      .fallback = 4096,
                      .min = 16,
                      .max = 65536,
                      .power_of_two = true}},
        .split = {"m", "k", "n"},
        .travels =
            [](const std::int64_t* size, Dtype dtype, int gpus) {
              const auto [rows, cols] = grid_of(gpus);
              const double m = static_cast<double>(size[0]),
                           k = static_cast<double>(size[1]),
                           n = static_cast<double>(size[2]);
              return (m * k * (cols - 1) + k * n * (rows - 1)) / gpus *
                     static_cast<double>(bytes_of(dtype));
            },
    },
    []<typename T>(Gpus& team, const Parts<Matmul::Args<T>>& parts,
                   const Tunables& tunables) {
      PanelProduct<T>(team, parts, tunables["panel"]).compute();
    });
