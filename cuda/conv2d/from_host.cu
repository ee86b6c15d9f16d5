// Both images are in the host's memory. As many bytes go up as come back, so a
// link that carries both ways at once is used fully when both directions are
// busy all the time.
//
// One stream copies the image up, strip by strip. Others take turns at the
// strips that have arrived. As soon as the row below a strip is there, its part
// of b is computed with the kernel of `streamed`, and is copied back while the
// next one is computed and later strips still arrive. Nothing overlaps the
// first strip up and the last one down: with more strips these are shorter, but
// more copies have to be started.
//
// The border of b must not be written: only the points between the ends of each
// row are copied.
#include <algorithm>

#include "gpu/streams.hpp"
#include "streamed.cuh"

const Register<Conv2d, float, double> variant(
    {
        .rung = 7,
        .idea = "from host memory: strips copied both ways while others are "
                "computed",
        .tunables = with_pieces(tunables_of_streamed()),
    },
    []<typename T>(Streams& streams, const Conv2d::Args<T>& p,
                   const Tunables& tunables) {
      if (p.rows < 3 || p.cols < 3) return;  // all of b is border
      const auto row_bytes = p.cols * static_cast<std::int64_t>(sizeof(T));
      const auto strip = rows_of_piece(p.rows, row_bytes, tunables["piece"]);
      const auto count = static_cast<int>(tunables["streams"]);
      T* const a = streams[0].scratch<T>(p.rows * p.cols);
      T* const b = streams[0].scratch<T>(p.rows * p.cols);

      // rows of b from here on are still to be computed
      std::int64_t begin = 1;
      int turn = 0;
      for (std::int64_t first = 0; first < p.rows; first += strip) {
        const auto there = std::min(first + strip, p.rows);  // rows of a
        streams.to_device(0, a + first * p.cols, p.a + first * p.cols,
                          (there - first) * p.cols);
        const auto rows = there - 1 - begin;
        if (rows < 1) continue;

        const int s = 1 + turn++ % count;
        streams.wait(s, 0);
        const auto above = (begin - 1) * p.cols, left = begin * p.cols + 1;
        launch_streamed(streams[s],
                        Conv2d::Args<T>{a + above, b + above, rows + 2, p.cols},
                        tunables);
        streams.to_host(s, Block<T>{p.b + left, p.cols},
                        Block<const T>{b + left, p.cols}, rows, p.cols - 2);
        begin += rows;
      }
    });
