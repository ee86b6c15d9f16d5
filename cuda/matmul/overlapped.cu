// Sums leave by bulk tensor stores: two warps write a box of 1024 sums into
// shared memory, and a thread asks the copy engine to store it. The warps go on
// with the next box in another buffer, and then with the products of the next
// tile, while the first stores are on their way. Compared with stores by each
// lane, C is written in whole lines, and no product waits for a store.
//
// Two teams of a warpgroup may have a tile each and take turns: while one
// multiplies, the other writes its sums into shared memory.
//
// The tile is the one that a model of the time prefers: rounds of tiles, each
// as long as its products or as its copies. If there are too few tiles for all
// multiprocessors, several blocks may share one, each for a part of k. Large
// tiles have clusters of two that share their reads of A; some small ones of
// half and bfloat16 have clusters of eight that share A and B. As before,
// blocks stay, and specialised warps have a ring of stages. Each lane stores
// rows of C that are not aligned to 16 bytes; matrices A and B whose rows are
// not are copied first.
//
// A step of a small tile takes as long as its instructions, so they are few:
// addresses of shared memory are fixed, and one elected thread copies.
#include <limits>

#include "parts.cuh"
#include "warpgroup.cuh"

using namespace parlab;

namespace {

// The threads of a block that multiply.
template <typename Tile>
constexpr int multiplying = Tile::teams* Tile::threads;

// A box of 1024 sums of two warps. Beside the stages there is room for 8 boxes.
// Two of twelve warps have one buffer, of eight two, of four four: a box for
// each 32 of 128 rows.
constexpr int box_bytes = 1024 * 4;
template <typename Tile>
constexpr int buffers = 8 * 64 / multiplying<Tile>;

template <typename Tile>
constexpr int overlapped_shared_bytes = Tile::shared_bytes + 8 * box_bytes;

// Whether blocks may share a tile along k: larger ones leave too many sums.
template <typename Tile>
constexpr bool may_be_shared = Tile::teams == 1 && Tile::cluster == 1 &&
                               Tile::sums* Tile::threads <= 128 * 128;

// Walks past the steps of a tile.
template <int stages>
__device__ __forceinline__ void skip(Ring<stages>& ring, int steps) {
  const int to = ring.stage + steps;
  ring.stage = to % stages;
  ring.parity ^= to / stages % 2;
}

// c_in_boxes: C is stored by the copy engine, which needs rows aligned to 16
// bytes. SHARED: blockIdx.y is the part of k of a block, which has one tile.
template <typename Tile, bool SHARED>
__global__ void PARLAB_CLUSTER(Tile::cluster)
    __launch_bounds__(multiplying<Tile> + 128, 1)
        matmul_overlapped(const PARLAB_GRID_CONSTANT TensorMap a,
                          const PARLAB_GRID_CONSTANT TensorMap b,
                          const PARLAB_GRID_CONSTANT TensorMap c_boxes,
                          bool c_in_boxes, float* c, std::int64_t m,
                          std::int64_t k, std::int64_t n,
                          PartsOfK<float> parts) {
  unsigned char* const stages = fixed_address(aligned_shared_memory());
  __shared__ Barrier barriers[2 * Tile::stages];
  Barrier* const full = fixed_address(barriers);
  Barrier* const empty = full + Tile::stages;
  __shared__ Barrier turn[Tile::teams];  // of each team, to multiply
  int first_step = 0, steps = warpgroup_steps<Tile>(k);
  if constexpr (SHARED) {  // two at a time in TF32
    const int units = steps / Tile::steps_at_once, part = blockIdx.y;
    first_step = units * part / parts.count * Tile::steps_at_once;
    steps = units * (part + 1) / parts.count * Tile::steps_at_once - first_step;
  }
  // If one warpgroup multiplies, there are enough registers for all. For two or
  // three, the one that copies gives up some of its own: with 152 instead of
  // 160 the compiler makes products in TF32 wait for one another.
  constexpr int warpgroups = multiplying<Tile> / 128;
  constexpr bool scarce = warpgroups > 1, three = warpgroups == 3;
  constexpr int kept = three ? 32 : 40, taken = three ? 160 : 232;

  if (threadIdx.x == 0) {
    prefetch(a);
    prefetch(b);
    if (c_in_boxes) prefetch(c_boxes);
    for (int stage = 0; stage < Tile::stages; ++stage) {
      init_barrier(full[stage], 1);
      init_barrier(empty[stage], Tile::sharing * Tile::warps);
    }
    for (Barrier& barrier : turn)
      init_barrier(barrier, Tile::warps);
    publish_barriers();
  }

  TilesOfBlock<Tile> tiles(m, n);  // the first one, while barriers are made
  if constexpr (Tile::cluster == 1) {
    __syncthreads();
  } else {
    sync_cluster();
  }

  Ring<Tile::stages> ring;
  if (threadIdx.x >= multiplying<Tile>) {  // ---- the last warpgroup copies
    if constexpr (scarce) give_registers<kept>();
    if (threadIdx.x / 32 == multiplying<Tile> / 32 && elected()) {
      tiles.each([&](int row0, int col0) {
        for (int step = 0; step < steps; ++step, ring.advance()) {
          // All warps that share a tile have used the stage: copies go to all
          // their blocks.
          wait(empty[ring.stage], ring.parity ^ 1);
          copy_stage<Tile>(stages + ring.stage * Tile::stage_bytes,
                           full[ring.stage], a, b, first_step + step, row0,
                           col0);
        }
      });
      wait_for_all_stages(empty, ring);
    }
  } else {  // ---- the others multiply
    if constexpr (scarce) take_registers<taken>();
    WarpgroupSums<Tile> sums;
    const int lane = threadIdx.x % 32;
    unsigned char* const boxes = stages + Tile::stages * Tile::stage_bytes +
                                 threadIdx.x / 64 * buffers<Tile> * box_bytes;
    const bool stores = threadIdx.x % 64 == 0;
    const int team = Tile::teams == 1 ? 0 : threadIdx.x / Tile::threads;
    const int sharing = Tile::cluster > 1 ? sharing_block<Tile>(lane) : 0;
    int turns = 0;
    tiles.each([&](int row0, int col0) {
      int left = steps;
      if constexpr (Tile::teams == 2) {
        const int tile = turns++;
        if (tile % 2 != team) return skip(ring, steps);
        wait(turn[team], (tile / 2 + 1 - team) % 2);  // no wait at first
      }
      sums.multiply(
          stages, steps, ring,
          [&](const Ring<Tile::stages>& r) {
            wait(full[r.stage], r.parity);
            // The last stage is here: the other team's is the next.
            if (Tile::teams == 2 && --left == 0 && lane == 0)
              arrive(turn[1 - team]);
          },
          [&](int stage) {
            if constexpr (Tile::cluster == 1) {
              if (lane == 0) arrive(empty[stage]);
            } else {
              if (lane < Tile::sharing)
                arrive_in_cluster(empty[stage], sharing);
            }
          });
      if constexpr (SHARED) {
        float* const all = reinterpret_cast<float*>(sums.sum);
        parts.template leave<Tile::threads, Tile::sums>(all);
        if (!parts.all_ended([] { sync_first_threads<multiplying<Tile>>(); }))
          return;
        parts.template add<Tile::threads, Tile::sums>(all);
      }
      if (c_in_boxes) {
        // A buffer is free once only the other buffers' stores may still read.
        const auto store = [&]<int q>() {
          unsigned char* const box = boxes + q % buffers<Tile> * box_bytes;
          if (stores) wait_for_stores_to_read<buffers<Tile> - 1>();
          sync_pair_of_warps();
          sums.template write_box<q>(box);
          fence_for_copies();
          sync_pair_of_warps();
          int row, col;
          sums.box(q, row, col);
          if (stores) store_box(c_boxes, box, col0 + col, row0 + row);
        };
        [&]<int... q>(std::integer_sequence<int, q...>) {
          (store.template operator()<q>(), ...);
        }
        (std::make_integer_sequence<int, WarpgroupSums<Tile>::boxes>());
      } else {
        sums.store(c, m, n, row0, col0);
      }
    });
    if (c_in_boxes && stores) wait_for_stores_to_read<0>();
  }
}

// parts: the blocks that share a tile.
template <typename Tile>
void launch_overlapped(Gpu& gpu, const Matmul::Args<typename Tile::Element>& p,
                       const AlignedOperands& from, int parts) {
  using Sums = WarpgroupSums<Tile>;
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
                .block = {multiplying<Tile> + 128},
                .shared_bytes = overlapped_shared_bytes<Tile>},
               kernel, map_of_a<Tile>(from.a, p.m, p.k),
               map_of_b<Tile>(from.b, p.k, p.n), boxes, bulk, p.c, p.m, p.k,
               p.n, parts_of_k);
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
// 29 sums of one element in each cycle, or as its copies, 2.3 cycles for each
// 128 bytes, and half as many more if those lie in two lines of memory. Tiles
// whose rows are no multiple of 64 take a twentieth longer. Then sums leave,
// seven in a cycle, of two teams one at a time. Clusters of two start later.
// The constants are fitted to times on two H200s, at 19 sizes from 256 to 6000.
template <typename Tile>
double estimate_overlapped(const Gpu& gpu, std::int64_t m, std::int64_t k,
                           std::int64_t n, const AlignedOperands& from,
                           int parts) {
  const auto lines = [](const AlignedMatrix& matrix) {
    return matrix.pitch % 128 == 0 ? 1 : 1.5;
  };
  constexpr int all = Tile::rows * Tile::cols;
  const double products = (Tile::rows % 64 == 0 ? 1 : 1.05) * all / 29,
               copies = 2.3 * (Tile::rows * lines(from.a) +
                               Tile::cols * lines(from.b)),
               leaving = all / 7.0 / Tile::teams;
  const std::int64_t rounds = ceil_div(clusters_of_tiles<Tile>(m, n) * parts,
                                       clusters_at_once<Tile>(gpu)),
                     steps = ceil_div(ceil_div(k, Tile::depth), parts);
  const double round =
      std::max(products, copies) * static_cast<double>(steps) + leaving;
  return round * static_cast<double>(rounds) + (Tile::cluster == 2 ? 2000 : 0) +
         (parts > 1 ? 4000 + (1000 + all / 10.0) * parts : 0);
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
      const AlignedOperands from = align_operands(gpu, p);

      double least = std::numeric_limits<double>::infinity();
      int parts_of_best = 1;
      void (*best)(Gpu&, const Matmul::Args<T>&, const AlignedOperands&,
                   int parts) = nullptr;
      const auto consider = [&]<int rows, int cols, int down, int across,
                                int teams = 1>() {
        using Tile = WarpgroupTile<T, rows, cols, down, across, teams>;
        // More than one part only if all run at once.
        const auto most = std::min<std::int64_t>(
            may_be_shared<Tile> ? most_parts(p.k, Tile::depth) : 1,
            clusters_at_once<Tile>(gpu) / clusters_of_tiles<Tile>(p.m, p.n));
        for (int parts = 1; parts == 1 || parts <= most; ++parts) {
          const double time =
              estimate_overlapped<Tile>(gpu, p.m, p.k, p.n, from, parts);
          if (time >= least) continue;
          least = time, parts_of_best = parts, best = launch_overlapped<Tile>;
        }
      };
      consider.template operator()<256, 128, 1, 2>();
      consider.template operator()<192, 192, 1, 2>();
      consider.template operator()<192, 128, 1, 2>();
      consider.template operator()<96, 192, 1, 1>();
      consider.template operator()<128, 128, 1, 1>();
      consider.template operator()<96, 128, 1, 1>();
      consider.template operator()<64, 128, 1, 1>();
      consider.template operator()<64, 64, 1, 1>();
      if constexpr (sizeof(T) == 2) {
        consider.template operator()<96, 64, 2, 4>();
        consider.template operator()<176, 192, 1, 2>();
        consider.template operator()<144, 128, 1, 2, 2>();
        consider.template operator()<128, 128, 1, 2, 2>();
        consider.template operator()<32, 64, 1, 1>();
      } else {
        consider.template operator()<96, 64, 1, 1>();
        consider.template operator()<128, 64, 1, 1>();
      }
      best(gpu, p, from, parts_of_best);
    });
