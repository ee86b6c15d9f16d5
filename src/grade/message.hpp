// What a grader and the process of a submission tell each other: numbers,
// texts and arrays, one after the other. The reader believes nothing: what
// the process of a submission sends may be anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/types.hpp"
#include "facts/cause.hpp"

namespace parlab::grade {

// It was not sent by the program that we wrote.
struct Malformed : PointError {
  explicit Malformed(const std::string& what)
      : PointError(Verdict::launch_failed, what) {}
};

class Message {
 public:
  Message() = default;
  explicit Message(std::string bytes) : bytes_(std::move(bytes)) {}

  template <typename T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) Message& put(T value) {
    return put_bytes(&value, sizeof value);
  }
  Message& put(std::string_view text) {
    return put(std::uint64_t{text.size()}).put_bytes(text.data(), text.size());
  }
  Message& put_bytes(const void* data, std::size_t count) {
    bytes_.append(static_cast<const char*>(data), count);
    return *this;
  }
  template <typename T, typename F>
  Message& put_all(const T& values, F put_one) {
    put(std::uint64_t{values.size()});
    for (const auto& value : values)
      put_one(*this, value);
    return *this;
  }

  // In the order in which they were put. Throw Malformed.
  template <typename T>
  requires(std::is_arithmetic_v<T>) T get() {
    T value;
    get_bytes(&value, sizeof value);
    return value;
  }
  template <NamedEnum T>
  T get() {
    const int value = get<int>();
    if (value < 0 || value >= table_of(T{}).count) fail("a choice");
    return static_cast<T>(value);
  }
  std::string text(std::size_t longest = 4000);
  void get_bytes(void* data, std::size_t count);
  template <typename F>
  void get_all(std::size_t most, F get_one) {
    const auto count = get<std::uint64_t>();
    if (count > most) fail("a list");
    for (std::uint64_t i = 0; i < count; ++i)
      get_one(*this);
  }
  void expect_end() const;

  const std::string& bytes() const { return bytes_; }

 private:
  [[noreturn]] static void fail(const std::string& what);

  std::string bytes_;
  std::size_t next_ = 0;
};

// One end of a pair of sockets.
class Channel {
 public:
  explicit Channel(int descriptor) : descriptor_(descriptor) {}
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // Both call meanwhile() every few milliseconds until a whole message
  // is sent, or there; that may throw. They throw std::runtime_error
  // when the other end is closed.
  void send(const Message& message,
            const std::function<void()>& meanwhile = {});
  // Throws Malformed on a message of more than `most` bytes.
  Message receive(std::size_t most,
                  const std::function<void()>& meanwhile = {});

 private:
  void wait(short events, const std::function<void()>& meanwhile) const;
  void receive_bytes(void* data,
                     std::size_t count,
                     const std::function<void()>& meanwhile);

  int descriptor_;
};

}  // namespace parlab::grade
