// The places of one sweep: the host, each GPU that was asked for, the team
// of all GPUs, or the emulation of these.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "core/variant.hpp"
#include "machine/machine.hpp"
#include "places/executor.hpp"

namespace parlab {

struct Place {
  Target target = Target::host;
  GpuFacts gpu = {};  // of a GPU, or of the first of a team
  // one CUDA context, one set of warm threads
  std::unique_ptr<Executor> executor = nullptr;
  Detail why_not = {};     // nothing can run there, or no longer
  Ceilings ceilings = {};  // once they were asked for

  bool usable() const { return executor != nullptr && !why_not; }
  bool can_time() const { return usable() && executor->can_time(); }
};

// The GPUs meant by a list of numbers, CUDA's own; all of them when it
// is empty. In emulation there are as many as were asked for. Throws
// UsageError that names what there is.
std::vector<int> devices_of(const std::vector<int>& asked, bool emulated);

class Places {
 public:
  // Opens what these variants ask for. One that cannot be opened has
  // its reason in why_not.
  Places(const std::vector<const Variant*>& variants,
         const std::vector<int>& devices);
  // One that is open already.
  explicit Places(Place place) { places_.push_back(std::move(place)); }

  // Where the variant runs at this point of the sweep. The points go round the
  // places of a kind, one at a time: two GPUs at work together share the host's
  // threads and its links to them, and the time of one would depend on the
  // other. All variants of a point meet at the same place. One that was lost
  // leaves its points to the others; with none left the place is not usable().
  Place& of(const Variant& variant, std::size_t point);

  std::deque<Place>& all() { return places_; }
  // There are GPUs, and none of them is real.
  bool emulating() const;

 private:
  std::deque<Place> places_;
};

}  // namespace parlab
