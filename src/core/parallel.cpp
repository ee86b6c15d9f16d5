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

}  // namespace

void on_all_cores(std::size_t count,
                  const std::function<void(std::size_t)>& f) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex guard;
  const auto work = [&] {
    try {
      for (;;) {
        const std::size_t begin = next.fetch_add(portion);
        if (begin >= count) return;
        for (std::size_t i = begin; i < std::min(count, begin + portion); ++i)
          f(i);
      }
    } catch (...) {
      const std::lock_guard lock(guard);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  const std::size_t cores =
      std::clamp<std::size_t>(affinity().size(), 1, most_threads);
  const std::size_t portions = (count + portion - 1) / portion;
  on_threads(std::min(cores, portions), work);
  if (failure) std::rethrow_exception(failure);
}

void on_threads(std::size_t most, const std::function<void()>& work) {
  std::vector<std::jthread> others;
  try {
    while (others.size() + 1 < most)
      others.emplace_back(work);
  } catch (const std::system_error&) {
  }
  work();
}

}  // namespace parlab
