// The kernels of `wide`; wide.cu says how they work. `sectors` uses them for
// aligned rows.
#pragma once

#include "gpu/gpu.hpp"
#include "workloads/transpose.hpp"

using namespace parlab;

namespace {

template <typename T>
struct alignas(16) Word {
  static constexpr int count = 16 / sizeof(T);
  T at[count];
};

// Tiles of size x size elements.
template <typename T, int size>
struct Tile {
  static constexpr int n = Word<T>::count;
  static constexpr int threads = size * size * sizeof(T) / 64;
  static constexpr int words = size / n;  // in a row

  // The place of a word in shared memory; `word` counts along the row.
  static __device__ int place(int row, int word) {
    return row * words + ((word ^ row ^ row / n) & (words - 1));
  }
};

// `whole`: the rows consist of whole words, those of a for reads, those of b
// for writes.
template <typename T, int size, bool whole>
__device__ void read_turned(Word<T>* tile, const T* a, std::int64_t row0,
                            std::int64_t col0, std::int64_t rows,
                            std::int64_t cols) {
  using Shape = Tile<T, size>;
  constexpr int n = Shape::n;
  // A thread's columns of n rows: a word, or one.
  constexpr int wide = whole ? n : 1;
  constexpr int across = size / wide;
  constexpr int turns = size / n * across / Shape::threads;
  T square[turns][n][wide] = {};
  _Pragma("unroll")
  for (int turn = 0; turn < turns; ++turn) {
    const int mine = turn * Shape::threads + threadIdx.x;
    const std::int64_t row = row0 + mine / across * n,
                       col = col0 + mine % across * wide;
    const T* from = a + row * cols + col;
    _Pragma("unroll")
    for (int i = 0; i < n; ++i) {
      if (row + i >= rows || col >= cols) continue;
      if constexpr (whole) {
        const auto word = *reinterpret_cast<const Word<T>*>(from + i * cols);
        _Pragma("unroll")
        for (int k = 0; k < n; ++k)
          square[turn][i][k] = word.at[k];
      } else {
        square[turn][i][0] = from[i * cols];
      }
    }
  }

  _Pragma("unroll")
  for (int turn = 0; turn < turns; ++turn) {
    const int mine = turn * Shape::threads + threadIdx.x;
    _Pragma("unroll")
    for (int k = 0; k < wide; ++k) {
      Word<T> word;
      _Pragma("unroll")
      for (int i = 0; i < n; ++i)
        word.at[i] = square[turn][i][k];
      tile[Shape::place(mine % across * wide + k, mine / across)] = word;
    }
  }
}

template <typename T, int size, bool whole>
__device__ void write_turned(const Word<T>* tile, T* b, std::int64_t row0,
                             std::int64_t col0, std::int64_t rows,
                             std::int64_t cols) {
  using Shape = Tile<T, size>;
  constexpr int n = Shape::n;
  constexpr int wide = whole ? n : 1;
  constexpr int across = size / wide;
  constexpr int turns = size * across / Shape::threads;
  _Pragma("unroll")
  for (int turn = 0; turn < turns; ++turn) {
    const int mine = turn * Shape::threads + threadIdx.x;
    const int down = mine / across, right = mine % across * wide;
    if (col0 + down >= cols || row0 + right >= rows) continue;
    T* to = b + (col0 + down) * rows + row0 + right;
    const Word<T>* word = tile + Shape::place(down, right / n);
    if constexpr (whole) {
      *reinterpret_cast<Word<T>*>(to) = *word;
    } else {
      *to = word->at[right % n];
    }
  }
}

// A block has one tile; the tiles are numbered along the rows of a.
template <typename T, int size, bool whole_reads, bool whole_writes>
__global__ void __launch_bounds__(Tile<T, size>::threads)
    transpose_wide(const T* a, T* b, std::int64_t rows, std::int64_t cols,
                   unsigned tiles_across) {
  __shared__ Word<T> tile[size * Tile<T, size>::words];
  const std::int64_t row0 = std::int64_t{blockIdx.x / tiles_across} * size;
  const std::int64_t col0 = std::int64_t{blockIdx.x % tiles_across} * size;
  read_turned<T, size, whole_reads>(tile, a, row0, col0, rows, cols);
  __syncthreads();
  write_turned<T, size, whole_writes>(tile, b, row0, col0, rows, cols);
}

template <int size, bool whole_reads, bool whole_writes, typename T>
void launch_tiles(Gpu& gpu, const Transpose::Args<T>& p) {
  const auto across = ceil_div(p.cols, size);
  gpu.launch({.grid = {across * ceil_div(p.rows, size)},
              .block = {Tile<T, size>::threads}},
             transpose_wide<T, size, whole_reads, whole_writes>, p.a, p.b,
             p.rows, p.cols, static_cast<unsigned>(across));
}

template <int size, typename T>
void launch_with_words(Gpu& gpu, const Transpose::Args<T>& p) {
  const bool reads = p.cols % Word<T>::count == 0;
  const bool writes = p.rows % Word<T>::count == 0;
  if (reads && writes) {
    launch_tiles<size, true, true>(gpu, p);
  } else if (reads) {
    launch_tiles<size, true, false>(gpu, p);
  } else if (writes) {
    launch_tiles<size, false, true>(gpu, p);
  } else {
    launch_tiles<size, false, false>(gpu, p);
  }
}

template <typename T>
void launch_wide(Gpu& gpu, const Transpose::Args<T>& p) {
  const auto tiles = ceil_div(p.rows, 64) * ceil_div(p.cols, 64);
  if (sizeof(T) == 4 && tiles >= 4 * gpu.multiprocessors()) {
    launch_with_words<64>(gpu, p);
  } else {
    launch_with_words<32>(gpu, p);
  }
}

}  // namespace
