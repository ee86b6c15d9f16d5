// The matrix begins in the host's memory. Both products need each row only
// once: one stream copies pieces of whole rows up, and others take turns to
// compute what a piece adds to y, with the kernel of `fused`, while the next
// one is on its way. At the end one kernel adds up the pieces' parts of y. The
// matrix travels once and may be larger than the GPU's memory.
//
// Pieces may be large, since only the kernel of the last one delays the end.
// They are few, because each needs memory of its own for its blocks' sums.
#include <algorithm>
#include <vector>

#include "fused.cuh"
#include "gpu/streams.hpp"

namespace {

template <typename T>
__global__ void atax_add_pieces(const T* of_pieces, T* y, std::int64_t cols,
                                std::int64_t pieces) {
  const std::int64_t col = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (col >= cols) return;

  T sum = 0;
  for (std::int64_t i = 0; i < pieces; ++i)
    sum += of_pieces[i * cols + col];
  y[col] = sum;
}

}  // namespace

const Register<Atax, float, double> variant(
    {
        .rung = 7,
        .idea = "from host memory: rows in pieces, copied while others are "
                "computed",
        .tunables = {piece_kib(16384), streams_in_turn()},
    },
    []<typename T>(Streams& streams, const Atax::Args<T>& p,
                   const Tunables& tunables) {
      const auto row_bytes = p.cols * static_cast<std::int64_t>(sizeof(T));
      const auto rows = rows_of_piece(p.rows, row_bytes, tunables["piece"], 16);
      const auto pieces = ceil_div(p.rows, rows);
      const auto count =
          static_cast<int>(std::min(tunables["streams"], pieces));
      T* const x = streams[0].scratch<T>(p.cols);
      T* const of_pieces = streams[0].scratch<T>(pieces * p.cols);
      T* const y = streams[0].scratch<T>(p.cols);
      streams.to_device(0, x, p.x, p.cols);

      std::vector<T*> a;
      for (int i = 0; i < count; ++i)
        a.push_back(streams[0].scratch<T>(rows * p.cols));

      for (std::int64_t i = 0; i < pieces; ++i) {
        const auto turn = static_cast<int>(i % count), s = 1 + turn;
        const auto first = i * rows, here = std::min(rows, p.rows - first);
        // until the piece before this one is no longer needed
        streams.wait(0, s);
        streams.to_device(0, a[turn], p.a + first * p.cols, here * p.cols);
        streams.wait(s, 0);
        launch_fused(
            streams[s],
            Atax::Args<T>{a[turn], x, of_pieces + i * p.cols, here, p.cols},
            Choice{});
      }

      for (int s = 1; s <= count; ++s)
        streams.wait(0, s);
      streams[0].launch({.grid = {ceil_div(p.cols, 256)}, .block = {256}},
                        atax_add_pieces<T>, static_cast<const T*>(of_pieces), y,
                        p.cols, pieces);
      streams.to_host(0, p.y, y, p.cols);
    });
