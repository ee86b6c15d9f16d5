// The strips of `fused`, copied differently: one lane of a warp asks for the
// warp's part of a row with one instruction; in `fused` every lane asks for
// each of its words. A barrier in shared memory counts the bytes that arrive.
// The copies cost the threads next to nothing, and for unaligned rows they read
// a quarter less from the L2 cache than copies of 16 bytes each.
//
// Bulk copies take whole 16-byte words. If a row does not start at one, lanes
// copy the elements of its first and last word, and the same barrier waits for
// them.
#include "fused.cuh"
#include "gpu/warpgroup.hpp"

namespace {

template <typename T, typename S>
struct WarpCopies : Stages<T, S> {
  static constexpr int pieces = 1, piece_words = S::words;
  static constexpr double more_latency = 260;  // see ThreadCopies

  Barrier* full;     // of this warp, one per stage
  Word<T>* segment;  // where this warp's words of a strip begin
  std::uint32_t parity = 0;
  int last_stage;
  // of a row of the segment: its whole words, their places in it and in the row
  int words, at;
  std::int64_t from;
  // number of elements in partial words, and the element of this lane
  int edges, edge_at;
  std::int64_t edge_from;

  __device__ __forceinline__ WarpCopies(const Strips<T>& of,
                                        const Columns<T, S>& columns_,
                                        std::int64_t first_strip,
                                        std::int64_t teams_)
      : Stages<T, S>(of, columns_, first_strip, teams_),
        last_stage(of.stages - 1),
        words(columns_.of_segment),
        at(0),
        edges(0) {
    __shared__ Barrier barriers[S::warps * most_stages];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    full = barriers + warp * most_stages;
    segment = shared_memory<Word<T>>() + warp * S::segment_words;

    const std::int64_t begin = columns_.first - lane * S::size;
    from = begin;
    if (!S::aligned && words > 0) {
      int left = 0, right = 0;
      if (begin < 0) {
        left = S::size + static_cast<int>(begin);
        from += S::size;
        ++at;
        --words;
      }
      if (words > 0 && from + words * S::size > this->cols) {
        --words;
        right = static_cast<int>(this->cols - from - words * S::size);
      }
      edges = left + right;
      edge_from = lane < left ? lane : this->cols - edges + lane;
      edge_at = static_cast<int>(edge_from - begin);
    }

    if (lane == 0) {
      for (int stage = 0; stage < of.stages; ++stage)
        init_barrier(full[stage], 1 + edges);
      publish_barriers();
    }
    __syncwarp();
  }

  __device__ __forceinline__ void wait_for(int stage, int) {
    wait(full[stage], parity);
    if (stage == last_stage) parity ^= 1;
  }

  __device__ __forceinline__ void fetch(int stage, int) {
    // All lanes have read the words that are replaced.
    __syncwarp();
    Word<T>* const to = segment + stage * S::strip_words;
    const int lane = threadIdx.x % 32;
    if (lane == 0) copy_words(to, full[stage]);
    if (!S::aligned && lane < edges) {
      _Pragma("unroll")
      for (int r = 0; r < S::rows; ++r) {
        T* const elements = to[r * S::row_words].element;
        if (this->has_row(r)) {
          load_async<sizeof(T)>(elements + edge_at, this->row(r) + edge_from);
        }
      }
      arrive_after_copies(full[stage]);
    }

    // zeros stand for the rows that the last strips lack
    if (this->strip < this->strips && !this->has_row(S::rows - 1)) {
      for (int r = 0; r < S::rows; ++r) {
        for (int c = 0; c < S::words && !this->has_row(r); ++c)
          this->word(stage, r, c) = Word<T>{};
      }
    }
    this->advance();
  }

  __device__ __forceinline__ void copy_words(Word<T>* to, Barrier& barrier) {
    int count = 0;
    _Pragma("unroll")
    for (int r = 0; r < S::rows; ++r)
      count += this->has_row(r) ? 1 : 0;
    if (words == 0 || count == 0) return arrive(barrier);

    arrive_expecting(barrier, count * words * 16);
    _Pragma("unroll")
    for (int r = 0; r < S::rows; ++r) {
      if (r < count) {
        load_bytes(to + r * S::row_words + at, this->row(r) + from, words * 16,
                   barrier);
      }
    }
  }
};

}  // namespace

const Register<Atax, float, double> variant(
    {
        .rung = 6,
        .idea = "strips in shared memory by bulk copies: one lane copies its "
                "warp's part of a row",
        .tunables = tunables_of_strips(),
    },
    []<typename T>(Gpu& gpu, const Atax::Args<T>& p, const Tunables& tunables) {
      refuse_without_warpgroups();
      const auto choice = choice_from(tunables);
      if (!is_for_strips(gpu, p, choice)) return launch_fused(gpu, p, choice);
      run_in_strips<WarpCopies>(gpu, p, choice);
    });
