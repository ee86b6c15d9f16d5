// Persistent blocks in clusters of two. As many blocks as multiprocessors stay
// for the whole product and take one tile of C after another: while two
// warpgroups still write sums, the copies of the next tile are under way. The
// two blocks of a cluster compute tiles side by side, which need the same rows
// of A. Each asks for half of them, and the copy engine delivers them to both,
// so that L2 is read a third less.
//
// Tiles are taken in groups of 2048 rows, column by column: tiles computed at
// the same time find their A and B in L2. Matrices whose rows are not aligned
// to 16 bytes are copied first.
#include "warpgroup.cuh"

using namespace parlab;

namespace {

template <typename T>
__global__ void PARLAB_CLUSTER(2) __launch_bounds__(384, 1)
    matmul_clusters(const PARLAB_GRID_CONSTANT TensorMap a,
                    const PARLAB_GRID_CONSTANT TensorMap b, float* c,
                    std::int64_t m, std::int64_t k, std::int64_t n) {
  using Tile = WarpgroupTile<T, 256, 128, 1, 2>;
  unsigned char* const stages = aligned_shared_memory();
  __shared__ Barrier full[Tile::stages], empty[Tile::stages];
  const int steps = warpgroup_steps<Tile>(k);
  TilesOfBlock<Tile> tiles(m, n);

  if (threadIdx.x == 0) {
    prefetch(a);
    prefetch(b);
    for (Barrier& barrier : full)
      init_barrier(barrier, 1);
    for (Barrier& barrier : empty)
      init_barrier(barrier, 2 * Tile::warps);
    publish_barriers();
  }

  sync_cluster();

  Ring<Tile::stages> ring;
  if (threadIdx.x >= Tile::threads) {  // ---- the third warpgroup copies
    give_registers<40>();
    if (threadIdx.x == Tile::threads) {
      tiles.each([&](int row0, int col0) {
        for (int step = 0; step < steps; ++step, ring.advance()) {
          // All warps of both blocks have used the stage: copies go to both
          // blocks.
          wait(empty[ring.stage], ring.parity ^ 1);
          copy_stage<Tile>(stages + ring.stage * Tile::stage_bytes,
                           full[ring.stage], a, b, step, row0, col0);
        }
      });
      wait_for_all_stages(empty, ring);
    }
  } else {  // ---- two multiply
    take_registers<232>();
    WarpgroupSums<Tile> sums;
    const int lane = threadIdx.x % 32;
    tiles.each([&](int row0, int col0) {
      sums.multiply(
          stages, steps, ring,
          [&](const Ring<Tile::stages>& r) { wait(full[r.stage], r.parity); },
          [&](int stage) {
            if (lane < 2) arrive_in_cluster(empty[stage], lane);
          });
      sums.store(c, m, n, row0, col0);
    });
  }
}

}  // namespace

const Register<Matmul, float16, bfloat16, float> variant(
    {.rung = 13,
     .idea =
         "blocks stay for all tiles; pairs of blocks share their reads of A",
     .arithmetic = Arithmetic::tf32,
     .units = tensor_units(),
     .hardware = "warpgroup products, bulk tensor copies and clusters"},
    []<typename T>(Gpu& gpu, const Matmul::Args<T>& p, const Tunables&) {
      using Tile = WarpgroupTile<T, 256, 128, 1, 2>;
      refuse_without_warpgroups();
      const auto [a, b] = align_operands(gpu, p);
      gpu.launch({.grid = {blocks_that_stay<Tile>(gpu, p.m, p.n)},
                  .block = {Tile::threads + 128},
                  .shared_bytes = Tile::shared_bytes},
                 matmul_clusters<T>, map_of_a<Tile>(a, p.m, p.k),
                 map_of_b<Tile>(b, p.k, p.n), p.c, p.m, p.k, p.n);
    });
