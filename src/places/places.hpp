// The places of one sweep: the host, each requested GPU, the team of all GPUs,
// or the emulation of these.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "core/variant.hpp"
#include "machine/machine.hpp"
#include "places/executor.hpp"

namespace parlab {

struct Place {
  Target target = Target::host;
  GpuFacts gpu = {};  // the GPU, or the first one of a team
  // owns the CUDA context and the warm threads
  std::unique_ptr<Executor> executor = nullptr;
  Detail why_not = {};     // why nothing can run there, or no longer can
  Ceilings ceilings = {};  // set once they were asked for

  bool usable() const { return executor != nullptr && !why_not; }
  bool can_time() const { return usable() && executor->can_time(); }
};

// The GPUs selected by a list of CUDA's numbers; all if it is empty. Emulation
// has as many as were asked for. Throws UsageError that names the available
// ones.
std::vector<int> devices_of(const std::vector<int>& asked, bool emulated);

class Places {
 public:
  // Opens the places that these variants need. If one cannot be opened, its
  // why_not gives the reason.
  Places(const std::vector<const Variant*>& variants,
         const std::vector<int>& devices);
  // A single place that is open already.
  explicit Places(Place place) { places_.push_back(std::move(place)); }

  // The place where the variant runs at this point of the sweep. Points go
  // round the places of a kind, one at a time. GPUs that work at the same time
  // would share the host's threads and its links, so their times would depend
  // on each other. All variants of a point use the same place. If a place was
  // lost, the others take its points; if none is left, the place is not
  // usable().
  Place& of(const Variant& variant, std::size_t point);

  std::deque<Place>& all() { return places_; }
  // Whether there are GPUs and none of them is real.
  bool emulating() const;

 private:
  std::deque<Place> places_;
};

}  // namespace parlab
