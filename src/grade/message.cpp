#include "grade/message.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace parlab::grade {
namespace {

constexpr int look_every_ms = 20;

[[noreturn]] void closed() {
  throw std::runtime_error("the other end is closed");
}

}  // namespace

void Message::get_bytes(void* data, std::size_t count) {
  if (count > bytes_.size() - next_) fail("a message");
  std::memcpy(data, bytes_.data() + next_, count);
  next_ += count;
}

void Message::expect_end() const {
  if (next_ != bytes_.size()) fail("more");
}

void Channel::wait(short events, const std::function<void()>& meanwhile) const {
  pollfd look{descriptor_, events, 0};
  while (poll(&look, 1, meanwhile ? look_every_ms : -1) <= 0) {
    if (meanwhile) meanwhile();
  }
}

void Channel::send(const Message& message,
                   const std::function<void()>& meanwhile) {
  const std::uint64_t count = message.bytes().size();
  const auto send_bytes = [&](const void* data, std::size_t left) {
    for (const auto* at = static_cast<const char*>(data); left > 0;) {
      wait(POLLOUT, meanwhile);  // until the other end reads
      const auto sent =
          ::send(descriptor_, at, left, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (sent <= 0) closed();
      at += sent;
      left -= static_cast<std::size_t>(sent);
    }
  };
  send_bytes(&count, sizeof count);
  send_bytes(message.bytes().data(), count);
}

void Channel::receive_bytes(void* data, std::size_t count,
                            const std::function<void()>& meanwhile) {
  for (auto* at = static_cast<char*>(data); count > 0;) {
    wait(POLLIN, meanwhile);
    const auto got = recv(descriptor_, at, count, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) closed();
    at += got;
    count -= static_cast<std::size_t>(got);
  }
}

Message Channel::receive(std::size_t most,
                         const std::function<void()>& meanwhile) {
  std::uint64_t count = 0;
  receive_bytes(&count, sizeof count, meanwhile);
  if (count > most) throw Malformed("a length");
  std::string bytes(count, '\0');
  receive_bytes(bytes.data(), count, meanwhile);
  return Message(std::move(bytes));
}

}  // namespace parlab::grade
