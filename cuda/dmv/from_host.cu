// The matrix begins in the host's memory, and y ends there. The link between
// host and GPU is some fifty times as slow as the GPU's memory, so the best one
// can do is to keep it busy.
//
// The matrix is cut into pieces of whole rows. One stream copies them up one
// after the other, for two copies at a time would share the link and both be
// late. Others take turns: as soon as its piece is there, each computes a part
// of y with the kernel of `streamed` and copies that back while the next piece
// is on its way. The last piece's kernel and a moment between two copies remain
// uncovered, so pieces may be large.
//
// Only as many pieces as there are streams are on the GPU at any time: a matrix
// may be larger than the GPU's memory.
#include <algorithm>
#include <vector>

#include "gpu/streams.hpp"
#include "streamed.cuh"

const Register<Dmv, float, double> variant(
    {
        .rung = 8,
        .idea = "from host memory: rows in pieces, copied while others are "
                "computed",
        .tunables = {piece_kib(16384), streams_in_turn()},
    },
    []<typename T>(Streams& streams, const Dmv::Args<T>& p,
                   const Tunables& tunables) {
      const auto row_bytes = p.cols * static_cast<std::int64_t>(sizeof(T));
      const auto rows = rows_of_piece(p.rows, row_bytes, tunables["piece"]);
      const auto count = static_cast<int>(
          std::min(tunables["streams"], ceil_div(p.rows, rows)));
      T* const x = streams[0].scratch<T>(p.cols);
      streams.to_device(0, x, p.x, p.cols);

      std::vector<T*> a, y;
      for (int i = 0; i < count; ++i) {
        a.push_back(streams[0].scratch<T>(rows * p.cols));
        y.push_back(streams[0].scratch<T>(rows));
      }

      int i = 0;
      for (std::int64_t first = 0; first < p.rows;
           first += rows, i = (i + 1) % count) {
        const auto here = std::min(rows, p.rows - first);
        const int s = 1 + i;
        // until the piece before this one is no longer needed
        streams.wait(0, s);
        streams.to_device(0, a[i], p.a + first * p.cols, here * p.cols);
        streams.wait(s, 0);
        choose_shape(streams[s],
                     Dmv::Args<T>{a[i], nullptr, x, y[i], here, p.cols});
        streams.to_host(s, p.y + first, y[i], here);
      }
    });
