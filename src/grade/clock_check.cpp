#include "grade/clock_check.hpp"

#include <algorithm>
#include <numeric>

#include "machine/run_queue.hpp"
#include "statistics/statistics.hpp"

namespace parlab::grade {
namespace {

constexpr double share_of_others = 0.1;
constexpr double long_batch_s = 0.1;
constexpr double share_at_least = 0.7;
constexpr std::size_t looks = 5, looks_at_most = 40;
constexpr int looks_to_acquit = 2;

const WatchedBatch& shortest(const std::vector<WatchedBatch>& batches) {
  return *std::ranges::min_element(batches, {}, &WatchedBatch::elapsed_s);
}

double sum_of(const std::vector<double>& seconds) {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

Quantity of_seconds(double value) {
  return {.value = value, .unit = Unit::second};
}

ClockCheck look_once(const std::function<WatchedBatch(int executions)>& take,
                     double median_s, double around_s) {
  const int count =
      static_cast<int>(std::clamp(long_batch_s / median_s, 4.0, 64.0));
  std::vector<WatchedBatch> of_one, of_many;
  Detail why_busy;
  const auto look = [&](int executions, std::vector<WatchedBatch>& batches) {
    auto batch = take(executions);
    if (disturbed(batch.watched)) {
      why_busy = why_disturbed(batch.watched);
    } else {
      batches.push_back(std::move(batch));
    }
  };
  for (std::size_t i = 0;
       i < looks_at_most && std::min(of_one.size(), of_many.size()) < looks;
       ++i) {
    look(1, of_one);
    look(count, of_many);
  }
  if (std::min(of_one.size(), of_many.size()) < looks) {
    return {.verdict = ClockVerdict::busy, .detail = why_busy};
  }
  // Time outside executions is in both batches and cancels out.
  const auto& one = shortest(of_one);
  const auto& many = shortest(of_many);
  const double more = std::max(static_cast<double>(many.reported_s.size()) -
                                   static_cast<double>(one.reported_s.size()),
                               1.0);  // a place may take fewer
  const double here_s = (many.elapsed_s - one.elapsed_s) / more;
  const auto accounts_for_it = [&](double there_s) {
    return there_s >= share_at_least * (here_s - around_s);
  };
  std::vector<double> reported;
  for (const auto* batches : {&of_one, &of_many}) {
    for (const auto& batch : *batches) {
      reported.insert(reported.end(), batch.reported_s.begin(),
                      batch.reported_s.end());
    }
  }
  const double there_s = median(reported);
  if (accounts_for_it(there_s)) {
    return {.verdict = ClockVerdict::agrees,
            .around_s = std::max(here_s - there_s, 0.0)};
  }
  // Both clocks agree if a host lends its CPUs to others now and then, which no
  // run queue here shows: most executions are much faster than the mean. That
  // is nobody's fault, but the time cannot be used.
  const double mean_s =
      (sum_of(many.reported_s) - sum_of(one.reported_s)) / more;
  if (accounts_for_it(mean_s)) {
    return {.verdict = ClockVerdict::busy,
            .detail = because(Cause::executions_differ, of_seconds(there_s),
                              of_seconds(mean_s))};
  }
  return {.verdict = ClockVerdict::differs,
          .detail = because(Cause::clocks_differ, of_seconds(there_s),
                            of_seconds(here_s))};
}

}  // namespace

void Watched::add(const Watched& more) {
  elapsed_s += more.elapsed_s;
  threads = std::max(threads, more.threads);
  if (!more.waited_s) waited_s.reset();
  if (waited_s) *waited_s += *more.waited_s;
}

bool disturbed(const Watched& watched) {
  return !watched.waited_s ||
         *watched.waited_s > share_of_others * watched.elapsed_s + to_wake_s;
}

Detail why_disturbed(const Watched& watched, int cpus) {
  if (!watched.waited_s) return {.cause = Cause::waits_unknown};
  const auto waited = of_seconds(*watched.waited_s),
             of = of_seconds(watched.elapsed_s);
  if (watched.threads > cpus) {
    return because(Cause::too_many_threads, watched.threads, cpus, waited, of);
  }
  return because(Cause::machine_busy, waited, of);
}

ClockCheck check_clock(const std::function<WatchedBatch(int executions)>& take,
                       double median_s, double around_s,
                       const std::function<double()>& again) {
  auto check = look_once(take, median_s, around_s);
  if (check.verdict != ClockVerdict::differs) return check;
  // The host may have lent its CPUs to others throughout, which no run queue
  // here shows. That passes; a false report does not.
  for (int looks = 0; looks < looks_to_acquit; ++looks) {
    if (again) around_s = again();
    check = look_once(take, median_s, around_s);
    if (check.verdict != ClockVerdict::agrees) break;
  }
  return check;
}

}  // namespace parlab::grade
