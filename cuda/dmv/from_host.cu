// The matrix begins in the host's memory, and y ends there. The link between host and GPU is some
// fifty times as slow as the GPU's memory, so that the best that can be done is to keep it busy:
//
// The matrix is cut into pieces of whole rows. Streams take turns: each copies a piece up, computes
// its part of y with the kernel of `streamed`, and copies that back. While one computes, the next
// piece is on its way. What is left beside the copies is the last piece's kernel. x comes first,
// and every stream waits for it.
//
// Only as many pieces as there are streams are on the GPU at any time: a matrix may be larger than
// its memory.
#include "gpu/streams.hpp"
#include "streamed.cuh"

const Register<Dmv, float, double> variant(
    {
        .rung = 8,
        .idea = "from host memory: rows in pieces, copied while others are computed",
        .tunables = {piece_kib(), streams_in_turn()},
    },
    []<typename T>(Streams& streams, const Dmv::Args<T>& p, const Tunables& tunables) {
      const auto row_bytes = p.cols * static_cast<std::int64_t>(sizeof(T));
      const auto rows = rows_of_piece(p.rows, row_bytes, tunables["piece"]);
      const auto count = static_cast<int>(std::min(tunables["streams"], ceil_div(p.rows, rows)));
      T* const x = streams[0].scratch<T>(p.cols);
      streams.to_device(0, x, p.x, p.cols);

      std::vector<T*> a, y;
      for (int s = 0; s < count; ++s) {
        if (s > 0) streams.wait(s, 0);
        a.push_back(streams[s].scratch<T>(rows * p.cols));
        y.push_back(streams[s].scratch<T>(rows));
      }

      int s = 0;
      for (std::int64_t first = 0; first < p.rows; first += rows, s = (s + 1) % count) {
        const auto here = std::min(rows, p.rows - first);
        streams.to_device(s, a[s], p.a + first * p.cols, here * p.cols);
        choose_shape(streams[s], Dmv::Args<T>{a[s], nullptr, x, y[s], here, p.cols});
        streams.to_host(s, p.y + first, y[s], here);
      }
    });
