#include "reference/progress.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <utility>

#include <omp.h>

namespace parlab::reference {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto look_every = std::chrono::milliseconds(100);
constexpr std::int64_t most_strips = 1024;

struct Pass {
  const Watch::Look* look = nullptr;
  bool on_one_thread = false;
  double rows = 0, done = 0;  // see begin_pass()
  Clock::time_point begin = Clock::now(), next_look = begin + look_every;

  // While the loop that began then has done some of its rows.
  void see(Clock::time_point loop, double done_of_loop, double rows_of_loop) {
    const auto now = Clock::now();
    if (look == nullptr || now < next_look) return;
    next_look = now + look_every;
    if (rows < 0) return (*look)({});
    const bool known = rows > 0;
    const double share = known ? std::min((done + done_of_loop) / rows, 1.0)
                               : done_of_loop / rows_of_loop;
    const std::chrono::duration<double> taken = now - (known ? begin : loop);
    (*look)({share, taken.count() * (1 / share - 1)});
  }
};

thread_local Pass pass;
thread_local bool in_strip = false;

// Marks a strip while it lives.
struct InStrip {
  InStrip() { in_strip = true; }
  ~InStrip() { in_strip = false; }
};

}  // namespace

Watch::Watch(Look look) : look_(std::move(look)) {
  pass = {.look = &look_};
}

Watch::~Watch() {
  pass = {};
}

void begin_pass(double rows) {
  pass = {.look = pass.look, .on_one_thread = pass.on_one_thread, .rows = rows};
}

double count_rows(const std::function<void()>& run) {
  const Pass outer = std::exchange(pass, {.on_one_thread = true});
  run();
  return std::exchange(pass, outer).done;
}

void each_strip(std::int64_t first, std::int64_t last,
                const std::function<void(std::int64_t, std::int64_t)>& strip,
                std::int64_t at_least) {
  if (in_strip) return strip(first, last);
  const auto count = std::max<std::int64_t>(last - first, 0),
             length =
                 std::max((count + most_strips - 1) / most_strips, at_least);
  Pass& seen = pass;
  const auto begun = Clock::now();
  std::atomic<std::int64_t> done = 0;
  std::atomic<bool> failed = false;
  std::exception_ptr failure;
#pragma omp parallel for schedule(static) if (!seen.on_one_thread)
  for (std::int64_t begin = first; begin < last; begin += length) {
    if (failed) continue;
    const auto end = std::min(begin + length, last);
    try {
      {
        const InStrip here;
        strip(begin, end);
      }
      done += end - begin;
      if (omp_get_thread_num() == 0)
        seen.see(begun, static_cast<double>(done), static_cast<double>(count));
    } catch (...) {
      if (!failed.exchange(true)) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
  seen.done += static_cast<double>(count);
}

}  // namespace parlab::reference
