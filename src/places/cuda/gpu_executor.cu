// Executes GPU variants on a real device, with the arrays in its
// memory or in the host's.
#include <cuda_profiler_api.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "facts/cause.hpp"
#include "places/cuda/cuda_streams.hpp"
#include "places/cuda/device_arrays.hpp"
#include "places/cuda/device_ceilings.hpp"
#include "places/cuda/device_timer.hpp"
#include "places/cuda/link_ceilings.hpp"
#include "places/cuda/profile_mark.hpp"
#include "places/executor.hpp"
#include "places/presence.hpp"
#include "verify/disturbance.hpp"

namespace parlab {
namespace {

// The queue of a stream holds about a thousand entries; a batch
// behind the gate must fit.
constexpr int queue_entries = 500;

// What is copied at a time where pinned transfers are timed: much against
// its start, little to pin.
constexpr std::size_t staged_bytes = std::size_t{16} << 20;

// Pinned memory of the host, and as much of the device: copies between them
// take as long as those of arrays that lie in pinned memory.
struct Staging {
  DeviceMemory host = pinned_memory(staged_bytes, "timing transfers");
  DeviceMemory device = device_memory(staged_bytes, "timing transfers");
  CudaEvent begin, end;
};

// As PutBack, and of the streams where there are some.
class PutAllBack {
 public:
  PutAllBack(CudaGpu& gpu, CudaStreams* streams)
      : of_gpu_(gpu), streams_(streams) {}
  ~PutAllBack() {
    if (streams_ != nullptr) streams_->put_back();
  }

 private:
  PutBack of_gpu_;
  CudaStreams* streams_;
};

class CudaExecutor final : public Executor {
 public:
  CudaExecutor(int device, Target target)
      : device_(device), arrays_on_host_(target == Target::streams) {
    make_device_side();
  }
  ~CudaExecutor() override {
    cudaSetDevice(device_);
    release();
    // What lives on the device goes while it is the current one.
    fingerprints_.reset();
    disturber_.reset();
    timer_.reset();
    staging_.reset();
    streams_.reset();
    gpu_.reset();
  }

  void load(const Arrays& inputs,
            const std::vector<ArraySpec>& outputs) override {
    select_device();
    release();
    host_inputs_ = inputs;
    host_outputs_ = std::make_unique<HostArrays>(outputs);
    std::vector<Array> bound;
    for (const auto& array : inputs) {
      auto& made = add(array.spec, inputs_);
      upload(made, array.data);
      made.fingerprint = fingerprints_->of(made);
      bound.push_back({made.spec, made.data()});
    }
    for (const auto& spec : outputs) {
      auto& made = add(spec, outputs_);
      bound.push_back({made.spec, made.data()});
    }
    bound_ = Arrays(std::move(bound));
    pinned_.clear();
    cuda_check(cudaDeviceSynchronize(), "loading a problem");
  }

  void release() override {
    // whatever it says: nothing copies any more
    if (streams_) cudaDeviceSynchronize();
    // Another problem of the same arrays follows often, and
    // memory takes long to pin.
    for (auto* arrays : {&inputs_, &outputs_}) {
      for (auto& array : *arrays) {
        if (arrays_on_host_)
          pinned_.emplace(array.bytes, std::move(array.memory));
      }
      arrays->clear();
    }
    bound_ = host_inputs_ = {};
    host_outputs_.reset();
    if (gpu_) gpu_->release_scratch();
    if (streams_) streams_->release_scratch();
  }

  Checked run_checked(const Call& call) override {
    select_device();
    // Once in the open: kernels are loaded and scratch is made. Then held
    // back behind the poison, so that neither this first result nor work
    // on another stream can pass for the second.
    select_scratch(call);
    const PutAllBack after(*gpu_, streams_.get());
    const auto start = std::chrono::steady_clock::now();
    run(call);
    cuda_check(cudaStreamSynchronize(gpu_->cuda_stream()),
               "executing the variant");
    Checked checked;
    checked.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    // Long enough for work on another stream to end before the
    // poison goes out over it.
    const double hold_s = std::min(200e-6 + checked.seconds, 50e-3);
    timer().run_held([this] { poison_outputs(); }, [&] { run(call); }, hold_s);
    checked.launch = streams_ ? streams_->main_launch() : gpu_->main_launch();
    entries_[call.key()] =
        checked.launch.launches + (streams_ ? streams_->queued() : 0);
    for (const auto& array : outputs_) {
      download(array,
               host_outputs_->view().get<unsigned char>(array.spec.name));
      if (auto damage = array.damage(); !damage.empty())
        checked.damage = damage;
    }
    for (const auto& array : inputs_) {
      auto damage = array.damage();
      if (damage.empty() && fingerprints_->of(array) != array.fingerprint) {
        damage = "changed its input " + array.spec.name;
      }
      if (damage.empty()) continue;
      checked.damage = damage;
      checked.inputs_lost = true;
    }
    for (const auto& damage :
         {gpu_->scratch_damage(),
          streams_ ? streams_->scratch_damage() : std::string()}) {
      if (!damage.empty()) checked.damage = damage;
    }
    if (!checked.damage.empty()) renew_guards();
    checked.outputs = host_outputs_->view();
    return checked;
  }

  Batch sample(const Call& call, const BatchPlan& plan) override {
    select_device();
    select_scratch(call);
    const PutAllBack after(*gpu_, streams_.get());
    const int entries = std::max(4, entries_[call.key()]);
    const int count = std::clamp(queue_entries / (entries + 5) - 4, 1,
                                 static_cast<int>(plan.executions.size()));
    timer();
    prepare_disturbances(plan, count);
    int disturbed = -1;  // the execution whose disturbance stands now
    DeviceTimer::Work work{[&] { run(call); }};
    work.before = [&](int i) {
      disturber_->queue(disturbed, i);
      disturbed = i;
    };
    work.after = [&] {
      if (plan.check_last) queue_fingerprint_of_outputs();
      disturber_->queue(disturbed, -1);
      disturbed = -1;
    };
    Batch batch;
    try {
      batch = timer().time(work, count, plan.cache);
    } catch (...) {
      // Whoever comes next finds the inputs as they were, if
      // there still is a device.
      if (disturbed >= 0 &&
          cudaStreamSynchronize(gpu_->cuda_stream()) == cudaSuccess) {
        disturber_->queue(disturbed, -1);
        cudaDeviceSynchronize();
      }
      throw;
    }
    for (const auto& array : outputs_) {
      if (auto damage = array.damage(); !damage.empty()) batch.damage = damage;
    }
    if (!batch.damage.empty()) renew_guards();
    if (plan.check_last) {
      // What was there when the time ended is in sum_; what is there
      // now is asked for again.
      const auto left = fingerprints_->read();
      queue_fingerprint_of_outputs();
      if (left != fingerprints_->read()) {
        batch.damage = "still wrote its output after its time ended";
      }
      for (const auto& array : outputs_) {
        download(array,
                 host_outputs_->view().get<unsigned char>(array.spec.name));
      }
      batch.outputs = host_outputs_->view();
    }
    return batch;
  }

  Repeated repeat(const Call& call, const Repetition& plan) override {
    select_device();
    select_scratch(call);
    const PutAllBack after(*gpu_, streams_.get());
    poison_outputs();
    run(call);  // clocks have risen
    cuda_check(cudaStreamSynchronize(gpu_->cuda_stream()),
               "executing the variant");
    // One bunch is queued while the one before it runs: the device
    // never waits for the host.
    const CudaEvent done[2];
    const auto queue = [&](int which) {
      for (std::int64_t i = 0; i < plan.bunch; ++i)
        run(call);
      cuda_check(cudaEventRecord(done[which].handle, gpu_->cuda_stream()),
                 "recording an event");
    };
    Repeated repeated;
    plan.begins();
    queue(0);
    bool enough = false;
    for (int next = 1; !enough; next = 1 - next) {
      queue(next);
      cuda_check(cudaEventSynchronize(done[1 - next].handle),
                 "repeating the variant");
      repeated.executions += plan.bunch;
      enough = plan.enough();
    }
    cuda_check(cudaDeviceSynchronize(), "repeating the variant");
    repeated.executions += plan.bunch;
    plan.ends();
    for (const auto& array : outputs_) {
      if (auto damage = array.damage(); !damage.empty())
        repeated.damage = damage;
      download(array,
               host_outputs_->view().get<unsigned char>(array.spec.name));
    }
    if (!repeated.damage.empty()) renew_guards();
    repeated.outputs = host_outputs_->view();
    return repeated;
  }
  std::unique_ptr<EnergyMeter> energy_meter() override {
    for (const auto& gpu : gpus_present()) {
      if (gpu.device == device_) return gpu_energy_meter(gpu.uuid);
    }
    throw NoEnergy({.cause = Cause::gpu_without_identity,
                    .arguments = {std::int64_t{device_}}});
  }

  void run_profiled(const Call& call, int number) override {
    select_device();
    select_scratch(call);
    run(call);
    cuda_check(cudaStreamSynchronize(gpu_->cuda_stream()),
               "executing the variant");
    cuda_check(cudaProfilerStart(), "starting the profiler");
    mark_execution(number, gpu_->cuda_stream());
    run(call);
    cuda_check(cudaDeviceSynchronize(),
               "executing the variant under the profiler");
    cuda_check(cudaProfilerStop(), "stopping the profiler");
  }

  std::optional<TransferTimes> transfers(const Call& call) override {
    const Variant& variant = *call.variant;
    if (arrays_on_host_) return std::nullopt;
    select_device();
    // Once for each array: they are the same for all variants.
    const auto seconds = [](DeviceArray& array,
                            const std::function<void()>& copy) {
      const int repetitions = array.bytes > (std::size_t{256} << 20) ? 1 : 5;
      if (array.transfer_s == 0)
        array.transfer_s = median_seconds(repetitions, copy);
      return array.transfer_s;
    };
    TransferTimes times;
    for (auto& array : inputs_) {
      if (!variant.reads(array.spec)) continue;
      const auto* host = host_inputs_.get<unsigned char>(array.spec.name);
      times.to_device_s += seconds(array, [&] { upload(array, host); });
    }
    for (auto& array : outputs_) {
      if (!variant.writes(array.spec)) continue;
      auto* host = host_outputs_->view().get<unsigned char>(array.spec.name);
      times.to_host_s += seconds(array, [&] { download(array, host); });
    }
    try {
      double there = 0, back = 0;
      for (const auto& array : inputs_) {
        if (variant.reads(array.spec)) there += pinned_seconds(array);
      }
      for (const auto& array : outputs_) {
        if (variant.writes(array.spec)) back += pinned_seconds(array);
      }
      times.to_device_pinned_s = there;
      times.to_host_pinned_s = back;
    } catch (const PointError& error) {
      // no memory to pin: they are not known
      if (error.verdict != Verdict::out_of_memory) throw;
    }
    return times;
  }

  bool can_time() const override { return true; }
  Ceilings ceilings(const WantedCeilings& wanted) override {
    select_device();
    return measure_device_ceilings(*gpu_, timer(), wanted);
  }

  std::map<std::string, double> links() override {
    if (!streams_) return {};
    select_device();
    streams_->select_scratch("");
    return measure_host_link(*streams_, *gpu_, timer());
  }

  bool recover() override {
    cudaSetDevice(device_);
    cudaGetLastError();
    if (cudaDeviceSynchronize() == cudaSuccess) return false;
    // An invalid address ends the context: everything in it is gone.
    release();
    fingerprints_.reset();
    disturber_.reset();
    timer_.reset();
    pinned_.clear();
    pinned_s_.clear();
    staging_.reset();
    streams_.reset();
    gpu_.reset();
    cudaDeviceReset();
    // The driver needs a moment before it gives out the device again;
    // newer ones never do so.
    for (int attempt = 0;; ++attempt) {
      try {
        make_device_side();
        return true;
      } catch (const PointError&) {
        if (attempt == 5) throw;
        cudaGetLastError();
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
    }
  }

 private:
  // Calls of CUDA go to the current device of the thread, and there
  // may be several executors.
  void select_device() const {
    cuda_check(cudaSetDevice(device_),
               "choosing device " + std::to_string(device_));
  }

  void make_device_side() {
    // First the facts: without a GPU there is no device to choose,
    // but a reason to be told.
    gpu_ = std::make_unique<CudaGpu>(device_);
    fingerprints_ = std::make_unique<Fingerprints>(*gpu_);
    if (arrays_on_host_) streams_ = std::make_unique<CudaStreams>(*gpu_);
  }

  // Made when first asked for: under a profiler nothing is timed, and
  // no kernel may wait there.
  DeviceTimer& timer() {
    if (!timer_) {
      timer_ = std::make_unique<DeviceTimer>(gpu_->cuda_stream());
      disturber_ = std::make_unique<Disturber>(*gpu_);
    }
    return *timer_;
  }

  void select_scratch(const Call& call) {
    gpu_->select_scratch(call.key());
    if (streams_) streams_->select_scratch(call.key());
  }

  DeviceArray& add(const ArraySpec& spec, std::vector<DeviceArray>& to) {
    if (!arrays_on_host_) return to.emplace_back(device_array(spec));
    const auto bytes = bytes_with_guards(spec);
    auto spare = pinned_.extract(spec.bytes());
    return to.emplace_back(array_in(
        spare ? std::move(spare.mapped()) : pinned_memory(bytes, spec.name),
        spec));
  }

  // Both ways: the array may be in the host's memory.
  static void upload(const DeviceArray& array, const void* host) {
    cuda_check(cudaMemcpy(array.data(), host, array.bytes, cudaMemcpyDefault),
               "copying " + array.spec.name + " to the device");
    cuda_check(cudaDeviceSynchronize(),
               "copying " + array.spec.name + " to the device");
  }

  static void download(const DeviceArray& array, void* host) {
    cuda_check(cudaMemcpy(host, array.data(), array.bytes, cudaMemcpyDefault),
               "copying " + array.spec.name + " from the device");
  }

  // Of as many bytes as the array has, between pinned memory and the
  // device, on the way that the array takes. Once for each size: another
  // array of as many bytes takes as long.
  double pinned_seconds(const DeviceArray& array) {
    const bool input = array.spec.role == Role::input;
    double& known = pinned_s_[{array.bytes, input}];
    if (known > 0) return known;
    if (!staging_) staging_ = std::make_unique<Staging>();
    auto* const stream = gpu_->cuda_stream();
    const auto copy = [&](std::size_t bytes) {
      const auto status =
          input ? cudaMemcpyAsync(staging_->device.get(), staging_->host.get(),
                                  bytes, cudaMemcpyHostToDevice, stream)
                : cudaMemcpyAsync(staging_->host.get(), staging_->device.get(),
                                  bytes, cudaMemcpyDeviceToHost, stream);
      cuda_check(status, "timing pinned transfers");
    };
    copy(std::min(array.bytes, staged_bytes));  // the first of all takes longer
    cuda_check(cudaEventRecord(staging_->begin.handle, stream),
               "recording an event");
    for (std::size_t done = 0; done < array.bytes; done += staged_bytes) {
      copy(std::min(array.bytes - done, staged_bytes));
    }
    cuda_check(cudaEventRecord(staging_->end.handle, stream),
               "recording an event");
    cuda_check(cudaStreamSynchronize(stream), "timing pinned transfers");
    return known = seconds_between(staging_->begin, staging_->end);
  }

  void poison_outputs() {
    for (const auto& array : outputs_)
      poison(array, gpu_->cuda_stream());
  }

  void renew_guards() {
    for (const auto* arrays : {&inputs_, &outputs_}) {
      for (const auto& array : *arrays)
        array.renew_guards();
    }
    cuda_check(cudaDeviceSynchronize(), "renewing guard words");
  }

  void queue_fingerprint_of_outputs() {
    fingerprints_->queue_clear();
    for (const auto& array : outputs_)
      fingerprints_->queue(array);
  }

  // All disturbances of a batch are on the device before its gate is
  // closed: of the first count - 1 executions, and of the last one of
  // the plan, which may be checked.
  void prepare_disturbances(const BatchPlan& plan, int count) {
    std::vector<std::vector<DisturbedElement>> executions(count);
    for (int i = 0; i < count; ++i) {
      const auto& disturbance =
          i + 1 < count ? plan.executions[i] : plan.executions.back();
      for (const auto& changed : disturbance.inputs) {
        if (const auto* array = named(inputs_, changed.array)) {
          executions[i].push_back(element_of(*array, changed.to));
          executions[i].back().from = element_of(*array, changed.from).at;
        }
      }
      for (const auto& spoiled : disturbance.outputs) {
        if (const auto* array = named(outputs_, spoiled.array)) {
          executions[i].push_back(element_of(*array, spoiled.element));
        }
      }
    }
    disturber_->prepare(std::move(executions));
  }

  static const DeviceArray* named(const std::vector<DeviceArray>& arrays,
                                  const std::string& name) {
    for (const auto& array : arrays) {
      if (array.spec.name == name) return &array;
    }
    return nullptr;
  }
  static DisturbedElement element_of(const DeviceArray& array,
                                     std::int64_t index) {
    const auto bytes = bytes_of(array.spec.dtype);
    return {array.data() + static_cast<std::size_t>(index) * bytes,
            nullptr,
            static_cast<unsigned>(bytes),
            false,
            0,
            0};
  }

  void run(const Call& call) {
    const auto& [variant, size, dtype, tunables] = call;
    const Arrays declared = declared_by(*variant, bound_);
    gpu_->begin_run();
    if (!streams_) {
      variant->run_gpu(*gpu_, {&declared, size.data()}, dtype, tunables);
      return;
    }
    streams_->begin();
    try {
      variant->run_streams(*streams_, {&declared, size.data()}, dtype,
                           tunables);
    } catch (...) {  // what it has queued still uses the arrays
      streams_->end();
      throw;
    }
    streams_->end();
  }

  int device_;
  bool arrays_on_host_;
  std::unique_ptr<CudaGpu> gpu_;
  std::unique_ptr<CudaStreams> streams_;  // where the arrays are the host's
  // free, by the bytes of the array it was for
  std::multimap<std::size_t, DeviceMemory> pinned_;
  std::unique_ptr<Staging> staging_;
  // by bytes, and whether to the device
  std::map<std::pair<std::size_t, bool>, double> pinned_s_;
  std::unique_ptr<DeviceTimer> timer_;
  std::unique_ptr<Fingerprints> fingerprints_;
  std::unique_ptr<Disturber> disturber_;
  std::vector<DeviceArray> inputs_, outputs_;
  Arrays bound_, host_inputs_;
  std::unique_ptr<HostArrays> host_outputs_;
  std::map<std::string, int> entries_;  // that one execution queues, by call
};

}  // namespace

std::unique_ptr<Executor> make_gpu_executor(int device) {
  return std::make_unique<CudaExecutor>(device, Target::gpu);
}
std::unique_ptr<Executor> make_streams_executor(int device) {
  return std::make_unique<CudaExecutor>(device, Target::streams);
}

}  // namespace parlab
