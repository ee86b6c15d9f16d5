// When the GPU is worth copying the data there and back.
#pragma once

#include <optional>
#include <vector>

#include "page/measured.hpp"
#include "statistics/statistics.hpp"

namespace parlab::page {

// The one name of each way of transfer, in all figures, tables and sentences.
inline constexpr const char* data_is_there = "data on the GPU";
constexpr const char* name_of(Way way) {
  return way == Way::pageable ? "pageable copies"
         : way == Way::pinned ? "pinned copies"
                              : "copies while computing";
}
inline constexpr Way ways[] = {Way::pageable, Way::pinned, Way::overlapped};

// The GPU compared with the best CPU variant of the same host at one size. The
// GPU's variant is the fastest including this kind of transfer.
struct Duel {
  const Entry* cpu = nullptr;
  const Entry* gpu = nullptr;
  // How many times as fast as the CPU. kernel: without transfers; meaningless
  // if copies overlap it.
  Ratio kernel, travelled;
};

// At every size, ascending, at which CPU and GPU were measured, including this
// kind of transfer. entries: of one workload and dtype, including variants from
// host memory.
std::vector<Duel> duels(const Entries& entries, Way way = Way::pageable);

// A win is an interval above 1; sizes with too few samples for an interval
// count neither way.
struct Crossover {
  // The smallest size from which the GPU always wins; nullptr if it does not
  // win at the largest.
  const Duel* first = nullptr;
  bool always = false;     // it wins at every size
  bool in_places = false;  // it wins at smaller sizes too, with losses between
  const Duel* last = nullptr;  // the largest size at which it wins
  std::size_t undecided = 0;
};
// ratio: Duel::kernel or Duel::travelled.
Crossover crossover(const std::vector<Duel>& duels, Ratio Duel::*ratio);

// How often the kernel has to run on the same data before the transfers are
// paid for; nullopt if they never are.
std::optional<double> executions_to_pay(const Duel& duel);

// A workload's duels, and those at its reference; if there are none, those at
// the largest size at which GPU and CPU were measured.
struct Journey {
  std::string workload;
  Entries entries;
  std::vector<Duel> all[3];      // by way of transfer
  std::optional<Duel> there[3];  // the same at that size
  Ratio kernel;                  // of the fastest, with data on the GPU

  const Duel& pageable() const { return *there[0]; }
  const std::optional<Duel>& by(Way way) const {
    return there[static_cast<std::size_t>(way)];
  }
};
// The largest gain first.
std::vector<Journey> journeys(const Measured& measured);

}  // namespace parlab::page
