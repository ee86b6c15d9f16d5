// A problem in the memories of one or several GPUs: each GPU's part of each
// array, and the operations on these parts before and after an execution.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/variant.hpp"
#include "facts/cause.hpp"
#include "places/cuda/device_arrays.hpp"
#include "places/executor.hpp"
#include "places/partition.hpp"

namespace parlab {

// One GPU, and the objects that watch its memory.
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
  // Copy to and from the whole array in host memory.
  void upload(const Arrays& whole) const;
  void download(const Arrays& whole) const;
};

// Pinned host memory that is kept for reuse. Problems with the same arrays
// often follow each other, and pinning memory takes long.
class PinnedMemory {
 public:
  DeviceMemory take(const ArraySpec& spec);
  void give(DeviceArray& array);
  void free() { spare_.clear(); }

 private:
  // by the size in bytes of the array it was made for
  std::multimap<std::size_t, DeviceMemory> spare_;
};

class Placement {
 public:
  // One share for each device. Inputs belong to the caller, must stay alive,
  // and are uploaded. pinned: source of memory for arrays in host memory, or
  // nullptr. Throws PointError(out_of_memory).
  Placement(std::vector<Device*> devices, const std::vector<Share>& shares,
            const Arrays& inputs, PinnedMemory* pinned);
  ~Placement();
  Placement(const Placement&) = delete;
  Placement& operator=(const Placement&) = delete;

  int count() const { return static_cast<int>(devices_.size()); }
  // Calls f(device, i) for each device while it is current.
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

  // These are queued on the streams of the GPUs.
  void poison_outputs() const;
  void poison_rooms() const;
  void queue_fingerprints() const;  // of the outputs
  std::vector<std::uint64_t> read_fingerprints() const;

  // Queued: gives the inputs that the variant reads other signs, and reads
  // them.
  void write_anew(const Variant& variant, const Signs& before,
                  const Signs& now) const;
  // Copies the other disturbances of the plan's last `count` executions to the
  // devices, before the gate of their batch is closed.
  void prepare_disturbances(const BatchPlan& plan, int count) const;
  // Queued: undoes the disturbance of the previous execution and applies that
  // of another. The numbers are those in the batch; -1: none.
  void disturb(int before, int now) const;

  // The damage, with the GPU's number if there are several.
  Detail on(int i, Detail damage) const;
  // Writes outside the outputs; writes outside the inputs, and changed inputs.
  Detail damage_of_outputs() const;
  Detail damage_of_inputs() const;
  void renew_guards() const;

  // Assembles the outputs. If each GPU has a whole copy of one, the copies must
  // be equal.
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
  std::vector<std::vector<PlacedPart>> parts_;  // by GPU
  std::vector<Arrays> bound_;
  std::vector<Size> sizes_;
  double upload_s_ = 0;
};

}  // namespace parlab
