// A variant's view of a GPU when its arrays are in host memory: streams of that
// GPU, and copies in both directions.
//
// The arrays are in pinned host memory. Kernels work only on GPU memory, the
// scratch() of one of the streams, and their data is copied there first. Work
// queued on one stream is done in order, streams run in parallel, and nothing
// waits for the host. An execution lasts from the first copy until every stream
// is done.
#pragma once

#include <algorithm>
#include <type_traits>

#include "core/register.hpp"
#include "gpu/gpu.hpp"

namespace parlab {

// How a variant divides its problem: KiB per piece, and streams that take
// turns.
inline TunableSpec piece_kib(std::int64_t fallback = 2048) {
  return {.name = "piece",
          .fallback = fallback,
          .min = 1,
          .max = 1 << 20,
          .power_of_two = true};
}
inline TunableSpec streams_in_turn(std::int64_t fallback = 4) {
  return {.name = "streams", .fallback = fallback, .min = 1, .max = 16};
}

// The tunables of a kernel, and these two.
inline ShortList<TunableSpec> with_pieces(
    ShortList<TunableSpec> tunables, const TunableSpec& piece = piece_kib()) {
  tunables.push_back(piece);
  tunables.push_back(streams_in_turn());
  return tunables;
}

// Number of rows in a piece of `kib` KiB. Everything that an execution queues
// must fit the queues of the device, so pieces are larger if there would be
// more than `most`. No piece is larger than the problem.
inline std::int64_t rows_of_piece(std::int64_t rows, std::int64_t row_bytes,
                                  std::int64_t kib, std::int64_t most = 64) {
  const auto all = std::max<std::int64_t>(rows, 1);
  const auto asked = kib * 1024 / std::max<std::int64_t>(row_bytes, 1);
  return std::clamp(asked, ceil_div(all, most), all);
}

// A part of a row-major matrix, with `pitch` elements from the start of one row
// to the next.
template <typename T>
struct Block {
  T* data;
  std::int64_t pitch;
};

class Streams {
 public:
  virtual ~Streams() = default;
  Streams() = default;
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  // Stream i, made on first use; few are enough. Its scratch memory may be used
  // on all streams.
  virtual Gpu& operator[](int i) = 0;

  // Copies `count` elements in the order of stream i.
  template <typename T>
  void to_device(int i, T* to, const std::type_identity_t<T>* from,
                 std::int64_t count) {
    to_device<T>(i, {to, count}, {from, count}, 1, count);
  }
  template <typename T>
  void to_host(int i, T* to, const std::type_identity_t<T>* from,
               std::int64_t count) {
    to_host<T>(i, {to, count}, {from, count}, 1, count);
  }
  // The same for blocks of rows x cols elements.
  template <typename T>
  void to_device(int i, Block<T> to, Block<const std::type_identity_t<T>> from,
                 std::int64_t rows, std::int64_t cols) {
    if (rows > 0 && cols > 0) queue_to_device(i, rows_of(to, from, rows, cols));
  }
  template <typename T>
  void to_host(int i, Block<T> to, Block<const std::type_identity_t<T>> from,
               std::int64_t rows, std::int64_t cols) {
    if (rows > 0 && cols > 0) queue_to_host(i, rows_of(to, from, rows, cols));
  }

  // Makes later work on stream i wait for all work queued on stream `other` so
  // far.
  virtual void wait(int i, int other) = 0;

 protected:
  // Rows in bytes.
  struct Rows {
    void* to;
    std::size_t to_pitch;
    const void* from;
    std::size_t from_pitch, bytes, count;
  };
  virtual void queue_to_device(int i, const Rows& rows) = 0;
  virtual void queue_to_host(int i, const Rows& rows) = 0;

 private:
  // One long row if there are no gaps between rows.
  template <typename T>
  static Rows rows_of(Block<T> to, Block<const T> from, std::int64_t rows,
                      std::int64_t cols) {
    const auto bytes = [](std::int64_t elements) {
      return static_cast<std::size_t>(elements) * sizeof(T);
    };
    const bool whole = to.pitch == cols && from.pitch == cols;
    return {to.data,
            bytes(to.pitch),
            from.data,
            bytes(from.pitch),
            bytes(whole ? rows * cols : cols),
            whole ? 1 : static_cast<std::size_t>(rows)};
  }
};

}  // namespace parlab
