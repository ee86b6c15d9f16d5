// Arrays in the memory of one device, or of the host where that device reaches
// it, each between guard words; and what is done to them around an execution:
// fingerprints of what they hold, and the disturbances that nobody foresees.
#pragma once

#include <string>
#include <vector>

#include "core/workload.hpp"
#include "places/cuda/cuda_gpu.hpp"
#include "places/cuda/cuda_resources.hpp"
#include "verify/signs.hpp"

namespace parlab {

// guard, room, data, room, guard. The room is for rows of other GPUs;
// most arrays have none.
struct DeviceArray {
  ArraySpec spec;
  std::size_t bytes = 0, above = 0, below = 0;
  DeviceMemory memory;
  std::uint64_t fingerprint = 0;
  double transfer_s = 0;

  unsigned char* data() const;
  Detail damage() const;  // none: the guards are whole
  void renew_guards() const;
};

// On the current device, with all its guards. Throws PointError(out_of_memory).
DeviceArray device_array(const ArraySpec& spec, std::size_t above = 0,
                         std::size_t below = 0);
// The same in memory that is there: bytes_with_guards(spec) of it.
DeviceArray array_in(DeviceMemory memory, const ArraySpec& spec);
std::size_t bytes_with_guards(const ArraySpec& spec);

void poison(const DeviceArray& array, cudaStream_t stream);  // its data
// what lies around its data
void poison_room(const DeviceArray& array, cudaStream_t stream);

// Fingerprints as verify/guard.hpp defines them, on the stream of a
// Gpu whose device is current.
class Fingerprints {
 public:
  explicit Fingerprints(CudaGpu& gpu);
  std::uint64_t of(const DeviceArray& array);
  // Of several arrays together, in stream order: cleared, one queued
  // after the other; read() waits.
  void queue_clear();
  void queue(const DeviceArray& array) { queue(array, 0); }
  std::uint64_t read();
  // Queued: the array is read, and nothing else.
  void queue_reading(const DeviceArray& array) { queue(array, 1); }

 private:
  void queue(const DeviceArray& array, int which);

  CudaGpu& gpu_;
  DeviceMemory sums_;  // that of the arrays, and one that nobody reads
};

// Where the elements of an array are that is a part of a larger one: element
// `col` + c of row `row` + r of that one is element (r, c) here.
struct PlaceInWhole {
  std::int64_t row, col, cols, pitch;
};
// Queued: as write_anew() does on the host, without reading.
void change_signs(const DeviceArray& array, const PlaceInWhole& place,
                  const Signs& before, const Signs& now, cudaStream_t stream);

// One element of a Disturbance, by address. One that is changed takes `value`
// and keeps its own in `before`; one that is not is spoiled.
struct DisturbedElement {
  unsigned char* at;
  unsigned bytes;
  bool is_changed = false;
  unsigned long long value = 0, before = 0;
};

// The disturbances of a batch of executions, kept on the device so
// that they can be queued.
class Disturber {
 public:
  explicit Disturber(CudaGpu& gpu);
  // Copies them to the device, one list for each execution, and
  // waits until they are there.
  void prepare(std::vector<std::vector<DisturbedElement>> executions);
  // Takes back the disturbance of one execution and does that
  // of another; -1: of none.
  void queue(int before, int now);

 private:
  CudaGpu& gpu_;
  DeviceMemory memory_;
  std::size_t bytes_ = 0;
  // where those of each execution begin, and the end
  std::vector<int> first_{0};
};

}  // namespace parlab
