#include "core/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "core/affinity.hpp"

namespace parlab {
namespace {

// Number of indices that a thread takes at once. With fewer the threads would
// contend too often; with more one thread would finish late.
constexpr std::size_t portion = 16;
constexpr std::size_t most_threads = 8;

// Calls work on at most this many threads, including the calling one.
void start(std::size_t most, const std::function<void()>& work) {
  std::vector<std::jthread> others;
  try {
    while (others.size() + 1 < most)
      others.emplace_back(work);
  } catch (const std::system_error&) {
  }
  work();
}

// at_once: number of indices that a thread takes.
void share_out(std::size_t most, std::size_t at_once, std::size_t count,
               const std::function<void(std::size_t)>& f) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex guard;
  const auto work = [&] {
    try {
      for (;;) {
        const std::size_t begin = next.fetch_add(at_once);
        if (begin >= count) return;
        for (std::size_t i = begin; i < std::min(count, begin + at_once); ++i)
          f(i);
      }
    } catch (...) {
      const std::lock_guard lock(guard);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  start(std::min(most, (count + at_once - 1) / at_once), work);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

void on_all_cores(std::size_t count,
                  const std::function<void(std::size_t)>& f) {
  share_out(std::clamp<std::size_t>(affinity().size(), 1, most_threads),
            portion, count, f);
}

void on_threads(std::size_t most, std::size_t count,
                const std::function<void(std::size_t)>& f) {
  share_out(most, 1, count, f);
}

}  // namespace parlab
