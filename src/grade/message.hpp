// Messages between the grader and the process of a submission: values, one
// after the other. The reader trusts nothing, because that process may send
// anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/file.hpp"
#include "core/types.hpp"
#include "facts/cause.hpp"

namespace parlab::grade {

// Our own program did not send this. what: names the part of the message.
struct Malformed : PointError {
  explicit Malformed(const std::string& what)
      : PointError(Verdict::launch_failed,
                   because(Cause::malformed_answer, what)) {}
};

// Is<ArraySpec>: ArraySpec, or a const one.
template <typename T, typename U>
concept Is = std::is_same_v<std::remove_const_t<T>, U>;

// A message can hold numbers, enums, texts, optional values, variants, pairs,
// lists of all these, and structs. A struct names its members once, for both
// directions, in its own namespace:
//   auto members(Is<Disturbance> auto& d) {
//     return std::tie(d.inputs, d.outputs);
//   }
class Message {
 public:
  Message() = default;
  explicit Message(std::string bytes) : bytes_(std::move(bytes)) {}

  template <typename... T>
  Message& put(const T&... values) {
    (write(values), ...);
    return *this;
  }
  Message& put_bytes(const void* data, std::size_t count) {
    bytes_.append(static_cast<const char*>(data), count);
    return *this;
  }

  // Values in the order in which they were put. Throws Malformed.
  template <typename T>
  T get() {
    T value{};
    read(value);
    return value;
  }
  void get_bytes(void* data, std::size_t count);
  void expect_end() const;

  const std::string& bytes() const { return bytes_; }

 private:
  static constexpr std::uint64_t longest_list = 1 << 16, longest_text = 4000;
  static constexpr int deepest = 12;  // nested structs

  template <typename T>
  void write(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      write(std::uint64_t{value});
    } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      put_bytes(&value, sizeof value);
    } else if constexpr (std::is_convertible_v<T, std::string_view>) {
      const std::string_view text(value);
      write(std::uint64_t{text.size()});
      put_bytes(text.data(), text.size());
    } else if constexpr (requires { value.has_value(); }) {
      write(value.has_value());
      if (value) write(*value);
    } else if constexpr (requires { value.valueless_by_exception(); }) {
      write(std::uint64_t{value.index()});
      std::visit([&](const auto& one) { write(one); }, value);
    } else if constexpr (requires { value.second; }) {
      put(value.first, value.second);
    } else if constexpr (requires { value.begin(); }) {
      write(static_cast<std::uint64_t>(value.size()));
      for (const auto& each : value)
        write(each);
    } else {
      std::apply([&](const auto&... each) { put(each...); }, members(value));
    }
  }

  template <typename T>
  void read(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = count(1, "a choice") != 0;
    } else if constexpr (std::is_arithmetic_v<T>) {
      get_bytes(&value, sizeof value);
    } else if constexpr (std::is_enum_v<T>) {
      const auto number = get<int>();
      if (number < 0 || number >= table_of(T{}).count) fail("a choice");
      value = static_cast<T>(number);
    } else if constexpr (std::is_same_v<T, std::string>) {
      value.resize(count(longest_text, "a text"));
      get_bytes(value.data(), value.size());
    } else if constexpr (requires { value.has_value(); }) {
      if (get<bool>()) read(value.emplace());
    } else if constexpr (requires { value.valueless_by_exception(); }) {
      read_one_of(value);
    } else if constexpr (requires { typename T::mapped_type; }) {
      for (auto left = count(longest_list, "a list"); left > 0; --left) {
        auto key = get<typename T::key_type>();
        value.emplace(std::move(key), get<typename T::mapped_type>());
      }
    } else if constexpr (requires { std::tuple_size<T>::value; }) {
      if (count(value.size(), "a list") != value.size()) fail("a list");
      for (auto& each : value)
        read(each);
    } else if constexpr (requires { value.begin(); }) {
      for (auto left = count(longest_list, "a list"); left > 0; --left)
        value.push_back(get<typename T::value_type>());
    } else {
      if (++depth_ > deepest) fail("a list");
      std::apply([&](auto&... each) { (read(each), ...); }, members(value));
      --depth_;
    }
  }
  template <typename... T>
  void read_one_of(std::variant<T...>& value) {
    const auto which = count(sizeof...(T) - 1, "a choice");
    std::uint64_t i = 0;
    ((i++ == which ? void(value = get<T>()) : void()), ...);
  }
  std::uint64_t count(std::uint64_t most, const char* of) {
    const auto number = get<std::uint64_t>();
    if (number > most) fail(of);
    return number;
  }
  [[noreturn]] static void fail(const char* what) { throw Malformed(what); }

  std::string bytes_;
  std::size_t next_ = 0;
  int depth_ = 0;
};

// One end of a pair of sockets.
class Channel {
 public:
  explicit Channel(int descriptor) : descriptor_(descriptor) {}

  // Both call meanwhile() every few milliseconds until a whole message is sent
  // or has arrived; meanwhile() may throw. They throw std::runtime_error if the
  // other end is closed.
  void send(const Message& message,
            const std::function<void()>& meanwhile = {});
  // Throws Malformed on a message of more than `most` bytes.
  Message receive(std::size_t most,
                  const std::function<void()>& meanwhile = {});

 private:
  void wait(short events, const std::function<void()>& meanwhile) const;
  void receive_bytes(void* data, std::size_t count,
                     const std::function<void()>& meanwhile);

  Descriptor descriptor_;
};

}  // namespace parlab::grade
