// Executes variants on a team of GPUs: divides a problem among them, and
// puts the parts of the result together.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>

#include "facts/cause.hpp"
#include "places/cuda/cuda_gpus.hpp"
#include "places/cuda/device_arrays.hpp"
#include "places/cuda/link_ceilings.hpp"
#include "places/cuda/team_timer.hpp"
#include "places/executor.hpp"
#include "places/partition.hpp"
#include "places/presence.hpp"

namespace parlab {
namespace {

// As in gpu_executor.cu; what transfers queue beside kernels counts as
// so many launches at least.
constexpr int queue_entries = 500, least_of_transfers = 20;

// One GPU, and what looks after its memory.
struct Device {
  explicit Device(int number)
      : gpu(number), fingerprints(gpu), disturber(gpu) {}
  CudaGpu gpu;
  Fingerprints fingerprints;
  Disturber disturber;
};

// The first so many GPUs of the machine.
struct Team {
  explicit Team(const std::vector<CudaGpu*>& members)
      : gpus(members), timer(members, [this] { gpus.abandon(); }) {}
  CudaGpus gpus;
  TeamTimer timer;
};

// One array's part on one GPU.
struct PlacedPart {
  ArrayPart part;
  DeviceArray array;
};

// A problem as it lies in the memories of a team.
struct Placed {
  Team* team = nullptr;
  std::vector<std::vector<PlacedPart>> parts;  // of each GPU
  std::vector<Arrays> bound;
  std::vector<Size> sizes;

  // Pointers to these: good until the next is added.
  std::vector<UnboundPart> unbound() const {
    std::vector<UnboundPart> all;
    for (std::size_t i = 0; i < bound.size(); ++i)
      all.push_back({&bound[i], sizes[i].data()});
    return all;
  }
  double to_device_s = 0;

  int count() const { return static_cast<int>(parts.size()); }
};

double seconds_of(const std::function<void()>& action) {
  return median_seconds(1, action);
}

class TeamExecutor final : public Executor {
 public:
  TeamExecutor() {
    if (const auto why = why_no_gpu())
      throw PointError(Verdict::no_device, *why);
    std::vector<int> numbers;
    for (const auto& gpu : gpus_present())
      numbers.push_back(gpu.device);
    enable_peer_access(numbers);
    for (const int number : numbers) {
      cuda_check(cudaSetDevice(number),
                 "choosing device " + std::to_string(number));
      devices_.push_back(std::make_unique<Device>(number));
    }
  }
  ~TeamExecutor() override {
    if (hangs()) {
      leave_behind();
      return;
    }
    release();
    teams_.clear();
    for (auto& device : devices_) {
      device->gpu.select();
      device.reset();
    }
  }

  void load(const Arrays& inputs,
            const std::vector<ArraySpec>& outputs) override {
    release();
    inputs_ = inputs;
    outputs_ = std::make_unique<HostArrays>(outputs);
  }

  void release() override {
    if (hangs()) return;
    placed_.clear();
    inputs_ = {};
    outputs_.reset();
    for (auto& device : devices_)
      device->gpu.release_scratch();
  }

  Checked run_checked(const Call& call) override {
    Placed& placed = place(call);
    select_scratch(call);
    const PutBackAll after(*this);
    // As on one GPU: once in the open, then held back behind the poison.
    Checked checked;
    checked.seconds = run_in_the_open(call, placed);
    const double hold_s = std::min(200e-6 + checked.seconds, 50e-3);
    placed.team->gpus.take_queued();  // of the one in the open
    placed.team->timer.run_held([&] { poison_all(placed); },
                                [&] { run(call, placed); }, hold_s);
    checked.launch = placed.team->gpus[0].main_launch();
    entries_[call.key()] =
        std::max(4, checked.launch.launches) +
        std::max(least_of_transfers, placed.team->gpus.take_queued());
    for (int i = 0; i < placed.count(); ++i) {
      auto& device = *devices_[i];
      device.gpu.select();
      for (const auto& here : placed.parts[i]) {
        auto damage = here.array.damage();
        if (here.part.spec.role == Role::input && damage.empty() &&
            device.fingerprints.of(here.array) != here.array.fingerprint) {
          damage = "changed its input " + here.part.spec.name;
        }
        if (damage.empty()) continue;
        checked.damage = damage + on_gpu(i);
        checked.inputs_lost |= here.part.spec.role == Role::input;
      }
      if (const auto damage = device.gpu.scratch_damage(); !damage.empty()) {
        checked.damage = damage + on_gpu(i);
      }
    }
    if (!checked.damage.empty()) renew_guards(placed);
    gather(placed, checked.damage);
    checked.outputs = outputs_->view();
    return checked;
  }

  Batch sample(const Call& call, const BatchPlan& plan) override {
    Placed& placed = place(call);
    select_scratch(call);
    const PutBackAll after(*this);
    const int entries = std::max(4 + least_of_transfers, entries_[call.key()]);
    const int count = std::clamp(queue_entries / (entries + 5) - 4, 1,
                                 static_cast<int>(plan.executions.size()));
    prepare_disturbances(placed, plan, count);
    int disturbed = -1;  // the execution whose disturbance stands now
    const auto disturb = [&](int now) {
      each(placed, [&](Device& device, int) {
        device.disturber.queue(disturbed, now);
      });
      disturbed = now;
    };
    run_in_the_open(call, placed);
    TeamTimer::Work work{[&] { run(call, placed); }};
    work.before = [&](int i) {
      disturb(i);
      poison_rooms(placed);  // what came from elsewhere has to come again
    };
    work.after = [&] {
      if (plan.check_last) queue_fingerprints(placed);
      disturb(-1);
    };
    Batch batch;
    try {
      batch = placed.team->timer.time(work, count, plan.cache);
    } catch (...) {
      // Whoever comes next finds the inputs as they were,
      // if there still are any.
      if (!hangs()) placed_.clear();
      throw;
    }
    each(placed, [&](Device&, int i) {
      for (const auto& here : placed.parts[i]) {
        if (here.part.spec.role != Role::output) continue;
        if (const auto damage = here.array.damage(); !damage.empty()) {
          batch.damage = damage + on_gpu(i);
        }
      }
    });
    if (!batch.damage.empty()) renew_guards(placed);
    if (plan.check_last) {
      // What was there when the time ended, and what is there now.
      const auto left = read_fingerprints(placed);
      queue_fingerprints(placed);
      if (left != read_fingerprints(placed)) {
        batch.damage = "still wrote its output after its time ended";
      }
      gather(placed, batch.damage);
      batch.outputs = outputs_->view();
    }
    return batch;
  }

  // For compute-sanitizer, under which no kernel may wait for another:
  // without the timer, and without a profiler's mark, for counters
  // of a team are not read.
  void run_profiled(const Call& call, int) override {
    Placed& placed = place(call);
    select_scratch(call);
    const PutBackAll after(*this);
    run(call, placed);
    each(placed, [](Device&, int) {
      cuda_check(cudaDeviceSynchronize(),
                 "executing the variant under the profiler");
    });
  }

  std::optional<TransferTimes> transfers(const Call& call) override {
    Placed& placed = place(call);
    std::string ignored;
    return TransferTimes{placed.to_device_s,
                         seconds_of([&] { gather(placed, ignored); })};
  }

  std::optional<double> seconds_of_transfers(const Call& call) override {
    Placed& placed = place(call);
    if (placed.count() < 2) return std::nullopt;
    select_scratch(call);
    const PutBackAll after(*this);
    run_in_the_open(call, placed);
    std::vector<double> seconds;
    for (int i = 0; i < 5; ++i) {
      placed.team->gpus.begin_watch();
      const auto before = [&] {
        poison_rooms(placed);
        placed.team->timer.meet();  // or a transfer waits for the others'
      };
      placed.team->timer.run_held(before, [&] { run(call, placed); });
      seconds.push_back(placed.team->gpus.end_watch());
    }
    return median(std::move(seconds));
  }

  bool can_time() const override { return true; }
  int gpus() const override { return static_cast<int>(devices_.size()); }

  Ceilings ceilings(const WantedCeilings& wanted) override {
    return make_gpu_executor(devices_.front()->gpu.device())->ceilings(wanted);
  }

  std::map<std::string, double> links() override {
    std::map<std::string, double> links;
    for (int count = 2; count <= gpus(); ++count) {
      auto& team = team_of(count);
      each_of(count, [](Device& device, int) { device.gpu.begin_run(); });
      measure_links(links, team.gpus, team.timer);
    }
    return links;
  }

  // What one GPU has lost, the others cannot give back, and other
  // places may be at work there.
  bool recover() override {
    if (hangs())
      throw PointError(Verdict::no_device,
                       "a GPU still runs what could not be ended");
    placed_.clear();
    for (auto& device : devices_) {
      device->gpu.select();
      cudaGetLastError();
      cuda_check(cudaDeviceSynchronize(),
                 "asking for device " + std::to_string(device->gpu.device()) +
                     " after a failure (nvidia-smi -L says whether it is still "
                     "there)");
    }
    return false;
  }

 private:
  // As PutBack, for all devices, which may hang.
  class PutBackAll {
   public:
    explicit PutBackAll(TeamExecutor& team) : team_(team) {}
    ~PutBackAll() {
      if (team_.hangs()) return;
      for (auto& device : team_.devices_)
        device->gpu.put_back();
    }
    PutBackAll(const PutBackAll&) = delete;
    PutBackAll& operator=(const PutBackAll&) = delete;

   private:
    TeamExecutor& team_;
  };

  bool hangs() const {
    return std::any_of(teams_.begin(), teams_.end(), [](const auto& team) {
      return team.second && team.second->timer.hangs();
    });
  }
  // Memory cannot be freed while its device runs: it goes with the process.
  void leave_behind() {
    new auto(std::move(placed_));
    for (auto& [count, team] : teams_)
      team.release();
    for (auto& device : devices_)
      device.release();
  }

  static std::string on_gpu(int i) { return " on GPU " + std::to_string(i); }

  template <typename F>
  void each_of(int count, F f) {
    for (int i = 0; i < count; ++i) {
      devices_[i]->gpu.select();
      f(*devices_[i], i);
    }
  }
  template <typename F>
  void each(const Placed& placed, F f) {
    each_of(placed.count(), f);
  }

  Team& team_of(int count) {
    auto& team = teams_[count];
    if (!team) {
      std::vector<CudaGpu*> members;
      for (int i = 0; i < count; ++i)
        members.push_back(&devices_[i]->gpu);
      team = std::make_unique<Team>(members);
    }
    return *team;
  }

  // ---- placing

  // A problem stays where it was placed for variants that divide it alike.
  Placed& place(const Call& call) {
    const auto asked = static_cast<int>(call.tunables["gpus"]);
    if (asked > gpus()) {
      throw PointError(Verdict::not_supported,
                       "asks for " + std::to_string(asked) +
                           " GPUs: this machine has " + std::to_string(gpus()));
    }
    const Variant& variant = *call.variant;
    std::vector<ArraySpec> arrays;
    for (const auto& array : inputs_)
      arrays.push_back(array.spec);
    for (const auto& array : outputs_->view())
      arrays.push_back(array.spec);
    const auto shares = divide(*Registry::instance().workload(variant.workload),
                               variant, call.size, arrays, asked);
    std::string key = std::to_string(shares.size());
    for (const auto& dimension : variant.split)
      key += " " + dimension;
    for (const auto& part : shares.front().parts)
      key += " " + part.spec.name;
    const auto found = placed_.find(key);
    if (found != placed_.end()) return found->second;
    try {
      return placed_[key] = place(shares);
    } catch (const PointError& error) {
      placed_.erase(key);
      if (error.verdict != Verdict::out_of_memory || placed_.empty()) throw;
    }
    placed_.clear();  // others can be placed again
    return placed_[key] = place(shares);
  }

  Placed place(const std::vector<Share>& shares) {
    Placed placed;
    placed.team = &team_of(static_cast<int>(shares.size()));
    placed.parts.resize(shares.size());
    each(placed, [&](Device& device, int i) {
      std::vector<Array> views;
      for (const auto& part : shares[i].parts) {
        const auto room = part.row_bytes();
        placed.parts[i].push_back(
            {part, device_array(part.spec,
                                static_cast<std::size_t>(part.above) * room,
                                static_cast<std::size_t>(part.below) * room)});
        auto& here = placed.parts[i].back();
        views.push_back({part.spec, here.array.data()});
        if (part.spec.role == Role::output) continue;
        placed.to_device_s += seconds_of([&] { upload(here); });
        here.array.fingerprint = device.fingerprints.of(here.array);
      }
      placed.bound.emplace_back(std::move(views));
      placed.sizes.push_back(shares[i].size);
    });
    return placed;
  }

  void upload(const PlacedPart& here) {
    const auto& part = here.part;
    const auto* whole = inputs_.get<const unsigned char>(part.spec.name);
    const auto what = "copying " + part.spec.name + " to the devices";
    cuda_check(
        cudaMemcpy2D(here.array.data(), part.row_bytes(),
                     whole + part.offset_bytes(), part.pitch_bytes(),
                     part.row_bytes(), static_cast<std::size_t>(part.rows),
                     cudaMemcpyHostToDevice),
        what);
    cuda_check(cudaDeviceSynchronize(), what);
  }

  void download(const PlacedPart& here, unsigned char* to, std::size_t pitch) {
    const auto& part = here.part;
    cuda_check(
        cudaMemcpy2D(to, pitch, here.array.data(), part.row_bytes(),
                     part.row_bytes(), static_cast<std::size_t>(part.rows),
                     cudaMemcpyDeviceToHost),
        "copying " + part.spec.name + " from the devices");
  }

  // Puts the outputs together. Where each GPU has all of one,
  // they must be the same.
  void gather(Placed& placed, std::string& damage) {
    each(placed, [&](Device&, int i) {
      for (const auto& here : placed.parts[i]) {
        const auto& part = here.part;
        if (part.spec.role != Role::output) continue;
        auto* const whole = outputs_->view().get<unsigned char>(part.spec.name);
        if (!part.whole || i == 0) {
          download(here, whole + part.offset_bytes(), part.pitch_bytes());
          continue;
        }
        std::vector<unsigned char> copy(here.array.bytes);
        download(here, copy.data(), part.row_bytes());
        if (std::memcmp(copy.data(), whole, copy.size()) != 0) {
          damage =
              part.spec.name + on_gpu(i) + " is another one than" + on_gpu(0);
        }
      }
    });
  }

  // ---- executing

  void select_scratch(const Call& call) {
    for (auto& device : devices_)
      device->gpu.select_scratch(call.key());
  }

  void run(const Call& call, Placed& placed) {
    each(placed, [](Device& device, int) { device.gpu.begin_run(); });
    call.variant->run_gpus(placed.team->gpus, placed.unbound().data(),
                           placed.count(), call.dtype, call.tunables);
  }

  // Whatever waits for a device comes here, before any is held back: NCCL's
  // kernels need a larger stack than a device begins with, and put_back() has
  // made it small again. What does not end is ended as behind the gate.
  double run_in_the_open(const Call& call, Placed& placed) {
    return seconds_of([&] {
      run(call, placed);
      placed.team->timer.run_held([] {}, [] {});
    });
  }

  void poison_all(Placed& placed) {
    each(placed, [&](Device& device, int i) {
      for (const auto& here : placed.parts[i]) {
        if (here.part.spec.role == Role::output)
          poison(here.array, device.gpu.cuda_stream());
      }
    });
    poison_rooms(placed);
  }
  void poison_rooms(Placed& placed) {
    each(placed, [&](Device& device, int i) {
      for (const auto& here : placed.parts[i]) {
        poison_room(here.array, device.gpu.cuda_stream());
      }
    });
  }

  void renew_guards(Placed& placed) {
    each(placed, [&](Device&, int i) {
      for (const auto& here : placed.parts[i])
        here.array.renew_guards();
      cuda_check(cudaDeviceSynchronize(), "renewing guard words");
    });
  }

  void queue_fingerprints(Placed& placed) {
    each(placed, [&](Device& device, int i) {
      device.fingerprints.queue_clear();
      for (const auto& here : placed.parts[i]) {
        if (here.part.spec.role == Role::output)
          device.fingerprints.queue(here.array);
      }
    });
  }
  std::vector<std::uint64_t> read_fingerprints(Placed& placed) {
    std::vector<std::uint64_t> all;
    each(placed, [&](Device& device, int) {
      all.push_back(device.fingerprints.read());
    });
    return all;
  }

  // As in gpu_executor.cu. What an element takes the value of may be on
  // another GPU: the host has it.
  void prepare_disturbances(const Placed& placed,
                            const BatchPlan& plan,
                            int count) {
    each(placed, [&](Device& device, int i) {
      std::vector<std::vector<DisturbedElement>> executions(count);
      for (int e = 0; e < count; ++e) {
        const auto& disturbance =
            e + 1 < count ? plan.executions[e] : plan.executions.back();
        for (const auto& changed : disturbance.inputs) {
          auto element = element_at(placed.parts[i], changed.array, changed.to);
          if (!element) continue;
          const auto* whole = inputs_.get<const unsigned char>(changed.array);
          element->has_value = true;
          std::memcpy(
              &element->value,
              whole + static_cast<std::size_t>(changed.from) * element->bytes,
              element->bytes);
          executions[e].push_back(*element);
        }
        for (const auto& spoiled : disturbance.outputs) {
          if (auto element =
                  element_at(placed.parts[i], spoiled.array, spoiled.element)) {
            executions[e].push_back(*element);
          }
        }
      }
      device.disturber.prepare(std::move(executions));
    });
  }

  static std::optional<DisturbedElement> element_at(
      const std::vector<PlacedPart>& parts,
      const std::string& array,
      std::int64_t element) {
    for (const auto& here : parts) {
      if (here.part.spec.name != array) continue;
      const auto place = here.part.place_of(element);
      if (!place) return std::nullopt;
      const auto bytes = bytes_of(here.part.spec.dtype);
      return DisturbedElement{
          here.array.data() + static_cast<std::size_t>(*place) * bytes,
          nullptr,
          static_cast<unsigned>(bytes),
          false,
          0,
          0};
    }
    return std::nullopt;
  }

  std::vector<std::unique_ptr<Device>> devices_;
  std::map<int, std::unique_ptr<Team>> teams_;  // by how many they are
  Arrays inputs_;                               // the caller's
  std::unique_ptr<HostArrays> outputs_;
  std::map<std::string, Placed> placed_;
  // that one execution queues on a GPU, by call
  std::map<std::string, int> entries_;
};

}  // namespace

std::unique_ptr<Executor> make_team_executor() {
  return std::make_unique<TeamExecutor>();
}

}  // namespace parlab
