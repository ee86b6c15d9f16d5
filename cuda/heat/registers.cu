// A warp marches down a strip of columns. A lane keeps three rows of four
// floats or two doubles in registers. At each step down it reads one word of 16
// bytes: the row south of one row is the next row, and then the row north of
// the one after. The points to the left and right of its word come from the
// adjacent lanes by shuffles. Each point is read only once.
#include "march.cuh"

const Register<Heat, float, double> variant(
    {
        .rung = 2,
        .idea = "a warp marches down with three rows in registers, one 16-byte "
                "read per row",
        // rows of a strip; 0: one wave of warps
        .tunables = {rows_of_strip()},
    },
    []<typename T>(Gpu& gpu, const Heat::Args<T>& p, const Tunables& tunables) {
      const auto run = has_aligned_rows(p) ? launch_march<1, true, T>
                                           : launch_march<1, false, T>;
      in_launches(gpu, p, 1, [&](const T* from, T* to, std::int64_t) {
        run(gpu, p, from, to, tunables["strip"]);
      });
    });
