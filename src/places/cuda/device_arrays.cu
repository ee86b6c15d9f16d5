#include "places/cuda/device_arrays.hpp"

#include "verify/disturbance.hpp"
#include "verify/guard.hpp"

namespace parlab {
namespace {

// Does what fingerprint() does on the host. data must be aligned to 4 bytes.
__global__ void fingerprint_words(const unsigned char* data, std::size_t bytes,
                                  unsigned long long* sum) {
  const auto* words = reinterpret_cast<const std::uint32_t*>(data);
  const std::size_t first = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  unsigned long long own = 0;
  for (std::size_t i = first; i < bytes / 4;
       i += std::size_t{gridDim.x} * blockDim.x) {
    own += fingerprint_term(words[i], i);
  }
  if (first == 0 && bytes % 4 != 0) {
    own += fingerprint_term(fingerprint_tail(data, bytes), bytes / 4);
  }
  for (int step = 16; step > 0; step /= 2)
    own += __shfl_xor_sync(0xffffffffu, own, step);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, own);
}

// Fills host memory. cudaMemset may wait for the device there, which would
// never end behind a closed gate.
__global__ void fill_words(unsigned char* data, std::size_t bytes,
                           unsigned char value) {
  auto* words = reinterpret_cast<std::uint32_t*>(data);
  const std::size_t first = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  for (std::size_t i = first; i < bytes / 4;
       i += std::size_t{gridDim.x} * blockDim.x) {
    words[i] = 0x01010101u * value;
  }
  if (first < bytes % 4) data[bytes / 4 * 4 + first] = value;
}

void fill(unsigned char* data, std::size_t bytes, unsigned char value,
          cudaStream_t stream) {
  fill_words<<<256, 512, 0, stream>>>(data, bytes, value);
  cuda_check(cudaGetLastError(), "filling an array");
}

template <typename Word>
__global__ void change_words(Word* data, std::int64_t count, PlaceInWhole place,
                             LayoutMap map, Signs before, Signs now,
                             bool is_integer) {
  const bool gapless = place.cols == place.pitch;
  const std::int64_t start = place.row * place.pitch + place.col;
  for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x;
       i < count; i += std::int64_t{gridDim.x} * blockDim.x) {
    const std::int64_t there =
        gapless ? start + i
                : start + i / place.cols * place.pitch + i % place.cols;
    const std::int64_t element = element_at(map, there);
    if (element < 0) continue;
    data[i] =
        with_sign(data[i], before.bit(element) ^ now.bit(element), is_integer);
  }
}

__device__ void copy_bytes(void* to, const void* from, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) {
    static_cast<unsigned char*>(to)[i] =
        static_cast<const unsigned char*>(from)[i];
  }
}

__device__ void spoil(const DisturbedElement& element) {
  bool poisoned = true;
  for (unsigned i = 0; i < element.bytes; ++i)
    poisoned &= element.at[i] == poison_byte;
  const unsigned place = element.bytes > 1 ? element.bytes - 2 : 0;
  if (!poisoned) element.at[place] ^= spoiling_bits;
}

// Undoes the earlier changes, then makes the new ones. Runs as one block.
__global__ void disturb(DisturbedElement* undo, int undo_count,
                        DisturbedElement* now, int now_count) {
  for (int i = threadIdx.x; i < undo_count; i += blockDim.x) {
    if (undo[i].is_changed)
      copy_bytes(undo[i].at, &undo[i].before, undo[i].bytes);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < now_count; i += blockDim.x) {
    DisturbedElement& element = now[i];
    if (element.is_changed) {
      copy_bytes(&element.before, element.at, element.bytes);
      copy_bytes(element.at, &element.value, element.bytes);
    } else {
      spoil(element);
    }
  }
}

}  // namespace

unsigned char* DeviceArray::data() const {
  return memory.get() + guard_bytes + above;
}

Detail DeviceArray::damage() const {
  std::vector<unsigned char> guards(2 * guard_bytes);
  const auto* end = data() + bytes + below;
  cuda_check(
      cudaMemcpy(guards.data(), memory.get(), guard_bytes, cudaMemcpyDefault),
      "reading guard words");
  cuda_check(cudaMemcpy(guards.data() + guard_bytes, end, guard_bytes,
                        cudaMemcpyDefault),
             "reading guard words");
  return guard_damage(spec.name, guards.data(), guards.data() + guard_bytes);
}

void DeviceArray::renew_guards() const {
  cuda_check(cudaMemset(memory.get(), guard_byte, guard_bytes),
             "renewing guard words");
  cuda_check(cudaMemset(data() + bytes + below, guard_byte, guard_bytes),
             "renewing guard words");
}

DeviceArray device_array(const ArraySpec& spec, std::size_t above,
                         std::size_t below) {
  const auto bytes = bytes_with_guards(spec) + above + below;
  DeviceArray made{.spec = spec,
                   .bytes = spec.bytes(),
                   .above = above,
                   .below = below,
                   .memory = device_memory(bytes, spec.name)};
  cuda_check(cudaMemset(made.memory.get(), guard_byte, bytes),
             "preparing " + spec.name);
  return made;
}

DeviceArray array_in(DeviceMemory memory, const ArraySpec& spec) {
  DeviceArray made{
      .spec = spec, .bytes = spec.bytes(), .memory = std::move(memory)};
  fill(made.memory.get(), bytes_with_guards(spec), guard_byte, nullptr);
  cuda_check(cudaDeviceSynchronize(), "preparing " + spec.name);
  return made;
}

std::size_t bytes_with_guards(const ArraySpec& spec) {
  return spec.bytes() + 2 * guard_bytes;
}

void poison(const DeviceArray& array, cudaStream_t stream) {
  if (array.memory.get_deleter().on_host) {
    fill(array.data(), array.bytes, poison_byte, stream);
    return;
  }
  cuda_check(cudaMemsetAsync(array.data(), poison_byte, array.bytes, stream),
             "poisoning " + array.spec.name);
}

void poison_room(const DeviceArray& array, cudaStream_t stream) {
  const auto clear = [&](unsigned char* at, std::size_t bytes) {
    if (bytes == 0) return;
    cuda_check(cudaMemsetAsync(at, poison_byte, bytes, stream),
               "poisoning " + array.spec.name);
  };
  clear(array.data() - array.above, array.above);
  clear(array.data() + array.bytes, array.below);
}

void change_signs(const DeviceArray& array, const PlaceInWhole& place,
                  const Signs& before, const Signs& now, cudaStream_t stream) {
  const auto& spec = array.spec;
  dispatch_word(spec.dtype, [&]<typename Word>(Word) {
    change_words<<<1024, 256, 0, stream>>>(
        reinterpret_cast<Word*>(array.data()), spec.count, place, spec.map,
        before.of(spec), now.of(spec), is_integer(spec.dtype));
    cuda_check(cudaGetLastError(), "writing " + spec.name + " anew");
  });
}

Fingerprints::Fingerprints(CudaGpu& gpu)
    : gpu_(gpu),
      sums_(device_memory(2 * sizeof(unsigned long long), "a fingerprint")) {}

void Fingerprints::queue_clear() {
  cuda_check(cudaMemsetAsync(sums_.get(), 0, sizeof(unsigned long long),
                             gpu_.cuda_stream()),
             "fingerprint");
}

void Fingerprints::queue(const DeviceArray& array, int which) {
  fingerprint_words<<<4 * gpu_.multiprocessors(), 512, 0, gpu_.cuda_stream()>>>(
      array.data(), array.bytes,
      reinterpret_cast<unsigned long long*>(sums_.get()) + which);
  cuda_check(cudaGetLastError(), "fingerprint");
}

std::uint64_t Fingerprints::of(const DeviceArray& array) {
  queue_clear();
  queue(array);
  return read();
}

std::uint64_t Fingerprints::read() {
  unsigned long long result = 0;
  cuda_check(cudaMemcpyAsync(&result, sums_.get(), sizeof result,
                             cudaMemcpyDeviceToHost, gpu_.cuda_stream()),
             "fingerprint");
  cuda_check(cudaStreamSynchronize(gpu_.cuda_stream()), "fingerprint");
  return result;
}

// Loads the kernel's code, because its first use does so, and that must not
// happen behind a closed gate.
Disturber::Disturber(CudaGpu& gpu) : gpu_(gpu) {
  queue(-1, -1);
  cuda_check(cudaStreamSynchronize(gpu.cuda_stream()),
             "preparing disturbances");
}

void Disturber::prepare(std::vector<std::vector<DisturbedElement>> executions) {
  std::vector<DisturbedElement> elements;
  first_.assign(1, 0);
  for (const auto& execution : executions) {
    elements.insert(elements.end(), execution.begin(), execution.end());
    first_.push_back(static_cast<int>(elements.size()));
  }
  const std::size_t bytes = elements.size() * sizeof(DisturbedElement);
  if (bytes > bytes_) {
    memory_ = device_memory(bytes, "disturbances");
    bytes_ = bytes;
  }
  if (bytes == 0) return;
  cuda_check(cudaMemcpyAsync(memory_.get(), elements.data(), bytes,
                             cudaMemcpyHostToDevice, gpu_.cuda_stream()),
             "preparing disturbances");
  cuda_check(cudaStreamSynchronize(gpu_.cuda_stream()),
             "preparing disturbances");
}

void Disturber::queue(int before, int now) {
  auto* all = reinterpret_cast<DisturbedElement*>(memory_.get());
  const auto count = [&](int i) {
    return i < 0 ? 0 : first_[i + 1] - first_[i];
  };
  const auto first = [&](int i) { return i < 0 ? all : all + first_[i]; };
  disturb<<<1, 128, 0, gpu_.cuda_stream()>>>(first(before), count(before),
                                             first(now), count(now));
  cuda_check(cudaGetLastError(), "disturbing arrays");
}

}  // namespace parlab
