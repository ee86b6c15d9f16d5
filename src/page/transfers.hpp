// When the GPU is worth the way there and back.
#pragma once

#include <optional>
#include <vector>

#include "page/measured.hpp"
#include "statistics/statistics.hpp"

namespace parlab::page {

// The one name of each way in all figures, tables and sentences.
inline constexpr const char* data_is_there = "data on the GPU";
constexpr const char* name_of(Way way) {
  return way == Way::pageable ? "pageable copies"
         : way == Way::pinned ? "pinned copies"
                              : "copies while computing";
}
inline constexpr Way ways[] = {Way::pageable, Way::pinned, Way::overlapped};

// The GPU against the best CPU of the same host at one size; of the GPU the
// variant that is fastest with its transfers on that way.
struct Duel {
  const Entry* cpu = nullptr;
  const Entry* gpu = nullptr;
  // How many times as fast as the CPU; kernel: says nothing where
  // copies go on beside it.
  Ratio kernel, travelled;
};

// At every size, ascending, that the CPU and the GPU, transfers on that
// way included, were measured at. entries: of one workload and dtype,
// those from host memory among them.
std::vector<Duel> duels(const Entries& entries, Way way = Way::pageable);

// Wins count where the interval lies above 1; sizes with too few samples
// for one count neither way.
struct Crossover {
  // From here on the GPU wins; nullptr when it does not at the largest.
  const Duel* first = nullptr;
  bool always = false;     // and first is the smallest size
  bool in_places = false;  // it wins at smaller sizes too, with losses between
  const Duel* last = nullptr;  // at the largest size that it wins at
  std::size_t undecided = 0;
};
// ratio: Duel::kernel or Duel::travelled.
Crossover crossover(const std::vector<Duel>& duels, Ratio Duel::*ratio);

// How often the kernel has to run on the same data until the transfers
// are paid for; nothing when they never are.
std::optional<double> executions_to_pay(const Duel& duel);

// Of a workload all duels, and those at its reference, or at the largest size
// that both halves were measured at where there are none.
struct Journey {
  std::string workload;
  Entries entries;
  std::vector<Duel> all[3];      // by way
  std::optional<Duel> there[3];  // the same at that size
  Ratio kernel;                  // of the fastest, data on the GPU

  const Duel& pageable() const { return *there[0]; }
  const std::optional<Duel>& by(Way way) const {
    return there[static_cast<std::size_t>(way)];
  }
};
// The one first that gains the most.
std::vector<Journey> journeys(const Measured& measured);

}  // namespace parlab::page
