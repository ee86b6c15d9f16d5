// Each GPU of a team has a strip of the image. A point of its first and of its last row has
// neighbours in the strips above and below: of each of them one row travels, its halo. All other
// points have their neighbours at home, and are computed while the halos are on their way; the
// first and the last row follow, by launches of three rows of a that yield one of b.
#include "gpu/gpus.hpp"
#include "streamed.cuh"

namespace {

// Rows of the image, as if they were one; all of b but its border is computed.
template <typename T>
Conv2d::Args<T> rows_of(const Conv2d::Args<T>& part, std::int64_t first, std::int64_t rows) {
  return {part.a + first * part.cols, part.b + first * part.cols, rows, part.cols};
}

// The last row of each strip to the one below, the first to the one above.
template <typename T>
void exchange_halos(Gpus& team, const Parts<Conv2d::Args<T>>& parts) {
  std::vector<Gpus::Move> moves;
  for (int i = 0; i + 1 < team.count(); ++i) {
    const auto &upper = parts[i], &lower = parts[i + 1];
    const auto cols = upper.cols, end = upper.rows * cols;
    moves.push_back(team.move(i, team.halo(upper.a + end), i + 1, lower.a, cols));
    moves.push_back(team.move(i + 1, team.halo(lower.a - cols), i, upper.a + (end - cols), cols));
  }
  team.exchange(moves);
}

}  // namespace

const Register<Conv2d, float, double> variant(
    {
        .rung = 1,
        .idea = "several GPUs: strips of the image, their halos exchanged beside the inside",
        .tunables = with_gpus(tunables_of_streamed()),
        .split = {"rows"},
        .travels =
            [](const Size& size, Dtype dtype, int gpus) {
              const double rows = gpus < 2 ? 0 : gpus == 2 ? 1 : 2;  // of one in the middle
              return rows * static_cast<double>(size[1]) * static_cast<double>(bytes_of(dtype));
            },
    },
    []<typename T>(Gpus& team, const Parts<Conv2d::Args<T>>& parts, const Tunables& tunables) {
      const auto inside = [&](Gpu& gpu, int i) {
        if (parts[i].rows > 2) choose_word(gpu, parts[i], tunables);
      };
      team.beside([&] { exchange_halos(team, parts); }, [&] { team.each(inside); });
      team.each([&](Gpu& gpu, int i) {
        const auto& part = parts[i];
        const bool above = i > 0, below = i + 1 < team.count(), one_row = part.rows == 1;
        if (above && (below || !one_row)) choose_word(gpu, rows_of(part, -1, 3), tunables);
        if (below && !one_row) choose_word(gpu, rows_of(part, part.rows - 2, 3), tunables);
      });
    });
