// Both images are in the host's memory: as much has to go up as comes
// back, and a link that carries both ways at once is used fully when
// both are under way all the time.
//
// One stream copies the image up, strip by strip. Others take turns at what
// has arrived: a strip of b is computed, with the kernel of `streamed`, as
// soon as the row below it is there, and copied back while the next one is
// computed and the strips after it still arrive. The first strip up and the
// last one down have nothing beside them: the more strips, the less that
// is, and the more often a copy has to be started.
//
// The border of b is not ours to write: of each row what lies
// between its ends is copied.
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
