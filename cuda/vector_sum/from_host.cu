// The vector begins in the host's memory. One stream copies it up, piece by
// piece; others take turns to sum the pieces that have arrived, with the kernel
// of `last_block`, while the next piece is on its way. At the end the same
// kernel adds the sums of the pieces. The GPU reads a piece in a fiftieth of
// the time that its copy takes: only the link matters.
#include <algorithm>
#include <vector>

#include "gpu/streams.hpp"
#include "last_block.cuh"

namespace {

// A stream's memory for one piece after the other.
template <typename T>
struct Summing {
  Summing(Gpu& gpu, std::int64_t piece, std::int64_t threads)
      : block(threads),
        blocks(gpu.multiprocessors() *
               gpu.resident_blocks(vector_sum_last_block<T>,
                                   static_cast<int>(block))),
        x(gpu.scratch<T>(piece)),
        sums(gpu.scratch<T>(blocks)),
        finished(gpu.zeroed_scratch<unsigned>(1)) {}

  void sum(Gpu& gpu, std::int64_t n, T* to) const {
    const auto needed = std::min(blocks, ceil_div(n, block * Pack<T>::count));
    gpu.launch({.grid = {needed}, .block = {block}}, vector_sum_last_block<T>,
               static_cast<const T*>(x), to, n, sums, finished);
  }

  std::int64_t block, blocks;  // blocks: as many as are resident at once
  T *x, *sums;
  unsigned* finished;
};

}  // namespace

const Register<VectorSum, int, float, double> variant(
    {
        .rung = 8,
        .idea = "from host memory: pieces copied while others are summed",
        .tunables = {block_size(512, 32), piece_kib(16384), streams_in_turn()},
    },
    []<typename T>(Streams& streams, const VectorSum::Args<T>& p,
                   const Tunables& tunables) {
      const auto piece = rows_of_piece(p.n, sizeof(T), tunables["piece"]);
      const auto pieces = ceil_div(p.n, piece);
      const auto count =
          static_cast<int>(std::min(tunables["streams"], pieces));
      T* const sums = streams[0].scratch<T>(pieces);
      T* const sum = streams[0].scratch<T>(1);
      std::vector<Summing<T>> on;
      for (int s = 1; s <= count; ++s)
        on.emplace_back(streams[s], piece, tunables["block"]);

      for (std::int64_t i = 0; i < pieces; ++i) {
        const auto turn = static_cast<int>(i % count), s = 1 + turn;
        const auto here = std::min(piece, p.n - i * piece);
        streams.wait(0, s);  // until the piece before this one is summed
        streams.to_device(0, on[turn].x, p.x + i * piece, here);
        streams.wait(s, 0);
        on[turn].sum(streams[s], here, sums + i);
      }

      for (int s = 1; s <= count; ++s)
        streams.wait(0, s);
      launch_last_block(streams[0],
                        VectorSum::Args<T>{sums, nullptr, sum, pieces},
                        tunables["block"]);
      streams.to_host(0, p.sum, sum, 1);
    });
