// Both images are in the host's memory. One stream copies the image up, strip
// by strip. Others take turns at the rows of b whose neighbours, `radius` rows
// down, have arrived: they compute them with the kernel of `fused` and copy
// them back while the next rows are computed and the image still arrives. The
// column pass needs rows of the strip above again, which are still there.
#include <algorithm>

#include "fused.cuh"
#include "gpu/streams.hpp"

const Register<Convsep, float, double> variant(
    {
        .rung = 9,
        .idea = "from host memory: strips copied both ways while others are "
                "computed",
        .tunables = with_pieces(tunables_of_fused(), piece_kib(4096)),
    },
    []<typename T>(Streams& streams, const Convsep::Args<T>& p,
                   const Tunables& tunables) {
      const auto row_bytes = p.cols * static_cast<std::int64_t>(sizeof(T));
      const auto strip = rows_of_piece(p.rows, row_bytes, tunables["piece"]);
      const auto count = static_cast<int>(tunables["streams"]);
      Convsep::Args<T> here = p;
      T *a, *w;
      here.a = a = streams[0].scratch<T>(p.rows * p.cols);
      here.b = streams[0].scratch<T>(p.rows * p.cols);
      here.w = w = streams[0].scratch<T>(2 * p.radius + 1);
      streams.to_device(0, w, p.w, 2 * p.radius + 1);

      // rows of b from here on are still to be computed
      std::int64_t begin = 0;
      int turn = 0;
      for (std::int64_t first = 0; first < p.rows; first += strip) {
        const auto there = std::min(first + strip, p.rows);  // rows of a
        streams.to_device(0, a + first * p.cols, p.a + first * p.cols,
                          (there - first) * p.cols);
        const auto end = there == p.rows ? there : there - p.radius;
        if (end <= begin) continue;

        const int s = 1 + turn++ % count;
        streams.wait(s, 0);
        launch_ranges(streams[s], here, tunables,
                      {{begin, end - begin, begin, there - end}});
        streams.to_host(s, p.b + begin * p.cols, here.b + begin * p.cols,
                        (end - begin) * p.cols);
        begin = end;
      }
    });
