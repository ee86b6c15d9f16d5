// Arrays in the memory of one device, or in host memory that the device can
// access, each between guard words. Also the operations on them around an
// execution: fingerprints of their content, and unpredictable disturbances.
#pragma once

#include <vector>

#include "core/workload.hpp"
#include "places/cuda/cuda_gpu.hpp"
#include "places/cuda/cuda_resources.hpp"
#include "verify/signs.hpp"

namespace parlab {

// Layout: guard, room, data, room, guard. The room is for rows of other GPUs;
// most arrays have none.
struct DeviceArray {
  ArraySpec spec;
  std::size_t bytes = 0, above = 0, below = 0;
  DeviceMemory memory;
  std::uint64_t fingerprint = 0;
  double transfer_s = 0;

  unsigned char* data() const;
  Detail damage() const;  // empty if the guards are intact
  void renew_guards() const;
};

// On the current device, with its guards. Throws PointError(out_of_memory).
DeviceArray device_array(const ArraySpec& spec, std::size_t above = 0,
                         std::size_t below = 0);
// The same in existing memory of bytes_with_guards(spec) bytes.
DeviceArray array_in(DeviceMemory memory, const ArraySpec& spec);
std::size_t bytes_with_guards(const ArraySpec& spec);

void poison(const DeviceArray& array, cudaStream_t stream);  // its data
// the room around its data
void poison_room(const DeviceArray& array, cudaStream_t stream);

// Fingerprints as defined in verify/guard.hpp, on the stream of a Gpu whose
// device is current.
class Fingerprints {
 public:
  explicit Fingerprints(CudaGpu& gpu);
  std::uint64_t of(const DeviceArray& array);
  // A fingerprint of several arrays together, in stream order: clear it, queue
  // one array after the other, and read() waits for the result.
  void queue_clear();
  void queue(const DeviceArray& array) { queue(array, 0); }
  std::uint64_t read();
  // Queues a read of the array, which has no other effect.
  void queue_reading(const DeviceArray& array) { queue(array, 1); }

 private:
  void queue(const DeviceArray& array, int which);

  CudaGpu& gpu_;
  DeviceMemory sums_;  // the sum of the arrays, and one that nobody reads
};

// Position of a part in a larger array. Element (row + r, col + c) of the
// larger array is element (r, c) of the part.
struct PlaceInWhole {
  std::int64_t row, col, cols, pitch;
};
// Queued: does what write_anew() does on the host, but without reading.
void change_signs(const DeviceArray& array, const PlaceInWhole& place,
                  const Signs& before, const Signs& now, cudaStream_t stream);

// One element of a Disturbance, by address. A changed element takes `value` and
// keeps its own in `before`; the others are spoiled.
struct DisturbedElement {
  unsigned char* at;
  unsigned bytes;
  bool is_changed = false;
  unsigned long long value = 0, before = 0;
};

// The disturbances of a batch of executions, kept on the device so that they
// can be queued.
class Disturber {
 public:
  explicit Disturber(CudaGpu& gpu);
  // Copies them to the device, one list for each execution, and waits for the
  // end.
  void prepare(std::vector<std::vector<DisturbedElement>> executions);
  // Undoes the disturbance of one execution and applies that of another; -1:
  // none.
  void queue(int before, int now);

 private:
  CudaGpu& gpu_;
  DeviceMemory memory_;
  std::size_t bytes_ = 0;
  // the beginning of each execution's disturbances, and the end
  std::vector<int> first_{0};
};

}  // namespace parlab
