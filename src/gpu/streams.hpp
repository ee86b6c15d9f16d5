// What a variant sees of a GPU when its arrays are the host's: streams
// of that GPU, and copies both ways.
//
// The arrays are pinned memory of the host. A kernel works on memory of the
// GPU alone, scratch() of one of the streams, and what it needs is copied
// there first. What is queued on one stream is done in order, streams go
// on beside each other, and nothing waits for the host. An execution lasts
// from the first copy until every stream is done.
#pragma once

#include <algorithm>
#include <type_traits>

#include "core/register.hpp"
#include "gpu/gpu.hpp"

namespace parlab {

// How a variant cuts its problem: KiB of a piece, and streams that take turns.
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

// Those of a kernel, and these two.
inline ShortList<TunableSpec> with_pieces(
    ShortList<TunableSpec> tunables, const TunableSpec& piece = piece_kib()) {
  tunables.push_back(piece);
  tunables.push_back(streams_in_turn());
  return tunables;
}

// Rows of a piece of so many KiB, where a row has so many bytes. All
// that an execution queues must fit the queues of the device: where there
// would be more pieces than `most`, they are larger. None is larger than
// the problem, whatever was asked for.
inline std::int64_t rows_of_piece(std::int64_t rows, std::int64_t row_bytes,
                                  std::int64_t kib, std::int64_t most = 64) {
  const auto all = std::max<std::int64_t>(rows, 1);
  const auto asked = kib * 1024 / std::max<std::int64_t>(row_bytes, 1);
  return std::clamp(asked, ceil_div(all, most), all);
}

// A part of a row-major matrix: `pitch` elements from the beginning
// of one row to the next.
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

  // Stream i, made when it is first asked for: few will do. Its scratch
  // memory may be used on all.
  virtual Gpu& operator[](int i) = 0;

  // Copies count elements in the order of stream i.
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

  // What is queued on stream i from now on waits for all that is queued
  // on stream `other` by now.
  virtual void wait(int i, int other) = 0;

 protected:
  // Rows of bytes.
  struct Rows {
    void* to;
    std::size_t to_pitch;
    const void* from;
    std::size_t from_pitch, bytes, count;
  };
  virtual void queue_to_device(int i, const Rows& rows) = 0;
  virtual void queue_to_host(int i, const Rows& rows) = 0;

 private:
  // One long row where nothing lies between two.
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
