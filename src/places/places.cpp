#include "places/places.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "facts/cause.hpp"
#include "places/presence.hpp"
#include "render/words.hpp"

namespace parlab {
namespace {

bool asked_for(const std::vector<const Variant*>& variants, Target target) {
  return std::ranges::find(variants, target, &Variant::target) !=
         variants.end();
}

}  // namespace

std::vector<int> devices_of(const std::vector<int>& asked, bool emulated) {
  if (emulated) return asked.empty() ? std::vector<int>{0} : asked;
  if (const auto why = why_no_gpu()) {
    // its place gives the reason
    if (asked == std::vector<int>{0} || asked.empty()) return {0};
    throw UsageError("--device " + std::to_string(asked.front()) + ": " +
                     words(*why) +
                     "; leave it out, or add --emulate to run without one");
  }
  const auto gpus = gpus_present();
  std::vector<int> devices = asked;
  if (devices.empty()) {
    for (const auto& gpu : gpus)
      devices.push_back(gpu.device);
  }
  const auto name = [](const GpuFacts& gpu) {
    return std::to_string(gpu.device) + " " + gpu.name;
  };
  for (const int device : devices) {
    if (std::ranges::find(gpus, device, &GpuFacts::device) == gpus.end()) {
      throw UsageError(
          "--device " + std::to_string(device) +
          ": there is no such GPU here; there are: " + join(gpus, ", ", name));
    }
  }
  return devices;
}

Places::Places(const std::vector<const Variant*>& variants,
               const std::vector<int>& devices) {
  if (asked_for(variants, Target::host)) {
    places_.push_back(
        {.target = Target::host, .executor = make_host_executor()});
  }
  // Does nothing for the CPU alone, because CUDA takes time to start.
  const auto host_alone = [](auto* variant) { return !variant->needs_gpu(); };
  if (std::all_of(variants.begin(), variants.end(), host_alone)) return;
  const auto gpus = gpus_present();
  const auto open = [&](Target target, const GpuFacts& gpu, int device) {
    places_.push_back({.target = target, .gpu = gpu});
    try {
      places_.back().executor = make_executor(target, device);
    } catch (const PointError& error) {
      places_.back().why_not = error.detail;
    }
  };
  for (const auto target : {Target::gpu, Target::streams}) {
    if (!asked_for(variants, target)) continue;
    for (const int device : devices) {
      const auto found = std::ranges::find(gpus, device, &GpuFacts::device);
      open(target, found == gpus.end() ? GpuFacts{} : *found, device);
    }
  }
  if (asked_for(variants, Target::team))
    open(Target::team, gpus.empty() ? GpuFacts{} : gpus.front(), 0);
}

Place& Places::of(const Variant& variant, std::size_t point) {
  std::vector<Place*> usable;
  Place* other = nullptr;
  for (auto& place : places_) {
    if (place.target != variant.target) continue;
    if (place.usable()) {
      usable.push_back(&place);
    } else {
      other = &place;
    }
  }
  if (!usable.empty()) return *usable[point % usable.size()];
  if (other == nullptr)
    throw std::logic_error("no place was opened for " + variant.full_name());
  return *other;
}

bool Places::emulating() const {
  return std::any_of(places_.begin(), places_.end(), [](const Place& place) {
    return place.target != Target::host && place.usable() &&
           !place.executor->can_time();
  });
}

}  // namespace parlab
