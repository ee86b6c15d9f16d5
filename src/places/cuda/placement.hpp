// A problem as it lies in the memories of one or several GPUs: the part of
// each array that each of them has, and what is done to all of these around
// an execution.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/variant.hpp"
#include "facts/cause.hpp"
#include "places/cuda/device_arrays.hpp"
#include "places/executor.hpp"
#include "places/partition.hpp"

namespace parlab {

// One GPU, and what looks after its memory.
struct Device {
  explicit Device(int number)
      : gpu(number), fingerprints(gpu), disturber(gpu) {}
  CudaGpu gpu;
  Fingerprints fingerprints;
  Disturber disturber;
};

// One array's part on one GPU.
struct PlacedPart {
  ArrayPart part;
  DeviceArray array;

  bool is_output() const { return part.spec.role == Role::output; }
  // To and from the whole array in the host's memory.
  void upload(const Arrays& whole) const;
  void download(const Arrays& whole) const;
};

// Pinned memory of the host that arrays may have: another problem of the same
// arrays follows often, and memory takes long to pin.
class PinnedMemory {
 public:
  DeviceMemory take(const ArraySpec& spec);
  void give(DeviceArray& array);
  void free() { spare_.clear(); }

 private:
  // by the bytes of the array it was for
  std::multimap<std::size_t, DeviceMemory> spare_;
};

class Placement {
 public:
  // One share for each device. Inputs are the caller's, and stay; they are
  // uploaded. pinned: where arrays get their memory if they are to be the
  // host's, or nullptr. Throws PointError(out_of_memory).
  Placement(std::vector<Device*> devices, const std::vector<Share>& shares,
            const Arrays& inputs, PinnedMemory* pinned);
  ~Placement();
  Placement(const Placement&) = delete;
  Placement& operator=(const Placement&) = delete;

  int count() const { return static_cast<int>(devices_.size()); }
  // Calls f(device, i) for each, while its device is the current one.
  template <typename F>
  void each(F f) const {
    for (int i = 0; i < count(); ++i) {
      devices_[i]->gpu.select();
      f(*devices_[i], i);
    }
  }
  std::vector<PlacedPart>& parts(int i) { return parts_[i]; }
  // The arrays of GPU i.
  const Arrays& bound(int i) const { return bound_[i]; }
  // The parts of all GPUs, with the sizes of their shares.
  std::vector<UnboundPart> unbound() const;
  double upload_s() const { return upload_s_; }

  // Queued on the streams of the GPUs.
  void poison_outputs() const;
  void poison_rooms() const;
  void queue_fingerprints() const;  // of the outputs
  std::vector<std::uint64_t> read_fingerprints() const;

  // Queued: the inputs that the variant reads get other signs, and are read.
  void write_anew(const Variant& variant, const Signs& before,
                  const Signs& now) const;
  // All other disturbances of a batch of `count` executions are on the devices
  // before its gate is closed: of the last ones of the plan.
  void prepare_disturbances(const BatchPlan& plan, int count) const;
  // Queued: takes back that of the execution before, does that of another, by
  // their numbers in the batch; -1: of none.
  void disturb(int before, int now) const;

  // The damage, with the GPU's number where there are several.
  Detail on(int i, Detail damage) const;
  // Writes beside the outputs and beside the inputs, and changed inputs.
  Detail damage_of_outputs() const;
  Detail damage_of_inputs() const;
  void renew_guards() const;

  // Puts the outputs together. Where each GPU has all of one, they must be the
  // same.
  void gather(const Arrays& outputs, Detail& damage) const;

 private:
  template <typename F>
  void each_part(F f) const {
    each([&](Device& device, int i) {
      for (const auto& part : parts_[i])
        f(device, part, i);
    });
  }

  std::vector<Device*> devices_;
  Arrays inputs_;
  PinnedMemory* pinned_;
  std::vector<std::vector<PlacedPart>> parts_;  // of each GPU
  std::vector<Arrays> bound_;
  std::vector<Size> sizes_;
  double upload_s_ = 0;
};

}  // namespace parlab
