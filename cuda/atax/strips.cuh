// Strips of a matrix in shared memory: which of their words belong to a thread,
// and how each thread copies its own.
#pragma once

#include <cuda_pipeline.h>

#include <algorithm>

#include "gpu/gpu.hpp"
#include "workloads/atax.hpp"

using namespace parlab;

namespace {

// 16 bytes of elements.
template <typename T>
struct alignas(16) Word {
  static constexpr int size = 16 / sizeof(T);
  T element[size];
};

// A matrix in strips of a few rows, and how blocks share them.
template <typename T>
struct Strips {
  const T* a;
  std::int64_t rows, cols, count;
  std::int64_t panel;  // 16-byte words of a block
  int team;            // blocks that share a row, at most 32
  int stages;          // strips in the ring
  int lag;  // strips between a part of t and its use; 0 for a team of one
};

// WORDS: 16-byte words of a row per thread; ROWS: rows of a strip; TOGETHER:
// blocks per multiprocessor. ALIGNED: all rows start at multiples of 16 bytes.
// Otherwise a strip takes rows that lie as many rows apart as a word has
// elements. All of these start at the same place inside a word, so a thread's
// words hold the same columns of each. Only the first and the last word of a
// row are then copied element by element.
template <typename T, bool ALIGNED, int THREADS, int WORDS, int ROWS,
          int TOGETHER>
struct Shape {
  static constexpr int threads = THREADS, words = WORDS, rows = ROWS,
                       together = TOGETHER, warps = THREADS / 32;
  static constexpr int size = Word<T>::size;
  // a warp's part of a row, a block's row, and its strip, in words
  static constexpr int segment_words = 32 * WORDS,
                       row_words = warps * segment_words,
                       strip_words = ROWS * row_words;

  static constexpr bool aligned = ALIGNED;
  // from one row of a strip to the next
  static constexpr int row_step = ALIGNED ? 1 : size;
};

// The first row of a strip.
template <typename S>
__host__ __device__ constexpr std::int64_t row_of(std::int64_t strip) {
  return strip / S::row_step * (S::row_step * S::rows) + strip % S::row_step;
}

// The columns of a thread, the same in every row of its team. A warp has
// neighbouring words. Word c of a lane begins at column first + c * stride,
// which for the first word of a row may be negative; the last word may reach
// beyond the last column.
template <typename T, typename S>
struct Columns {
  static constexpr int stride = 32 * S::size;
  std::int64_t first, cols;
  int mine;        // words of this thread
  int of_segment;  // words of its warp

  __device__ __forceinline__ Columns(const Strips<T>& strips,
                                     std::int64_t first_row)
      : cols(strips.cols) {
    const std::int64_t start =
        reinterpret_cast<std::uintptr_t>(strips.a + first_row * cols) /
        sizeof(T);
    // elements between a word's start and the row's
    const int past = S::aligned ? 0 : static_cast<int>(start % S::size);
    const std::int64_t words = (cols + past + S::size - 1) / S::size;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const std::int64_t in_block = blockIdx.x % strips.team * strips.panel,
                       word = in_block + warp * S::segment_words;
    const std::int64_t end = min(in_block + strips.panel, words);
    of_segment = static_cast<int>(
        max(min(end - word, std::int64_t{S::segment_words}), std::int64_t{0}));
    mine = max((of_segment - lane + 31) / 32, 0);
    first = (word + lane) * S::size - past;
  }

  __device__ __forceinline__ std::int64_t of(int c, int i) const {
    return first + c * stride + i;
  }
  __device__ __forceinline__ bool has(int c, int i) const {
    return c < mine && (S::aligned || (of(c, i) >= 0 && of(c, i) < cols));
  }

  __device__ __forceinline__ bool has_whole(int c) const {
    return has(c, 0) && has(c, S::size - 1);
  }
};

// This thread's words of the strips in shared memory. A team works on every
// `teams`-th strip.
template <typename T, typename S>
struct Stages {
  Word<T>* words;
  const Columns<T, S>& columns;
  std::int64_t rows, cols, strips, teams;
  // the strip copied next, its first row, and where that row begins
  std::int64_t strip;
  std::int64_t next_row;
  const T* next;

  __device__ __forceinline__ Stages(const Strips<T>& of,
                                    const Columns<T, S>& columns_,
                                    std::int64_t first_strip,
                                    std::int64_t teams_)
      : words(shared_memory<Word<T>>() + threadIdx.x / 32 * S::segment_words +
              threadIdx.x % 32),
        columns(columns_),
        rows(of.rows),
        cols(of.cols),
        strips(of.count),
        teams(teams_),
        strip(first_strip),
        next_row(row_of<S>(first_strip)),
        next(of.a + next_row * of.cols) {
    // Words that are never copied to stay zero.
    for (int stage = 0; stage < of.stages; ++stage) {
      for (int r = 0; r < S::rows; ++r) {
        _Pragma("unroll")
        for (int c = 0; c < S::words; ++c) {
          if (!columns.has_whole(c)) word(stage, r, c) = Word<T>{};
        }
      }
    }
  }

  __device__ __forceinline__ Word<T>& word(int stage, int row, int c) const {
    return words[stage * S::strip_words + row * S::row_words + c * 32];
  }

  // Whether the next strip has row r.
  __device__ __forceinline__ bool has_row(int r) const {
    return next_row + r * S::row_step < rows;
  }
  __device__ __forceinline__ const T* row(int r) const {
    return next + r * S::row_step * cols;
  }

  // Makes the strip after it the next one.
  __device__ __forceinline__ void advance() {
    strip += teams;
    next_row += teams * S::rows;
    next += teams * S::rows * cols;
  }
};

// Every thread copies its own words, so no other thread has to wait for them.
template <typename T, typename S>
struct ThreadCopies : Stages<T, S> {
  // Groups of copies per strip: each piece arrives, is used and is replaced.
  static constexpr int pieces = S::words == 4 ? 2 : 1,
                       piece_words = S::words / pieces;
  // Cycles that each block beyond two on a multiprocessor adds to a step.
  static constexpr double more_latency = sizeof(T) == 4 ? 260 : 0;
  int missing;  // groups under way when the first piece of a strip is used

  __device__ __forceinline__ ThreadCopies(const Strips<T>& of,
                                          const Columns<T, S>& columns_,
                                          std::int64_t first_strip,
                                          std::int64_t teams_)
      : Stages<T, S>(of, columns_, first_strip, teams_),
        missing((of.stages - of.lag) * pieces - 1) {}

  __device__ __forceinline__ void wait_for(int, int piece) {
    __pipeline_wait_prior(missing - piece);
  }

  // Starts the copies of a piece of the next strip. If there is no strip, the
  // group is empty but still counts.
  __device__ __forceinline__ void fetch(int stage, int piece) {
    _Pragma("unroll")
    for (int r = 0; r < S::rows; ++r) {
      _Pragma("unroll")
      for (int j = 0; j < piece_words; ++j) {
        const int c = piece * piece_words + j;
        Word<T>& to = this->word(stage, r, c);
        if (this->has_row(r)) {
          copy(to, this->row(r) + this->columns.of(c, 0), c);
        } else if (this->strip < this->strips) {
          // zeros stand for the rows that the last strips lack
          to = Word<T>{};
        }
      }
    }
    __pipeline_commit();
    if (piece == pieces - 1) this->advance();
  }

  // Copies word c of a row, or those of its elements that belong to the row.
  __device__ __forceinline__ void copy(Word<T>& to, const T* from, int c) {
    if (this->columns.has_whole(c)) {
      __pipeline_memcpy_async(&to, from, 16);
    } else if (!S::aligned && c < this->columns.mine) {
      for (int i = 0; i < S::size; ++i) {
        if (this->columns.has(c, i))
          __pipeline_memcpy_async(to.element + i, from + i, sizeof(T));
      }
    }
  }
};

}  // namespace
