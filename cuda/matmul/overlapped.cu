// Sums leave by bulk tensor stores: a warp writes a box of 512 sums into shared memory, one of its
// lanes asks the copy engine to store it, and the warp goes on, with the next box in a second
// buffer and then with the products of the next tile, while the first are on their way. Against
// stores by each lane, C is written in whole lines, and no product waits for a store.
//
// As before: persistent blocks, in clusters of two that share what they read of B, specialised
// warps with a ring of four stages. Rows of C that are not aligned to 16 bytes are stored by each
// lane; matrices A and B whose rows are not are copied first.
#include "warpgroup.cuh"

using namespace parlab;

namespace {

// Of each warp two, of 512 sums.
constexpr int box_bytes = 512 * 4;

template <typename T>
constexpr int overlapped_shared_bytes =
    WarpgroupTile<T>::shared_bytes + WarpgroupTile<T>::warps * 2 * box_bytes;

// BULK: C is stored by the copy engine, which needs rows aligned to 16 bytes.
template <typename T, bool BULK>
__global__ void PARLAB_CLUSTER(2) __launch_bounds__(384, 1)
    matmul_overlapped(const PARLAB_GRID_CONSTANT TensorMap a,
                      const PARLAB_GRID_CONSTANT TensorMap b,
                      const PARLAB_GRID_CONSTANT TensorMap c_boxes, float* c, std::int64_t m,
                      std::int64_t k, std::int64_t n) {
  using Tile = WarpgroupTile<T>;
  unsigned char* const stages = aligned_shared_memory();
  __shared__ Barrier full[Tile::stages], empty[Tile::stages];
  const int steps = warpgroup_steps<T>(k);
  const auto down = static_cast<int>(ceil_div(m, 2 * Tile::rows));  // pairs of tiles
  const auto across = static_cast<int>(ceil_div(n, Tile::cols));
  const int rank = block_in_cluster();
  const auto each_tile = [&](auto compute) {
    for (int pair = blockIdx.x / 2; pair < down * across; pair += gridDim.x / 2) {
      int row, col;
      place_of_tile<Tile::pairs_down>(pair, down, across, row, col);
      compute((2 * row + rank) * Tile::rows, col * Tile::cols);
    }
  };

  if (threadIdx.x == 0) {
    for (Barrier& barrier : full) init_barrier(barrier, 1);
    for (Barrier& barrier : empty) init_barrier(barrier, 2 * Tile::warps);
    publish_barriers();
  }
  sync_cluster();

  Ring<Tile::stages> ring;
  if (threadIdx.x >= Tile::threads) {  // ---- the third warpgroup copies
    give_registers<40>();
    if (threadIdx.x == Tile::threads) {
      each_tile([&](int row0, int col0) {
        for (int step = 0; step < steps; ++step, ring.advance()) {
          unsigned char* const stage = stages + ring.stage * Tile::stage_bytes;
          // All warps of both blocks have done with the stage: what is sent goes to both.
          wait(empty[ring.stage], ring.parity ^ 1);
          arrive_expecting(full[ring.stage], Tile::stage_bytes);
          load_box(stage, a, full[ring.stage], step * Tile::depth, row0);
          _Pragma("unroll")
          for (int i = 0; i < Tile::panels / 2; ++i) {
            const int p = rank * (Tile::panels / 2) + i;
            load_box(stage + Tile::a_bytes + p * Tile::panel_bytes, b, full[ring.stage],
                     std::uint16_t{0b11}, col0 + p * Tile::panel_cols, step * Tile::depth, 0);
          }
        }
      });
    }
    __syncwarp();
  } else {  // ---- two multiply
    take_registers<232>();
    WarpgroupSums<T> sums;
    const int lane = threadIdx.x % 32;
    unsigned char* const boxes =
        stages + Tile::stages * Tile::stage_bytes + threadIdx.x / 32 * 2 * box_bytes;
    each_tile([&](int row0, int col0) {
      sums.multiply(
          stages, steps, ring, [&](const Ring<Tile::stages>& r) { wait(full[r.stage], r.parity); },
          [&](int stage) {
            if (lane < 2) arrive_in_cluster(empty[stage], lane);
          });
      if constexpr (BULK) {
        // A buffer is free when the last store but one has read it.
        const auto store = [&]<int q>() {
          unsigned char* const box = boxes + q % 2 * box_bytes;
          if (lane == 0) wait_for_stores_to_read<1>();
          __syncwarp();
          sums.template write_box<q>(box);
          fence_for_copies();
          __syncwarp();
          int row, col;
          sums.box(q, row, col);
          if (lane == 0) store_box(c_boxes, box, col0 + col, row0 + row);
        };
        [&]<int... q>(std::integer_sequence<int, q...>) { (store.template operator()<q>(), ...); }
        (std::make_integer_sequence<int, 8>());
      } else {
        sums.store(c, m, n, row0, col0);
      }
    });
    if (BULK && lane == 0) wait_for_stores();
    __syncwarp();
  }
  sync_cluster();  // no block leaves while the other may still reach for its barriers
}

}  // namespace

const Register<Matmul, half, bfloat16, float> variant(
    {.rung = 14,
     .idea = "sums leave by bulk tensor stores, beside the products of the next tile",
     .arithmetic = Arithmetic::tf32,
     .units = tensor_units(),
     .hardware = "warpgroup products, bulk tensor copies and clusters"},
    []<typename T>(Gpu& gpu, const Matmul::Args<T>& p, const Tunables&) {
      using Tile = WarpgroupTile<T>;
      using Sums = WarpgroupSums<T>;
      refuse_without_warpgroups();
      const AlignedMatrix a = align_rows(gpu, p.a, p.m, p.k), b = align_rows(gpu, p.b, p.k, p.n);
      const std::int64_t pairs = ceil_div(p.m, 2 * Tile::rows) * ceil_div(p.n, Tile::cols);
      const std::int64_t clusters = std::min<std::int64_t>(pairs, gpu.multiprocessors() / 2);
      const bool bulk = p.n % 4 == 0;
      const TensorMap boxes = bulk ? tensor_map({MapElement::float32,
                                                 p.c,
                                                 {p.n, p.m, 1},
                                                 {p.n * 4, p.m * p.n * 4},
                                                 {Sums::box_cols, Sums::box_rows, 1},
                                                 4 * Sums::box_cols})
                                   : TensorMap{};
      gpu.launch({.grid = {2 * clusters},
                  .block = {Tile::threads + 128},
                  .shared_bytes = overlapped_shared_bytes<T>},
                 bulk ? matmul_overlapped<T, true> : matmul_overlapped<T, false>,
                 map_of_a<T>(a, p.m, p.k), map_of_b<T>(b, p.k, p.n), boxes, p.c, p.m, p.k, p.n);
    });
