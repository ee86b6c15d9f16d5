// Rows of b of any length are written in words of 16 bytes, too. Memory is
// written in sectors of 32 bytes, and a row of an odd number of elements begins
// somewhere in one. So each row of a tile is moved back by a few elements, to
// where a sector begins: a tile of b has slanting ends. Its block reads these
// few rows of a more. They are in L2, where a block beside it needs them too.
//
// The tile lies in shared memory as its rows of b will, at a pitch for which
// lanes that take every fourth element of some rows find them in different
// banks. Rows of a are read element by element, 128 neighbouring bytes at a
// time. Where all rows are aligned, `wide` does the work.
#include "gpu/store_whole.hpp"
#include "wide.cuh"

namespace {

// tall x wide elements of a.
template <typename T, int tall, int wide_>
struct Slanting {
  static constexpr int wide = wide_, threads = 4 * wide * tall / 32;
  static constexpr int n = Word<T>::count;
  static constexpr int sector = 32 / sizeof(T);
  static constexpr int rows = tall + sector - 1;  // of a
  static constexpr int pitch = (rows + 4) / 4 * 4 + 2;
  static constexpr int words = tall / n;  // in a row of the tile
};

template <typename T, int tall, int wide>
__global__ void __launch_bounds__(Slanting<T, tall, wide>::threads)
    transpose_sectors(const T* a, T* b, std::int64_t rows, std::int64_t cols,
                      unsigned tiles_across) {
  using S = Slanting<T, tall, wide>;
  __shared__ T tile[wide * S::pitch];
  const std::int64_t row0 = std::int64_t{blockIdx.x / tiles_across} * tall,
                     col0 = std::int64_t{blockIdx.x % tiles_across} * wide,
                     first = row0 - (S::sector - 1);  // row of a that is read

  constexpr int down = S::threads / wide, turns = (S::rows + down - 1) / down;
  const int col = threadIdx.x % wide, row = threadIdx.x / wide;
  T read[turns] = {};
  _Pragma("unroll")
  for (int turn = 0; turn < turns; ++turn) {
    const int i = row + turn * down;
    if (i < S::rows && first + i >= 0 && first + i < rows && col0 + col < cols)
      read[turn] = a[(first + i) * cols + col0 + col];
  }
  _Pragma("unroll")
  for (int turn = 0; turn < turns; ++turn) {
    const int i = row + turn * down;
    if (i < S::rows) tile[col * S::pitch + i] = read[turn];
  }
  __syncthreads();

  _Pragma("unroll")
  for (int i = threadIdx.x; i < wide * S::words; i += S::threads) {
    const int of_b = i / S::words, word = i % S::words;
    if (col0 + of_b >= cols) break;
    const std::int64_t begin = (col0 + of_b) * rows;
    const int back = static_cast<int>((begin + row0) % S::sector),
              place = word * S::n - back;  // from row0 on
    const T* const from = tile + of_b * S::pitch + S::sector - 1 + place;
    Word<T> found;
    _Pragma("unroll")
    for (int k = 0; k < S::n; ++k)
      found.at[k] = from[k];
    T* const to = b + begin + row0 + place;
    const std::int64_t before = row0 + place, left = rows - before;
    if (before >= 0 && left >= S::n) {
      store_whole(to, found);
      continue;
    }
    _Pragma("unroll")
    for (int k = 0; k < S::n; ++k) {
      if (before + k >= 0 && k < left) to[k] = found.at[k];
    }
  }
}

template <int tall, int wide, typename T>
void launch_sectors(Gpu& gpu, const Transpose::Args<T>& p) {
  using S = Slanting<T, tall, wide>;
  const auto across = ceil_div(p.cols, wide),
             along = ceil_div(p.rows + S::sector - 1, tall);
  gpu.launch({.grid = {across * along}, .block = {S::threads}},
             transpose_sectors<T, tall, wide>, p.a, p.b, p.rows, p.cols,
             static_cast<unsigned>(across));
}

}  // namespace

const Register<Transpose, float, double> variant(
    {
        .rung = 4,
        .idea = "rows of any length in words, from where a sector begins",
    },
    []<typename T>(Gpu& gpu, const Transpose::Args<T>& p, const Tunables&) {
      constexpr int n = Word<T>::count;
      const auto tiles = ceil_div(p.rows, 64) * ceil_div(p.cols, 32);
      if (p.rows % n == 0 && p.cols % n == 0) {
        launch_wide(gpu, p);
      } else if (tiles >= 4 * gpu.multiprocessors()) {
        launch_sectors<64, 32>(gpu, p);
      } else {
        launch_sectors<32, 32>(gpu, p);
      }
    });
