// Sums leave by bulk tensor stores: a warp writes a box of 512 sums into
// shared memory, and one of its lanes asks the copy engine to store it. The
// warp goes on with the next box in another buffer, and then with the
// products of the next tile, while the first stores are on their way.
// Compared with stores by each lane, C is written in whole lines, and no
// product waits for a store.
//
// The tile is the one that a model of the time prefers: rounds of tiles, each
// as long as its products or as its copies. If there are too few tiles for all
// multiprocessors, several blocks may share one, each for a part of k. One, two
// or three warpgroups multiply 64 to 192 rows by 64 to 256 columns. As before,
// there are persistent blocks, in clusters of two that share their reads of B,
// and specialised warps with a ring of stages. Each lane stores rows of C that
// are not aligned to 16 bytes; matrices A and B whose rows are not are copied
// first.
#include <limits>

#include "parts.cuh"
#include "warpgroup.cuh"

using namespace parlab;

namespace {

// A box of 512 sums. Beside the stages there is room for 16 boxes. With twelve
// warps each has one buffer, with eight two, with four four: a box for each 32
// of 128 columns.
constexpr int box_bytes = 512 * 4;
template <typename Tile>
constexpr int buffers = 16 / Tile::warps;

template <typename Tile>
constexpr int overlapped_shared_bytes = Tile::shared_bytes + 16 * box_bytes;

// Whether blocks may share a tile along k: larger ones leave too many sums.
template <typename Tile>
constexpr bool may_be_shared = Tile::sums* Tile::threads <= 128 * 128;

// c_in_boxes: C is stored by the copy engine, which needs rows aligned to 16
// bytes. SHARED: blockIdx.y is the part of k of a block, which has one tile.
template <typename Tile, bool SHARED>
__global__ void PARLAB_CLUSTER(2) __launch_bounds__(Tile::threads + 128, 1)
    matmul_overlapped(const PARLAB_GRID_CONSTANT TensorMap a,
                      const PARLAB_GRID_CONSTANT TensorMap b,
                      const PARLAB_GRID_CONSTANT TensorMap c_boxes,
                      bool c_in_boxes, float* c, std::int64_t m, std::int64_t k,
                      std::int64_t n, PartsOfK<float> parts) {
  unsigned char* const stages = aligned_shared_memory();
  __shared__ Barrier full[Tile::stages], empty[Tile::stages];
  int first_step = 0, steps = warpgroup_steps<Tile>(k);
  if constexpr (SHARED) {  // two at a time in TF32
    const int units = steps / Tile::steps_at_once, part = blockIdx.y;
    first_step = units * part / parts.count * Tile::steps_at_once;
    steps = units * (part + 1) / parts.count * Tile::steps_at_once - first_step;
  }
  // If one warpgroup multiplies, there are enough registers for all. For two or
  // three, the one that copies gives up some of its own: with 152 instead of
  // 160 the compiler makes products in TF32 wait for one another.
  constexpr bool scarce = Tile::warps >= 8, three = Tile::warps == 12;
  constexpr int kept = three ? 32 : 40, taken = three ? 160 : 232;

  if (threadIdx.x == 0) {
    prefetch(a);
    prefetch(b);
    if (c_in_boxes) prefetch(c_boxes);
    for (Barrier& barrier : full)
      init_barrier(barrier, 1);
    for (Barrier& barrier : empty)
      init_barrier(barrier, 2 * Tile::warps);
    publish_barriers();
  }

  sync_cluster();

  Ring<Tile::stages> ring;
  if (threadIdx.x >= Tile::threads) {  // ---- the last warpgroup copies
    if constexpr (scarce) give_registers<kept>();
    if (threadIdx.x == Tile::threads) {
      each_tile<Tile>(m, n, [&](int row0, int col0) {
        for (int step = 0; step < steps; ++step, ring.advance()) {
          // All warps of both blocks have used the stage: copies go to both
          // blocks.
          wait(empty[ring.stage], ring.parity ^ 1);
          copy_shared_stage<Tile>(stages + ring.stage * Tile::stage_bytes,
                                  full[ring.stage], a, b, first_step + step,
                                  row0, col0);
        }
      });
      wait_for_all_stages(empty, ring);
    }
    if constexpr (SHARED) {
      __syncwarp();
      parts.all_ended();
    }
  } else {  // ---- the others multiply
    if constexpr (scarce) take_registers<taken>();
    WarpgroupSums<Tile> sums;
    const int lane = threadIdx.x % 32;
    unsigned char* const boxes = stages + Tile::stages * Tile::stage_bytes +
                                 threadIdx.x / 32 * buffers<Tile> * box_bytes;
    each_tile<Tile>(m, n, [&](int row0, int col0) {
      sums.multiply(
          stages, steps, ring,
          [&](const Ring<Tile::stages>& r) { wait(full[r.stage], r.parity); },
          [&](int stage) {
            if (lane < 2) arrive_in_cluster(empty[stage], lane);
          });
      if constexpr (SHARED) {
        parts.template leave<Tile::threads, Tile::sums>(sums.sum);
        if (!parts.all_ended()) return;
        parts.template add<Tile::threads, Tile::sums>(sums.sum);
      }
      if (c_in_boxes) {
        // A buffer is free once only the other buffers' stores may still read.
        const auto store = [&]<int q>() {
          unsigned char* const box = boxes + q % buffers<Tile> * box_bytes;
          if (lane == 0) wait_for_stores_to_read<buffers<Tile> - 1>();
          __syncwarp();
          sums.template write_box<q>(box);
          fence_for_copies();
          __syncwarp();
          int row, col;
          sums.box(q, row, col);
          if (lane == 0) store_box(c_boxes, box, col0 + col, row0 + row);
        };
        [&]<int... q>(std::integer_sequence<int, q...>) {
          (store.template operator()<q>(), ...);
        }
        (std::make_integer_sequence<int, WarpgroupSums<Tile>::boxes>());
      } else {
        sums.store(c, m, n, row0, col0);
      }
    });
    if (c_in_boxes && lane == 0) wait_for_stores_to_read<0>();
  }
}

// parts: the blocks that share a tile.
template <typename Tile>
void launch_overlapped(Gpu& gpu, const Matmul::Args<typename Tile::Element>& p,
                       int parts) {
  using Sums = WarpgroupSums<Tile>;
  const auto [a, b] = align_operands(gpu, p);
  const bool bulk = p.n % 4 == 0;
  const TensorMap boxes = bulk
                              ? tensor_map({MapElement::float32,
                                            p.c,
                                            {p.n, p.m, 1},
                                            {p.n * 4, p.m * p.n * 4},
                                            {Sums::box_cols, Sums::box_rows, 1},
                                            4 * Sums::box_cols})
                              : TensorMap{};
  const std::int64_t blocks = blocks_that_stay<Tile>(gpu, p.m, p.n);
  const auto launch = [&](auto kernel, const PartsOfK<float>& parts_of_k) {
    gpu.launch({.grid = {blocks, parts},
                .block = {Tile::threads + 128},
                .shared_bytes = overlapped_shared_bytes<Tile>},
               kernel, map_of_a<Tile>(a, p.m, p.k), map_of_b<Tile>(b, p.k, p.n),
               boxes, bulk, p.c, p.m, p.k, p.n, parts_of_k);
  };
  if constexpr (may_be_shared<Tile>) {
    if (parts > 1) {
      return launch(matmul_overlapped<Tile, true>,
                    {gpu, blocks, parts, Tile::rows * Tile::cols});
    }
  }
  launch(matmul_overlapped<Tile, false>, {});
}

// The cycles of a multiprocessor for its tiles, in whole rounds, if `parts`
// blocks share each. A step of 128 bytes along k takes as long as its products,
// 32 sums of one element in each cycle, or as its copies, 56 bytes in each
// cycle. Tiles that are no multiples of 64 take a twentieth longer. The three
// constants are measured on an H100, with two dozen tiles at sizes from 256 to
// 8192; those of sharing on an H200.
template <typename Tile>
double estimate_overlapped(const Gpu& gpu, std::int64_t m, std::int64_t k,
                           std::int64_t n, int parts) {
  constexpr double longer = Tile::rows % 64 + Tile::cols % 64 == 0 ? 1 : 1.05,
                   products = longer * Tile::rows * Tile::cols / 32,
                   copies = (Tile::rows + Tile::cols) * 128 / 56.0,
                   of_part = 1000 + Tile::rows * Tile::cols * 4 / 40.0;
  const std::int64_t rounds = ceil_div(pairs_of_tiles<Tile>(m, n) * parts,
                                       gpu.multiprocessors() / 2),
                     steps = ceil_div(ceil_div(k, Tile::depth), parts);
  return std::max(products, copies) * static_cast<double>(rounds * steps) +
         (parts > 1 ? 4000 + of_part * parts : 0);
}

}  // namespace

const Register<Matmul, float16, bfloat16, float> variant(
    {.rung = 14,
     .idea = "bulk tensor stores write sums while the next tile is multiplied",
     .arithmetic = Arithmetic::tf32,
     .units = tensor_units(),
     .hardware = "warpgroup products, bulk tensor copies and clusters"},
    []<typename T>(Gpu& gpu, const Matmul::Args<T>& p, const Tunables&) {
      refuse_without_warpgroups();

      double least = std::numeric_limits<double>::infinity();
      int parts_of_best = 1;
      void (*best)(Gpu&, const Matmul::Args<T>&, int parts) = nullptr;
      const auto consider = [&]<typename Tile>() {
        // More than one part only if all run at once.
        const auto most = std::min<std::int64_t>(
            may_be_shared<Tile> ? most_parts(p.k, Tile::depth) : 1,
            gpu.multiprocessors() / 2 / pairs_of_tiles<Tile>(p.m, p.n));
        for (int parts = 1; parts == 1 || parts <= most; ++parts) {
          const double time =
              estimate_overlapped<Tile>(gpu, p.m, p.k, p.n, parts);
          if (time >= least) continue;
          least = time, parts_of_best = parts, best = launch_overlapped<Tile>;
        }
      };
      consider.template operator()<WarpgroupTile<T>>();
      consider.template operator()<WarpgroupTile<T, 224>>();
      consider.template operator()<WarpgroupTile<T, 192, 192>>();
      consider.template operator()<WarpgroupTile<T, 192>>();
      consider.template operator()<WarpgroupTile<T, 160, 192>>();
      consider.template operator()<WarpgroupTile<T, 160>>();
      consider.template operator()<WarpgroupTile<T, 96, 192>>();
      consider.template operator()<WarpgroupTile<T, 64, 192>>();
      consider.template operator()<WarpgroupTile<T, 128>>();
      consider.template operator()<WarpgroupTile<T, 128, 64>>();
      consider.template operator()<WarpgroupTile<T, 64, 64>>();
      best(gpu, p, parts_of_best);
    });
