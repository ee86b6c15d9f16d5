// Energy from a simulated meter and its simulated clock: a run of 5 s takes no
// time.
#include "sweep/energy.hpp"

#include <boost/test/unit_test.hpp>
#include <csignal>

#include "facts/cause.hpp"
#include "folder.hpp"
#include "on_host.hpp"
#include "places/places.hpp"
#include "record/store.hpp"
#include "support.hpp"
#include "text.hpp"

using namespace parlab;
using parlab::testing::contains;
using parlab::testing::has;
using parlab::testing::multiply;

namespace {

// A device described by numbers.
struct Device {
  double now_s = 1000, joules = 1e6, celsius = 40;
  double idle_w = 50, busy_w = 250;
  // the power that the sensor shows, as a share of the true power
  double power_says = 1;
  // degrees per second at work; it cools as fast at rest
  double warms_by_s = 0.5;
  bool has_sensors = true, counter_stands = false, shared = false;
  // how often the counter changes; 0: always
  double moves_every_s = 0;
  // a run's power, relative to busy_w
  std::function<double(int)> of_run = [](int) { return 1.0; };
  // called before each rest
  std::function<void()> rests = [] {};
  int runs = 0;
  double rested_s = 0;

  void pass(double seconds, bool busy) {
    now_s += seconds;
    if (!counter_stands)
      joules += seconds * (busy ? busy_w * of_run(runs) : idle_w);
    celsius =
        std::max(celsius + seconds * (busy ? warms_by_s : -warms_by_s), 38.0);
  }
};

class Meter final : public EnergyMeter {
 public:
  explicit Meter(Device& device) : device_(device) {}
  std::string source() const override { return "invented"; }
  double joules() override {
    const auto now_s = device_.now_s, every_s = device_.moves_every_s;
    if (every_s == 0) return device_.joules;
    if (now_s >= moved_s_ + every_s) {
      shown_ = device_.joules;
      moved_s_ = now_s;
    }
    return shown_;
  }
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
    device_.rests();
    device_.rested_s += seconds;
    device_.pass(seconds, false);
  }

 private:
  Device& device_;
  double shown_ = 0, moved_s_ = 0;
};

// The host with that meter. One execution of each bunch is real; all of them
// take simulated time.
class Metered final : public parlab::testing::OnHost {
 public:
  explicit Metered(Device& device) : device_(device) {}

  std::unique_ptr<EnergyMeter> energy_meter() override {
    if (!broken.empty()) throw NoEnergy(other(broken));
    asked_ = true;
    return std::make_unique<Meter>(device_);
  }
  Repeated repeat(const Call& call, const Repetition& plan) override {
    const Repeating now;
    auto repeated = OnHost::repeat(
        call, {1, plan.begins,
               [&] {
                 device_.pass(plan.bunch * slower * once_s_, true);
                 return plan.enough();
               },
               plan.ends});
    repeated.executions *= plan.bunch;
    ++device_.runs;
    return repeated;
  }

  void load(const Arrays& inputs,
            const std::vector<ArraySpec>& outputs) override {
    if (asked_ && full) throw PointError(Verdict::out_of_memory, "full");
    OnHost::load(inputs, outputs);
  }
  // All samples are alike, so that the results are known; so nothing is flushed
  // from caches.
  Batch sample(const Call& call, const BatchPlan& plan) override {
    auto warm = plan;
    warm.cache = Cache::hot;
    auto batch = OnHost::sample(call, warm);
    for (auto& second : batch.seconds)
      second = once_s_;
    return batch;
  }
  bool recover() override {
    if (lost) throw PointError(Verdict::launch_failed, "it does not answer");
    return false;
  }

  std::string broken;
  bool lost = false;  // set by a failure
  bool full = false;  // set once energy is measured
  double slower = 1;
  static inline bool repeating = false;

 private:
  struct Repeating {
    Repeating() { repeating = true; }
    ~Repeating() { repeating = false; }
  };
  Device& device_;
  bool asked_ = false;
  static constexpr double once_s_ = 1e-3;
};

const Register<Dmv, float> honest(
    {.idea = "rows"},
    [](Host&, const Dmv::Args<float>& p, const Tunables&) { multiply(p); },
    "serial/energy/honest.cpp", "");
// Saves energy by doing nothing when it is repeated for the meter.
const Register<Dmv, float> lazy(
    {.idea = "rows, mostly"},
    [](Host&, const Dmv::Args<float>& p, const Tunables&) {
      if (!Metered::repeating) multiply(p);
    },
    "serial/energy/lazy.cpp", "");

const Register<Dmv, float> wrong(
    {.idea = "nothing"}, [](Host&, const Dmv::Args<float>&, const Tunables&) {},
    "serial/energy/wrong.cpp", "");

const Register<Dmv, float> throwing(
    {.idea = "rows, at first"},
    [](Host&, const Dmv::Args<float>& p, const Tunables&) {
      if (Metered::repeating) throw std::length_error("too many workspaces");
      multiply(p);
    },
    "serial/energy/throwing.cpp", "");

// As many configurations as a test needs.
const Register<Dmv, float> several(
    {.idea = "rows", .tunables = {{"which", 1, 1, 8}}},
    [](Host&, const Dmv::Args<float>& p, const Tunables&) { multiply(p); },
    "serial/energy/several.cpp", "");

const Variant& variant(const std::string& name) {
  return parlab::testing::variant_called("energy/serial/" + name);
}

const Energy& energy_of(const Record& record) {
  BOOST_TEST_INFO(to_string(record.verdict) << " " << words(record.detail));
  BOOST_TEST_REQUIRE(record.energy.has_value());
  return *record.energy;
}
// The same, with the joules of an execution.
const Energy& known_energy_of(const Record& record) {
  const Energy& energy = energy_of(record);
  BOOST_TEST_INFO(words(energy.absent));
  BOOST_TEST_REQUIRE(record.has_energy());
  return energy;
}

// At first the device rests: 2 s to settle, 5 s to measure its idle power.
constexpr double idle_s = 7;

struct Sweep {
  Device device;
  Metered* place = nullptr;
  parlab::testing::Collector collector;
  bool wanted = true;
  std::string results = "";

  void run(Plan plan, const std::function<void(Metered&)>& change = {}) {
    plan.energy = wanted;
    plan.results = results;
    auto executor = std::make_unique<Metered>(device);
    if (change) change(*executor);
    Place opened;
    opened.executor = std::move(executor);
    Places places(std::move(opened));
    collector = {};
    run_sweep(plan, collector, places);
  }
  static Plan plan_of(const std::string& name) {
    return parlab::testing::plan_for("dmv", variant(name), {30, 20});
  }
  Record record(const std::string& name = "honest", Cache cache = Cache::hot,
                const std::function<void(Metered&)>& change = {}) {
    auto plan = plan_of(name);
    plan.caches = {cache};
    run(plan, change);
    BOOST_TEST_REQUIRE(collector.records.size() == 1u);
    return collector.records.front();
  }
  Detail absent() {
    const auto found = record();
    BOOST_TEST(!found.has_energy());
    BOOST_TEST_REQUIRE(found.timed());
    return energy_of(found).absent;
  }
};

struct StoredSweep : Sweep {
  StoredSweep() { results = folder.path / "dmv.jsonl"; }
  parlab::testing::Folder folder;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(energy)

BOOST_AUTO_TEST_CASE(joules_of_an_execution_and_watts_at_rest) {
  Sweep sweep;
  const auto record = sweep.record();
  const auto& energy = known_energy_of(record);
  // all alike, so the fewest that have an interval
  BOOST_TEST(energy.runs_j.size() == 4u);
  BOOST_TEST(energy.summary().median == 0.250,
             boost::test_tools::tolerance(1e-6));
  BOOST_TEST(energy.seconds == 1e-3, boost::test_tools::tolerance(1e-6));
  BOOST_TEST(energy.idle_w == 50, boost::test_tools::tolerance(1e-6));
  BOOST_TEST(energy.source == "invented");
  BOOST_TEST(words(energy.absent) == "");
  BOOST_TEST(sweep.device.now_s - 1000 > 4 * 5);
  BOOST_TEST(sweep.device.now_s - 1000 < 90);
}

// There is one run and no second one: no interval, and no wait for a
// temperature. The counter changes so rarely that its readings at both ends
// would be a fifth off.
BOOST_AUTO_TEST_CASE(a_short_run_has_watts_without_an_interval) {
  Sweep sweep;
  sweep.device.moves_every_s = 0.11;
  sweep.device.warms_by_s = 100;
  auto plan = Sweep::plan_of("several");
  plan.energy_time_s = 0.5;
  plan.tunables["which"] = {1, 2, 3};
  plan.inputs = {InputKind::uniform, InputKind::zeros};
  sweep.run(plan);
  BOOST_TEST(sweep.collector.records.size() == 6u);
  for (const auto& record : sweep.collector.records) {
    const auto& energy = known_energy_of(record);
    BOOST_TEST(energy.runs_j.size() == 1u);
    BOOST_TEST(energy.runs_j[0] / energy.seconds == 250,
               boost::test_tools::tolerance(0.01));
    BOOST_TEST(energy.idle_w == 50, boost::test_tools::tolerance(0.01));
  }
  BOOST_TEST(sweep.device.runs == 6);
  BOOST_TEST(sweep.device.now_s - 1000 < 6);
}

BOOST_AUTO_TEST_CASE(no_energy_unless_it_is_asked_for) {
  const auto records = parlab::testing::sweep(Sweep::plan_of("honest"));
  BOOST_TEST(!records.front().energy);
}

// A time without energy is measured again when energy is requested; nothing
// else is.
BOOST_AUTO_TEST_CASE(what_was_recorded_without_energy_is_measured_again_once) {
  StoredSweep sweep;
  sweep.wanted = false;
  BOOST_TEST(!sweep.record().energy);
  BOOST_TEST(sweep.device.runs == 0);
  sweep.wanted = true;
  known_energy_of(sweep.record());
  BOOST_TEST(sweep.device.runs == 4);
  known_energy_of(sweep.record());
  sweep.wanted = false;
  known_energy_of(sweep.record());
  BOOST_TEST(sweep.device.runs == 4);
}

BOOST_AUTO_TEST_CASE(cold_executions_are_not_measured_again_for_no_joules) {
  StoredSweep sweep;
  sweep.wanted = false;
  sweep.record("honest", Cache::cold);
  sweep.wanted = true;
  sweep.record("honest", Cache::cold);
  BOOST_TEST(load_records(sweep.results).records.size() == 1u);
}

// Scattered values are measured more often. If they do not settle there is no
// energy, with the reason.
BOOST_AUTO_TEST_CASE(runs_until_the_interval_is_below_3_percent) {
  const auto runs_of = [](double spread) {
    Sweep sweep;
    sweep.device.of_run = [=](int run) {
      return 1 + spread * ((run * 7) % 5 - 2);
    };
    return energy_of(sweep.record());
  };
  const auto quiet = runs_of(0.002), scattered = runs_of(0.012),
             wild = runs_of(0.1);
  BOOST_TEST(quiet.known());
  BOOST_TEST(quiet.runs_j.size() == 4u);
  BOOST_TEST(scattered.known());
  BOOST_TEST(scattered.runs_j.size() > 4u);
  BOOST_TEST(scattered.summary().precision <= 0.03);
  BOOST_TEST(!wild.known());
  BOOST_TEST(wild.runs_j.size() == 12u);  // kept, although they are not shown
  BOOST_TEST(has(wild.absent, Cause::energy_too_uncertain));
}

BOOST_AUTO_TEST_CASE(each_run_begins_at_one_temperature) {
  Sweep sweep;
  sweep.device.warms_by_s = 2;
  known_energy_of(sweep.record());
  // A run of 5 s warms the device by 10 degrees. The next may begin 3 degrees
  // above the first, so the device rests for 3.5 s before each run except the
  // first.
  BOOST_TEST(sweep.device.rested_s > idle_s + 3 * 3.5 - 0.6);
}

BOOST_AUTO_TEST_CASE(a_steady_temperature_is_right_however_high) {
  Sweep sweep;
  sweep.device.warms_by_s = 0;
  sweep.device.celsius = 60;
  known_energy_of(sweep.record());
  BOOST_TEST(sweep.device.rested_s < idle_s + 1);
}

BOOST_AUTO_TEST_CASE(without_other_sensors_the_counter_is_believed) {
  Sweep sweep;
  sweep.device.has_sensors = false;
  sweep.device.power_says = 2;
  BOOST_TEST(energy_of(sweep.record()).known());
  // 2 s before each of four runs
  BOOST_TEST(sweep.device.rested_s == idle_s + 4 * 2);
}

BOOST_AUTO_TEST_CASE(sensors_that_contradict_each_other_are_not_believed) {
  Sweep sweep;
  sweep.device.power_says = 0.8;
  BOOST_TEST(has(sweep.absent(), Cause::sensors_disagree));
  sweep.device.power_says = 1.05;
  known_energy_of(sweep.record());
}

BOOST_AUTO_TEST_CASE(a_counter_that_stands_still_is_noted) {
  Sweep sweep;
  sweep.device.counter_stands = true;
  BOOST_TEST(has(sweep.absent(), Cause::counter_stood_still));
  const auto& note = sweep.collector.notes.back();
  BOOST_TEST(has(note, Cause::no_energy_of));
  BOOST_TEST(has(note, Cause::counter_stood_still));
}

BOOST_AUTO_TEST_CASE(executions_with_cold_caches_have_no_energy) {
  Sweep sweep;
  const auto cold = sweep.record("honest", Cache::cold);
  BOOST_TEST(has(energy_of(cold).absent, Cause::flushing_takes_energy));
}

BOOST_AUTO_TEST_CASE(a_place_without_a_meter_says_so) {
  Sweep sweep;
  const auto record = sweep.record("honest", Cache::hot, [](Metered& place) {
    place.broken = "no meter here";
  });
  BOOST_TEST(words(energy_of(record).absent) == "no meter here");
}

// The device would mostly wait for the next launch.
BOOST_AUTO_TEST_CASE(executions_that_are_too_short_have_a_time_but_no_energy) {
  Sweep sweep;
  const auto brief = sweep.record("honest", Cache::hot,
                                  [](Metered& place) { place.slower = 1.7; });
  BOOST_TEST(has(energy_of(brief).absent, Cause::slower_when_repeated));
  BOOST_TEST(brief.timed());
}

BOOST_AUTO_TEST_CASE(a_shared_meter_needs_a_quiet_machine) {
  Device device;
  Metered place(device);
  const auto absent = [&](const Detail& others) {
    return EnergyGauge(place, others, [] { return false; }).absent();
  };
  const Detail others{.cause = Cause::threads_of_others,
                      .arguments = {std::int64_t{3}}};
  BOOST_TEST(!absent(others));
  device.shared = true;
  BOOST_TEST(!absent({}));
  BOOST_TEST(has(absent(others), Cause::threads_of_others));
}

BOOST_AUTO_TEST_CASE(what_is_wrong_has_no_energy_and_no_time) {
  Sweep sweep;
  const auto record = sweep.record("lazy");
  BOOST_TEST(to_string(record.verdict) == "wrong_result");
  BOOST_TEST(has(record.detail, Cause::when_energy_was_measured));
  BOOST_TEST(!record.energy);
  BOOST_TEST(!record.timed());
}

BOOST_AUTO_TEST_CASE(what_is_thrown_when_energy_is_measured_is_a_verdict) {
  Sweep sweep;
  const auto record = sweep.record("throwing");
  BOOST_TEST(to_string(record.verdict) == "launch_failed");
  BOOST_TEST(words(record.detail) == "too many workspaces");
}

// Their times are complete and verified.
BOOST_AUTO_TEST_CASE(
    a_device_that_is_lost_costs_the_others_their_joules_alone) {
  Sweep sweep;
  auto plan = Sweep::plan_of("several");
  plan.variants.insert(plan.variants.begin(), &variant("throwing"));
  plan.tunables["which"] = {1, 2, 3, 4, 5};
  sweep.run(plan, [](Metered& place) { place.lost = true; });
  BOOST_TEST(sweep.collector.records.size() == 6u);
  BOOST_TEST(sweep.device.runs == 0);
  for (const auto& record : sweep.collector.records) {
    if (record.variant == "throwing") {
      BOOST_TEST(to_string(record.verdict) == "launch_failed");
      continue;
    }
    BOOST_TEST(record.timed());
    BOOST_TEST(has(energy_of(record).absent, Cause::device_lost));
  }
}

BOOST_AUTO_TEST_CASE(inputs_that_find_no_room_any_more_cost_joules_alone) {
  Sweep sweep;
  const auto record = sweep.record("honest", Cache::hot,
                                   [](Metered& place) { place.full = true; });
  BOOST_TEST(record.timed());
  BOOST_TEST(words(energy_of(record).absent) == "full");
}

// Ten minutes of a ladder: a variant's energy is stored before that of the
// others is measured, and these keep their times.
BOOST_AUTO_TEST_CASE(an_interrupt_loses_no_joules_but_those_under_way) {
  StoredSweep sweep;
  auto plan = Sweep::plan_of("several");
  plan.tunables["which"] = {1, 2, 3, 4, 5, 6};
  const auto stored = [&] {
    std::size_t all = 0, with_energy = 0;
    for (const auto& record : load_records(sweep.results).records) {
      ++all;
      with_energy += record.has_energy() ? 1 : 0;
    }
    return std::pair(all, with_energy);
  };
  // four of them, four runs each; then the first run of the fifth
  sweep.device.of_run = [&](int run) {
    if (run == 16) std::raise(SIGINT);
    return 1.0;
  };
  sweep.run(plan);
  BOOST_TEST((stored() == std::pair<std::size_t, std::size_t>(6, 4)));

  sweep.device.of_run = [](int) { return 1.0; };
  sweep.device.runs = 0;
  sweep.run(plan);
  BOOST_TEST(sweep.device.runs == 2 * 4);
  BOOST_TEST((stored() == std::pair<std::size_t, std::size_t>(8, 6)));
  BOOST_TEST(sweep.collector.records.size() == 6u);
  for (const auto& record : sweep.collector.records)
    known_energy_of(record);
}

// A few seconds before the first run, when everything else is complete.
BOOST_AUTO_TEST_CASE(an_interrupt_is_heard_while_the_device_rests) {
  StoredSweep sweep;
  sweep.device.rests = [&] {
    if (sweep.device.rested_s == 0) std::raise(SIGINT);
  };
  sweep.run(Sweep::plan_of("honest"));
  BOOST_TEST(sweep.device.rested_s < 1);
  BOOST_TEST(sweep.device.runs == 0);
  for (const auto& note : sweep.collector.notes)
    BOOST_TEST(!has(note, Cause::no_energy_of));
  const auto records = load_records(sweep.results).records;
  BOOST_TEST_REQUIRE(records.size() == 1u);
  BOOST_TEST(records[0].timed());
  BOOST_TEST(!records[0].energy);
}

BOOST_AUTO_TEST_CASE(what_waits_for_no_joules_is_stored_before_the_others) {
  StoredSweep sweep;
  std::string stored;
  sweep.device.rests = [&] {
    if (stored.empty()) stored = parlab::testing::content(sweep.results);
  };
  auto plan = Sweep::plan_of("honest");
  plan.variants.push_back(&variant("wrong"));
  sweep.run(plan);
  BOOST_TEST(contains(stored, "\"variant\":\"wrong\""));
  BOOST_TEST(load_records(sweep.results).records.size() == 2u);
}

BOOST_AUTO_TEST_CASE(what_energy_shows_to_be_wrong_is_so_in_all_cache_states) {
  StoredSweep sweep;
  auto plan = Sweep::plan_of("lazy");
  plan.caches = {Cache::cold, Cache::hot};
  sweep.run(plan);
  const auto records = load_records(sweep.results).records;
  BOOST_TEST(records.size() == 2u);
  for (const auto& record : records)
    BOOST_TEST(to_string(record.verdict) == "wrong_result");
}

BOOST_AUTO_TEST_SUITE_END()
