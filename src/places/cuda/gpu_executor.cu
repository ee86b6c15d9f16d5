// Executes GPU variants on a real device.
#include <cuda_profiler_api.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <thread>

#include "places/cuda/cuda_gpu.hpp"
#include "places/cuda/device_ceilings.hpp"
#include "places/cuda/device_timer.hpp"
#include "places/executor.hpp"
#include "verify/disturbance.hpp"
#include "verify/guard.hpp"

namespace parlab {
namespace {

// The queue of a stream holds about a thousand entries; a batch behind the gate must fit.
constexpr int queue_entries = 500;

// As fingerprint() does on the host. data is aligned to 4 bytes.
__global__ void fingerprint_words(const unsigned char* data, std::size_t bytes,
                                  unsigned long long* sum) {
  const auto* words = reinterpret_cast<const std::uint32_t*>(data);
  const std::size_t first = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  unsigned long long own = 0;
  for (std::size_t i = first; i < bytes / 4; i += std::size_t{gridDim.x} * blockDim.x) {
    own += fingerprint_term(words[i], i);
  }
  if (first == 0 && bytes % 4 != 0) {
    own += fingerprint_term(fingerprint_tail(data, bytes), bytes / 4);
  }
  for (int step = 16; step > 0; step /= 2) own += __shfl_xor_sync(0xffffffffu, own, step);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, own);
}

// One element of a Disturbance, by address. An element that is changed takes the value of another
// and keeps its own in `before`; one that is spoiled has no other.
struct DisturbedElement {
  unsigned char* at;
  const unsigned char* from;
  unsigned bytes;
  unsigned long long before;
};

__device__ void copy_bytes(void* to, const void* from, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) {
    static_cast<unsigned char*>(to)[i] = static_cast<const unsigned char*>(from)[i];
  }
}

__device__ void spoil(const DisturbedElement& element) {
  bool poisoned = true;
  for (unsigned i = 0; i < element.bytes; ++i) poisoned &= element.at[i] == poison_byte;
  if (!poisoned) element.at[element.bytes - 2] ^= spoiling_bits;
}

// Takes back what was changed before, then does what comes now. One block.
__global__ void disturb(DisturbedElement* undo, int undo_count, DisturbedElement* now,
                        int now_count) {
  for (int i = threadIdx.x; i < undo_count; i += blockDim.x) {
    if (undo[i].from != nullptr) copy_bytes(undo[i].at, &undo[i].before, undo[i].bytes);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < now_count; i += blockDim.x) {
    DisturbedElement& element = now[i];
    if (element.from == nullptr) {
      spoil(element);
    } else {
      copy_bytes(&element.before, element.at, element.bytes);
      copy_bytes(element.at, element.from, element.bytes);
    }
  }
}

// Tells a profiler which execution the kernels behind it belong to: see profile_mark.
__global__ void execution_begins() {}

struct DeviceArray {
  ArraySpec spec;
  std::size_t bytes = 0;
  DeviceMemory memory;  // guard, data, guard
  std::uint64_t fingerprint = 0;
  double transfer_s = 0;

  unsigned char* data() const { return memory.get() + guard_bytes; }
};

double median_seconds(int repetitions, const std::function<void()>& action) {
  std::vector<double> seconds;
  for (int i = 0; i < repetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
    action();
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return median(std::move(seconds));
}

class CudaExecutor final : public Executor {
 public:
  explicit CudaExecutor(int device) : device_(device) { make_device_side(); }
  ~CudaExecutor() override {
    cudaSetDevice(device_);
    release();
    // What lives on the device goes while it is the current one.
    sum_.reset();
    disturbed_.reset();
    disturbed_bytes_ = 0;
    timer_.reset();
    gpu_.reset();
  }

  void load(const Arrays& inputs, const std::vector<ArraySpec>& outputs) override {
    select_device();
    release();
    host_outputs_ = std::make_unique<HostArrays>(outputs);
    std::vector<Array> bound;
    for (const auto& array : inputs) {
      auto& made = add(array.spec, inputs_);
      made.transfer_s = upload(made, array.data);
      made.fingerprint = fingerprint_of(made);
      bound.push_back({made.spec, made.data()});
    }
    for (const auto& spec : outputs) {
      auto& made = add(spec, outputs_);
      bound.push_back({made.spec, made.data()});
    }
    bound_ = Arrays(std::move(bound));
    cuda_check(cudaDeviceSynchronize(), "loading a problem");
  }

  void release() override {
    inputs_.clear();
    outputs_.clear();
    bound_ = {};
    host_outputs_.reset();
    if (gpu_) gpu_->release_scratch();
  }

  Checked run_checked(const Call& call) override {
    select_device();
    // Once in the open: kernels are loaded and scratch is made. Then held back behind the poison,
    // so that neither this first result nor work on another stream can pass for the second.
    gpu_->select_scratch(call.key());
    const auto start = std::chrono::steady_clock::now();
    run(call);
    cuda_check(cudaStreamSynchronize(gpu_->cuda_stream()), "executing the variant");
    Checked checked;
    checked.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    // Long enough for work on another stream to end before the poison goes out over it.
    const double hold_s = std::min(200e-6 + checked.seconds, 50e-3);
    timer().run_held([this] { poison(); }, [&] { run(call); }, hold_s);
    checked.launch = gpu_->main_launch();
    launches_[call.key()] = checked.launch.launches;
    for (const auto& array : outputs_) {
      download(array, host_outputs_->view().get<unsigned char>(array.spec.name));
      if (auto damage = damage_of(array); !damage.empty()) checked.damage = damage;
    }
    for (const auto& array : inputs_) {
      auto damage = damage_of(array);
      if (damage.empty() && fingerprint_of(array) != array.fingerprint) {
        damage = "changed its input " + array.spec.name;
      }
      if (damage.empty()) continue;
      checked.damage = damage;
      checked.inputs_lost = true;
    }
    if (auto damage = gpu_->scratch_damage(); !damage.empty()) checked.damage = damage;
    if (!checked.damage.empty()) renew_guards();
    gpu_->put_back();
    checked.outputs = host_outputs_->view();
    return checked;
  }

  Batch sample(const Call& call, const BatchPlan& plan) override {
    select_device();
    gpu_->select_scratch(call.key());
    const int launches = std::max(4, launches_[call.key()]);
    const int count =
        std::clamp(queue_entries / (launches + 5) - 4, 1, static_cast<int>(plan.executions.size()));
    timer();
    prepare_disturbances(plan, count);
    int disturbed = -1;  // the execution whose disturbance stands now
    DeviceTimer::Work work{[&] { run(call); }};
    work.before = [&](int i) {
      queue_disturbance(disturbed, i);
      disturbed = i;
    };
    work.after = [&] {
      if (plan.check_last) queue_fingerprint_of_outputs();
      queue_disturbance(disturbed, -1);
      disturbed = -1;
    };
    Batch batch;
    try {
      batch = timer().time(work, count, plan.cache);
    } catch (...) {
      // Whoever comes next finds the inputs and the device as they were, if there still is one.
      if (disturbed >= 0 && cudaStreamSynchronize(gpu_->cuda_stream()) == cudaSuccess) {
        queue_disturbance(disturbed, -1);
        cudaDeviceSynchronize();
      }
      gpu_->put_back();
      throw;
    }
    for (const auto& array : outputs_) {
      if (auto damage = damage_of(array); !damage.empty()) batch.damage = damage;
    }
    if (!batch.damage.empty()) renew_guards();
    if (plan.check_last) {
      // What was there when the time ended is in sum_; what is there now is asked for again.
      const auto left = fingerprint_so_far();
      queue_fingerprint_of_outputs();
      if (left != fingerprint_so_far()) {
        batch.damage = "still wrote its output after its time ended";
      }
      for (const auto& array : outputs_) {
        download(array, host_outputs_->view().get<unsigned char>(array.spec.name));
      }
      batch.outputs = host_outputs_->view();
    }
    gpu_->put_back();
    return batch;
  }

  void run_profiled(const Call& call, int number) override {
    select_device();
    gpu_->select_scratch(call.key());
    run(call);
    cuda_check(cudaStreamSynchronize(gpu_->cuda_stream()), "executing the variant");
    cuda_check(cudaProfilerStart(), "starting the profiler");
    execution_begins<<<number + 1, 1, 0, gpu_->cuda_stream()>>>();
    run(call);
    cuda_check(cudaDeviceSynchronize(), "executing the variant under the profiler");
    cuda_check(cudaProfilerStop(), "stopping the profiler");
  }

  std::optional<TransferTimes> transfers(const Variant& variant) override {
    select_device();
    TransferTimes times;
    for (const auto& array : inputs_) {
      if (variant.reads(array.spec)) times.to_device_s += array.transfer_s;
    }
    for (auto& array : outputs_) {
      if (!variant.writes(array.spec)) continue;
      if (array.transfer_s == 0) {
        auto* host = host_outputs_->view().get<unsigned char>(array.spec.name);
        array.transfer_s = median_seconds(5, [&] { download(array, host); });
      }
      times.to_host_s += array.transfer_s;
    }
    return times;
  }

  bool can_time() const override { return true; }
  Ceilings ceilings(const WantedCeilings& wanted) override {
    select_device();
    return measure_device_ceilings(*gpu_, timer(), wanted);
  }

  bool recover() override {
    cudaSetDevice(device_);
    cudaGetLastError();
    if (cudaDeviceSynchronize() == cudaSuccess) return false;
    // An invalid address ends the context: everything in it is gone.
    release();
    sum_.reset();
    disturbed_.reset();
    disturbed_bytes_ = 0;
    timer_.reset();
    gpu_.reset();
    cudaDeviceReset();
    // The driver needs a moment before it gives out the device again.
    for (int attempt = 0;; ++attempt) {
      try {
        make_device_side();
        return true;
      } catch (const PointError&) {
        if (attempt == 20) throw;
        cudaGetLastError();
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
    }
  }

 private:
  // Calls of CUDA go to the current device of the thread, and there may be several executors.
  void select_device() const {
    cuda_check(cudaSetDevice(device_), "choosing device " + std::to_string(device_));
  }

  void make_device_side() {
    // First the facts: without a GPU there is no device to choose, but a reason to be told.
    gpu_ = std::make_unique<CudaGpu>(device_);
    sum_ = device_memory(sizeof(unsigned long long), "a fingerprint");
  }

  // Made when first asked for: under a profiler nothing is timed, and no kernel may wait there.
  DeviceTimer& timer() {
    if (!timer_) {
      timer_ = std::make_unique<DeviceTimer>(gpu_->cuda_stream());
      // A kernel's first use loads its code, which must not happen behind a closed gate.
      queue_disturbance(-1, -1);
      cuda_check(cudaStreamSynchronize(gpu_->cuda_stream()), "preparing the timer");
    }
    return *timer_;
  }

  DeviceArray& add(const ArraySpec& spec, std::vector<DeviceArray>& to) {
    DeviceArray made;
    made.spec = spec;
    made.bytes = spec.bytes();
    made.memory = device_memory(made.bytes + 2 * guard_bytes, spec.name);
    cuda_check(cudaMemset(made.memory.get(), guard_byte, made.bytes + 2 * guard_bytes),
               "preparing " + spec.name);
    to.push_back(std::move(made));
    return to.back();
  }

  static double upload(const DeviceArray& array, const void* host) {
    const int repetitions = array.bytes > (std::size_t{256} << 20) ? 1 : 5;
    return median_seconds(repetitions, [&] {
      cuda_check(cudaMemcpy(array.data(), host, array.bytes, cudaMemcpyHostToDevice),
                 "copying " + array.spec.name + " to the device");
      cuda_check(cudaDeviceSynchronize(), "copying " + array.spec.name + " to the device");
    });
  }

  static void download(const DeviceArray& array, void* host) {
    cuda_check(cudaMemcpy(host, array.data(), array.bytes, cudaMemcpyDeviceToHost),
               "copying " + array.spec.name + " from the device");
  }

  void poison() {
    for (const auto& array : outputs_) {
      cuda_check(cudaMemsetAsync(array.data(), poison_byte, array.bytes, gpu_->cuda_stream()),
                 "poisoning " + array.spec.name);
    }
  }

  static std::string damage_of(const DeviceArray& array) {
    std::vector<unsigned char> guards(2 * guard_bytes);
    cuda_check(cudaMemcpy(guards.data(), array.memory.get(), guard_bytes, cudaMemcpyDeviceToHost),
               "reading guard words");
    cuda_check(cudaMemcpy(guards.data() + guard_bytes, array.data() + array.bytes, guard_bytes,
                          cudaMemcpyDeviceToHost),
               "reading guard words");
    return guard_damage(array.spec.name, guards.data(), guards.data() + guard_bytes);
  }

  void renew_guards() {
    for (const auto* arrays : {&inputs_, &outputs_}) {
      for (const auto& array : *arrays) {
        cudaMemset(array.memory.get(), guard_byte, guard_bytes);
        cudaMemset(array.data() + array.bytes, guard_byte, guard_bytes);
      }
    }
    cuda_check(cudaDeviceSynchronize(), "renewing guard words");
  }

  std::uint64_t fingerprint_of(const DeviceArray& array) {
    auto* sum = reinterpret_cast<unsigned long long*>(sum_.get());
    unsigned long long result = 0;
    cuda_check(cudaMemsetAsync(sum, 0, sizeof result, gpu_->cuda_stream()), "fingerprint");
    fingerprint_words<<<4 * gpu_->multiprocessors(), 512, 0, gpu_->cuda_stream()>>>(
        array.data(), array.bytes, sum);
    cuda_check(cudaGetLastError(), "fingerprint");
    cuda_check(
        cudaMemcpyAsync(&result, sum, sizeof result, cudaMemcpyDeviceToHost, gpu_->cuda_stream()),
        "fingerprint");
    cuda_check(cudaStreamSynchronize(gpu_->cuda_stream()), "fingerprint");
    return result;
  }

  void queue_fingerprint_of_outputs() {
    auto* sum = reinterpret_cast<unsigned long long*>(sum_.get());
    cuda_check(cudaMemsetAsync(sum, 0, sizeof *sum, gpu_->cuda_stream()), "fingerprint");
    for (const auto& array : outputs_) {
      fingerprint_words<<<4 * gpu_->multiprocessors(), 512, 0, gpu_->cuda_stream()>>>(
          array.data(), array.bytes, sum);
      cuda_check(cudaGetLastError(), "fingerprint");
    }
  }
  unsigned long long fingerprint_so_far() {
    unsigned long long result = 0;
    cuda_check(cudaMemcpyAsync(&result, sum_.get(), sizeof result, cudaMemcpyDeviceToHost,
                               gpu_->cuda_stream()),
               "fingerprint");
    cuda_check(cudaStreamSynchronize(gpu_->cuda_stream()), "fingerprint");
    return result;
  }

  // All disturbances of a batch are on the device before its gate is closed: of the first count - 1
  // executions, and of the last one of the plan, which may be checked.
  void prepare_disturbances(const BatchPlan& plan, int count) {
    std::vector<DisturbedElement> elements;
    disturbances_.assign(1, 0);
    for (int i = 0; i < count; ++i) {
      const auto& disturbance = i + 1 < count ? plan.executions[i] : plan.executions.back();
      for (const auto& changed : disturbance.inputs) {
        if (const auto* array = named(inputs_, changed.array)) {
          elements.push_back(element_of(*array, changed.to));
          elements.back().from = element_of(*array, changed.from).at;
        }
      }
      for (const auto& spoiled : disturbance.outputs) {
        if (const auto* array = named(outputs_, spoiled.array)) {
          elements.push_back(element_of(*array, spoiled.element));
        }
      }
      disturbances_.push_back(static_cast<int>(elements.size()));
    }
    const std::size_t bytes = elements.size() * sizeof(DisturbedElement);
    if (bytes > disturbed_bytes_) {
      disturbed_ = device_memory(bytes, "disturbances");
      disturbed_bytes_ = bytes;
    }
    if (bytes == 0) return;
    cuda_check(cudaMemcpyAsync(disturbed_.get(), elements.data(), bytes, cudaMemcpyHostToDevice,
                               gpu_->cuda_stream()),
               "preparing disturbances");
    cuda_check(cudaStreamSynchronize(gpu_->cuda_stream()), "preparing disturbances");
  }

  static const DeviceArray* named(const std::vector<DeviceArray>& arrays, const std::string& name) {
    for (const auto& array : arrays) {
      if (array.spec.name == name) return &array;
    }
    return nullptr;
  }
  static DisturbedElement element_of(const DeviceArray& array, std::int64_t index) {
    const auto bytes = bytes_of(array.spec.dtype);
    return {array.data() + static_cast<std::size_t>(index) * bytes, nullptr,
            static_cast<unsigned>(bytes), 0};
  }

  // Takes back the disturbance of one execution and does that of another; -1: of none.
  void queue_disturbance(int before, int now) {
    auto* all = reinterpret_cast<DisturbedElement*>(disturbed_.get());
    const auto count = [&](int i) { return i < 0 ? 0 : disturbances_[i + 1] - disturbances_[i]; };
    const auto first = [&](int i) { return i < 0 ? all : all + disturbances_[i]; };
    disturb<<<1, 128, 0, gpu_->cuda_stream()>>>(first(before), count(before), first(now),
                                                count(now));
    cuda_check(cudaGetLastError(), "disturbing arrays");
  }

  void run(const Call& call) {
    gpu_->begin_run();
    call.variant->run_gpu(*gpu_, declared_by(*call.variant, bound_), call.size, call.dtype,
                          call.tunables);
  }

  int device_;
  std::unique_ptr<CudaGpu> gpu_;
  std::unique_ptr<DeviceTimer> timer_;
  DeviceMemory sum_;
  std::vector<DeviceArray> inputs_, outputs_;
  DeviceMemory disturbed_;  // DisturbedElements of a batch, on the device
  std::size_t disturbed_bytes_ = 0;
  std::vector<int> disturbances_;  // where those of each execution begin, and the end
  Arrays bound_;
  std::unique_ptr<HostArrays> host_outputs_;
  std::map<std::string, int> launches_;  // of one execution, by call
};

}  // namespace

std::unique_ptr<Executor> make_gpu_executor(int device) {
  return std::make_unique<CudaExecutor>(device);
}

}  // namespace parlab
