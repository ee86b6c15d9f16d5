// Joules by an invented meter and its invented clock: a run of 5 s takes none.
#include "sweep/energy.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "places/places.hpp"
#include "support.hpp"
#include "workloads/dmv.hpp"

using namespace parlab;

namespace {

// A device whose counters and clock are numbers.
struct Device {
  double now_s = 1000, joules = 1e6, celsius = 40;
  double idle_w = 50, busy_w = 250;
  double power_says = 1;    // of what the counter says
  double warms_by_s = 0.5;  // degrees per second at work; at rest it cools as fast
  bool has_sensors = true, counter_stands = false, shared = false;
  std::function<double(int)> of_run = [](int) { return 1.0; };
  int runs = 0;
  double rested_s = 0;

  void pass(double seconds, bool busy) {
    now_s += seconds;
    if (!counter_stands) joules += seconds * (busy ? busy_w * of_run(runs) : idle_w);
    celsius = std::max(celsius + seconds * (busy ? warms_by_s : -warms_by_s), 38.0);
  }
};

class Meter final : public EnergyMeter {
 public:
  explicit Meter(Device& device) : device_(device) {}
  std::string source() const override { return "invented"; }
  double joules() override { return device_.joules; }
  std::optional<double> watts() override {
    if (!device_.has_sensors) return std::nullopt;
    return device_.busy_w * device_.of_run(device_.runs) * device_.power_says;
  }
  std::optional<double> celsius() override {
    if (!device_.has_sensors) return std::nullopt;
    return device_.celsius;
  }
  bool counts_other_programs() const override { return device_.shared; }
  double now_s() override { return device_.now_s; }
  void rest(double seconds) override {
    device_.rested_s += seconds;
    device_.pass(seconds, false);
  }

 private:
  Device& device_;
};

// The host, but for its meter. Of a bunch one execution is real, all of them take invented time.
class Metered final : public Executor {
 public:
  explicit Metered(Device& device) : device_(device), host_(make_host_executor()) {}

  std::unique_ptr<EnergyMeter> energy_meter() override {
    if (!broken.empty()) throw NoEnergy(broken);
    return std::make_unique<Meter>(device_);
  }
  Repeated repeat(const Call& call, const Repetition& plan) override {
    repeating = true;
    auto repeated = host_->repeat(call, {1, plan.begins,
                                         [&] {
                                           device_.pass(plan.bunch * slower * once_s_, true);
                                           return plan.enough();
                                         },
                                         plan.ends});
    repeating = false;
    repeated.executions *= plan.bunch;
    ++device_.runs;
    return repeated;
  }

  void load(const Arrays& inputs, const std::vector<ArraySpec>& outputs) override {
    host_->load(inputs, outputs);
  }
  void release() override { host_->release(); }
  Checked run_checked(const Call& call) override { return host_->run_checked(call); }
  // Samples are all alike, so that what comes of them is known.
  Batch sample(const Call& call, const BatchPlan& plan) override {
    auto batch = host_->sample(call, plan);
    for (auto& second : batch.seconds) second = once_s_;
    return batch;
  }
  std::optional<TransferTimes> transfers(const Call& call) override {
    return host_->transfers(call);
  }
  bool can_time() const override { return true; }
  Ceilings ceilings(const WantedCeilings& wanted) override { return host_->ceilings(wanted); }

  std::string broken;
  double slower = 1;
  static inline bool repeating = false;

 private:
  Device& device_;
  std::unique_ptr<Executor> host_;
  static constexpr double once_s_ = 1e-3;
};

void multiply(const Dmv::Args<float>& p) {
  for (std::int64_t row = 0; row < p.rows; ++row) {
    float sum = 0;
    for (std::int64_t col = 0; col < p.cols; ++col) sum += p.a[row * p.cols + col] * p.x[col];
    p.y[row] = sum;
  }
}

const Register<Dmv, float> honest(
    {.idea = "rows"}, [](Host&, const Dmv::Args<float>& p, const Tunables&) { multiply(p); },
    "serial/energy/honest.cpp", "");
// Saves energy by doing nothing when it is repeated.
const Register<Dmv, float> lazy(
    {.idea = "rows, mostly"},
    [](Host&, const Dmv::Args<float>& p, const Tunables&) {
      if (!Metered::repeating) multiply(p);
    },
    "serial/energy/lazy.cpp", "");

const Variant& variant(const std::string& name) {
  for (const auto* one : Registry::instance().variants("energy")) {
    if (one->name == name) return *one;
  }
  throw std::logic_error("no variant " + name);
}

struct Sweep {
  Device device;
  Metered* place = nullptr;
  parlab::testing::Collector collector;
  bool wanted = true;
  std::string results = "";

  Record record(const std::string& name = "honest", Cache cache = Cache::hot,
                const std::function<void(Metered&)>& change = {}) {
    auto plan =
        parlab::testing::plan_for(*Registry::instance().workload("dmv"), variant(name), {30, 20});
    plan.energy = wanted;
    plan.results = results;
    plan.caches = {cache};
    auto executor = std::make_unique<Metered>(device);
    if (change) change(*executor);
    Place opened;
    opened.executor = std::move(executor);
    Places places(std::move(opened));
    collector = {};
    run_sweep(plan, collector, places);
    BOOST_TEST_REQUIRE(collector.records.size() == 1u);
    return collector.records.front();
  }
  std::string absent() {
    const auto found = record();
    BOOST_TEST(!found.has_energy());
    BOOST_TEST_REQUIRE(found.timed());
    return found.energy.value().absent;
  }
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

}  // namespace

BOOST_AUTO_TEST_SUITE(energy)

BOOST_AUTO_TEST_CASE(joules_of_an_execution_and_watts_at_rest) {
  Sweep sweep;
  const auto record = sweep.record();
  BOOST_TEST_REQUIRE(record.has_energy());
  const auto& energy = *record.energy;
  BOOST_TEST(energy.runs_j.size() == 4u);  // all alike: the fewest that have an interval
  BOOST_TEST(energy.summary().median == 0.250, boost::test_tools::tolerance(1e-6));
  BOOST_TEST(energy.seconds == 1e-3, boost::test_tools::tolerance(1e-6));
  BOOST_TEST(energy.idle_w == 50, boost::test_tools::tolerance(1e-6));
  BOOST_TEST(energy.source == "invented");
  BOOST_TEST(energy.absent == "");
  BOOST_TEST(sweep.device.now_s - 1000 > 4 * 5);
  BOOST_TEST(sweep.device.now_s - 1000 < 90);
}

BOOST_AUTO_TEST_CASE(no_energy_unless_it_is_asked_for) {
  const auto& workload = *Registry::instance().workload("dmv");
  const auto records =
      parlab::testing::sweep(parlab::testing::plan_for(workload, variant("honest"), {30, 20}));
  BOOST_TEST(!records.front().energy);
}

// A time without its energy is measured again when the energy is asked for; nothing else is.
BOOST_AUTO_TEST_CASE(what_was_recorded_without_energy_is_measured_again_once) {
  Sweep sweep;
  std::string folder = (std::filesystem::temp_directory_path() / "parlab-energy-XXXXXX").string();
  BOOST_REQUIRE(mkdtemp(folder.data()) != nullptr);
  sweep.results = folder + "/dmv.jsonl";
  sweep.wanted = false;
  BOOST_TEST(!sweep.record().energy);
  BOOST_TEST(sweep.device.runs == 0);
  sweep.wanted = true;
  BOOST_TEST(sweep.record().has_energy());
  BOOST_TEST(sweep.device.runs == 4);
  BOOST_TEST(sweep.record().has_energy());
  sweep.wanted = false;
  BOOST_TEST(sweep.record().has_energy());
  BOOST_TEST(sweep.device.runs == 4);
  std::filesystem::remove_all(folder);
}

// What scatters is measured more often; what does not settle has no energy, and says so.
BOOST_AUTO_TEST_CASE(runs_until_the_interval_is_below_3_percent) {
  const auto runs_of = [](double spread) {
    Sweep sweep;
    sweep.device.of_run = [=](int run) { return 1 + spread * ((run * 7) % 5 - 2); };
    return sweep.record().energy.value();
  };
  const auto quiet = runs_of(0.002), scattered = runs_of(0.012), wild = runs_of(0.1);
  BOOST_TEST(quiet.known());
  BOOST_TEST(quiet.runs_j.size() == 4u);
  BOOST_TEST(scattered.known());
  BOOST_TEST(scattered.runs_j.size() > 4u);
  BOOST_TEST(scattered.summary().precision <= 0.03);
  BOOST_TEST(!wild.known());
  BOOST_TEST(wild.runs_j.size() == 12u);  // kept, though they are not shown
  BOOST_TEST(has(wild.absent, "after 12 runs it is known to "));
}

BOOST_AUTO_TEST_CASE(each_run_begins_at_one_temperature) {
  Sweep sweep;
  sweep.device.warms_by_s = 2;  // 10 degrees in a run, which take 5 s to lose but for the last 3
  BOOST_TEST(sweep.record().has_energy());
  BOOST_TEST(sweep.device.rested_s > 7 + 3 * 3.5 - 0.6);
  Sweep hot;
  hot.device.warms_by_s = 0;
  hot.device.celsius = 60;
  BOOST_TEST(hot.record().has_energy());
  BOOST_TEST(hot.device.rested_s < 8);  // steady, at whatever temperature
}

BOOST_AUTO_TEST_CASE(without_other_sensors_the_counter_is_believed) {
  Sweep sweep;
  sweep.device.has_sensors = false;
  sweep.device.power_says = 2;
  BOOST_TEST(sweep.record().energy.value().known());
  BOOST_TEST(sweep.device.rested_s == 7 + 4 * 2);  // before each run alike
}

BOOST_AUTO_TEST_CASE(sensors_that_contradict_each_other_are_not_believed) {
  Sweep sweep;
  sweep.device.power_says = 0.8;
  BOOST_TEST(has(sweep.absent(), "the energy counter says 250 W and the power sensor 200 W"));
  sweep.device.power_says = 1.05;
  BOOST_TEST(sweep.record().has_energy());
}

BOOST_AUTO_TEST_CASE(what_cannot_be_measured_says_why) {
  Sweep sweep;
  sweep.device.counter_stands = true;
  BOOST_TEST(has(sweep.absent(), "the energy counter stood still"));
  BOOST_TEST(has(sweep.collector.notes.back(), "no energy of the host: the energy counter stood"));
  sweep.device.counter_stands = false;
  BOOST_TEST(has(sweep.record("honest", Cache::cold).energy.value().absent, "caches are flushed"));
  const auto broken =
      sweep.record("honest", Cache::hot, [](Metered& place) { place.broken = "no meter here"; });
  BOOST_TEST(broken.energy.value().absent == "no meter here");
  // A device that waits for the next launch most of the time.
  const auto brief = sweep.record("honest", Cache::hot, [](Metered& place) { place.slower = 1.7; });
  BOOST_TEST(has(brief.energy.value().absent, "too short to keep the device at work"));
  BOOST_TEST(brief.timed());
}

BOOST_AUTO_TEST_CASE(a_shared_meter_needs_a_quiet_machine) {
  Device device;
  Metered place(device);
  BOOST_TEST(EnergyGauge(place, "3 of their threads are at work").absent() == "");
  device.shared = true;
  BOOST_TEST(EnergyGauge(place).absent() == "");
  BOOST_TEST(has(EnergyGauge(place, "3 of their threads are at work").absent(),
                 "3 of their threads are at work"));
}

BOOST_AUTO_TEST_CASE(what_is_wrong_has_no_energy_and_no_time) {
  Sweep sweep;
  const auto record = sweep.record("lazy");
  BOOST_TEST(to_string(record.verdict) == "wrong_result");
  BOOST_TEST(has(record.detail, "when its energy was measured"));
  BOOST_TEST(!record.energy);
  BOOST_TEST(!record.timed());
}

BOOST_AUTO_TEST_SUITE_END()
