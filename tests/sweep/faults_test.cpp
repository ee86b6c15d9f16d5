// If something fails while a variant is timed, only that variant's verdict is
// lost, and the sweep goes on. The failures are planted in the host.
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <stdexcept>
#include <thread>
#include <tuple>

#include "again.hpp"
#include "core/startup.hpp"
#include "facts/cause.hpp"
#include "folder.hpp"
#include "on_host.hpp"
#include "places/places.hpp"
#include "record/store.hpp"
#include "reference/progress.hpp"
#include "support.hpp"
#include "sweep/phases.hpp"
#include "sweep/supervisor.hpp"
#include "text.hpp"

using namespace parlab;
using parlab::testing::contains;
using parlab::testing::for_worker;
using parlab::testing::has;
using parlab::testing::multiply;

namespace {

// Called before the host does the same; by default it does nothing.
struct Faults {
  std::function<void(const Call&)> checked = [](const Call&) {};
  std::function<void(const Call&)> sample = [](const Call&) {};
  std::function<void(const Call&)> transfers = [](const Call&) {};
  std::function<void()> ceilings = [] {};
  // the time that it reports for an execution
  std::function<std::optional<double>(const Call&)> seconds = {};
};

class Faulty final : public testing::OnHost {
 public:
  explicit Faulty(Faults& faults) : faults_(faults) {}

  Checked run_checked(const Call& call) override {
    faults_.checked(call);
    auto checked = OnHost::run_checked(call);
    checked.seconds = seconds_of(call).value_or(checked.seconds);
    return checked;
  }
  Batch sample(const Call& call, const BatchPlan& plan) override {
    faults_.sample(call);
    auto batch = OnHost::sample(call, plan);
    if (const auto seconds = seconds_of(call))
      batch.seconds.assign(batch.seconds.size(), *seconds);
    return batch;
  }
  std::optional<TransferTimes> transfers(const Call& call) override {
    faults_.transfers(call);
    return std::nullopt;
  }
  Ceilings ceilings(const WantedCeilings&) override {
    faults_.ceilings();
    return *testing::plan_for(
                "dmv", *Registry::instance().variants("dmv").front(), {3, 2})
                .host_ceilings;
  }

 private:
  std::optional<double> seconds_of(const Call& call) const {
    return faults_.seconds ? faults_.seconds(call) : std::nullopt;
  }

  Faults& faults_;
};

float kept = 0;  // what `first` adds to a result
const Register<Dmv, float> first(
    {.idea = "rows"},
    [](Host&, const Dmv::Args<float>& p, const Tunables&) {
      multiply(p);
      if (kept != 0) p.y[0] += kept;
    },
    "serial/faults/first.cpp", "");
const Register<Dmv, float> second(
    {.idea = "rows"},
    [](Host&, const Dmv::Args<float>& p, const Tunables&) { multiply(p); },
    "serial/faults/second.cpp", "");

Plan plan_of_both() {
  const auto& one = testing::variant_called("faults/serial/first");
  const auto& other = testing::variant_called("faults/serial/second");
  auto plan = testing::plan_for("dmv", one, {30, 20});
  plan.variants = {&one, &other};
  plan.iterations = 3;
  return plan;
}

// dmv, whose reference does what is planted before it makes inputs or an oracle
// and before it checks a result.
class Planted final : public Workload {
 public:
  std::function<void(InputKind)> fills = [](InputKind) {};
  std::function<void(InputKind)> knows = [](InputKind) {};
  std::function<void(InputKind)> checks = [](InputKind) {};
  std::function<void()> lists = [] {};

  std::string_view name() const override { return dmv_.name(); }
  std::string_view summary() const override { return dmv_.summary(); }
  std::vector<std::string_view> dimensions() const override {
    return dmv_.dimensions();
  }
  Size complete(const std::vector<std::int64_t>& typed) const override {
    return dmv_.complete(typed);
  }
  std::vector<Dtype> dtypes() const override { return dmv_.dtypes(); }
  Work work(const Size& size, Dtype dtype) const override {
    return dmv_.work(size, dtype);
  }
  std::vector<ArraySpec> arrays(const Size& size, Dtype dtype) const override {
    lists();
    return dmv_.arrays(size, dtype);
  }
  void fill(const Arrays& inputs, const Size& size, Dtype dtype,
            InputKind kind) const override {
    fills(kind);
    dmv_.fill(inputs, size, dtype, kind);
  }
  std::unique_ptr<Oracle> oracle(const Arrays& inputs, const Size& size,
                                 Dtype dtype, InputKind kind,
                                 Arithmetic arithmetic) const override {
    knows(kind);
    return std::make_unique<Checking>(
        *this, kind, dmv_.oracle(inputs, size, dtype, kind, arithmetic));
  }

 private:
  struct Checking final : Oracle {
    Checking(const Planted& from, InputKind of, std::unique_ptr<Oracle> its)
        : planted(from), kind(of), real(std::move(its)) {}
    std::optional<Mismatch> check(const Arrays& outputs) const override {
      planted.checks(kind);
      return real->check(outputs);
    }
    const Planted& planted;
    InputKind kind;
    std::unique_ptr<Oracle> real;
  };

  const Workload& dmv_ = *Registry::instance().workload("dmv");
};

struct Outcome {
  int status = 0;
  testing::Collector seen;
  const Record& of(const std::string& variant) const {
    for (const auto& record : seen.records) {
      if (record.variant == variant) return record;
    }
    throw std::logic_error("no record of " + variant);
  }
};

Outcome outcome(const Plan& plan, Faults& faults) {
  Place place;
  place.executor = std::make_unique<Faulty>(faults);
  Places places(std::move(place));
  Outcome outcome;
  outcome.status = run_sweep(plan, outcome.seen, places);
  return outcome;
}

// Sizes of 30, 40 and 50 rows under a supervisor, in a process of its own,
// which ends here.
[[noreturn]] void sweep_in_workers(const std::string& results, Faults faults,
                                   double point_limit_s = 10) {
  Supervisor supervisor;
  if (const auto status = supervisor.start()) _exit(*status);
  auto plan = plan_of_both();
  plan.sizes = {{30, 20}, {40, 20}, {50, 20}};
  plan.point_limit_s = point_limit_s;
  plan.results = results;
  Place place;
  place.executor = std::make_unique<Faulty>(faults);
  Places places(std::move(place));
  testing::Collector collector;
  const int status = run_sweep(plan, collector, places, supervisor);
  for (const auto& note : collector.notes)
    std::ofstream(results + ".notes", std::ios::app) << words(note) << "\n";
  _exit(status);
}

// The worker that reaches the second variant at 40 dies.
[[noreturn]] void supervised(const std::string& results, Faults faults = {},
                             double point_limit_s = 10) {
  faults.checked = [before = faults.checked](const Call& call) {
    before(call);
    if (call.size[0] == 40 && call.variant->name == "second") _exit(3);
  };
  sweep_in_workers(results, faults, point_limit_s);
}

int run_again(const std::string& test, const std::string& file) {
  return testing::run_again("faults/" + test, file);
}

auto throws_of_first(const char* what) {
  return [what](const Call& call) {
    if (call.variant->name == "first") throw std::length_error(what);
  };
}

}  // namespace

BOOST_AUTO_TEST_SUITE(faults)

// A hypervisor may charge a process with the time of others.
BOOST_AUTO_TEST_CASE(threads_beyond_those_asked_for_are_blamed_if_they_return) {
  const auto verdict_after = [](int suspected) {
    Faults faults;
    faults.sample = [left = suspected](const Call&) mutable {
      if (left-- <= 0) return;
      throw PointError(
          Verdict::implausible,
          Detail{.cause = Cause::threads_beyond,
                 .arguments = {std::int64_t{1}, quantity(1, Unit::second),
                               quantity(1, Unit::second)}});
    };
    const auto found = outcome(plan_of_both(), faults).of("first");
    BOOST_TEST(found.timed() == (suspected < 3));
    return to_string(found.verdict);
  };
  for (int i = 0; i < 10; ++i)  // chance decides which batches are judged
    BOOST_TEST(verdict_after(2) == "passed");
  BOOST_TEST(verdict_after(1000) == "implausible");
}

BOOST_AUTO_TEST_CASE(what_a_variant_throws_while_it_is_timed_is_its_verdict) {
  for (const bool sampled : {true, false}) {
    Faults faults;
    (sampled ? faults.sample : faults.transfers) =
        throws_of_first("vector::_M_default_append");
    const auto seen = outcome(plan_of_both(), faults);
    BOOST_TEST(seen.status == 1);
    BOOST_TEST(to_string(seen.of("first").verdict) == "launch_failed");
    BOOST_TEST(words(seen.of("first").detail) == "vector::_M_default_append");
    BOOST_TEST(seen.of("second").timed());
  }
}

// A square explains nothing if it failed with other inputs, or if the cause
// says what is wrong.
BOOST_AUTO_TEST_CASE(only_a_square_that_passed_hints_at_extents) {
  for (const auto& [cause, square_fails, hints] :
       {std::tuple{Cause::left_out, false, true},
        {Cause::left_out, true, false},
        {Cause::race_beside, false, false},
        {Cause::past_the_end, false, false},
        {Cause::input_written, false, false}}) {
    int at_square = 0;
    Faults faults;
    faults.checked = [&](const Call& call) {
      const bool square = call.size[0] == call.size[1];
      if (call.variant->name != "first") return;
      if (!square || (square_fails && ++at_square == 2))
        throw PointError(Verdict::wrong_result, Detail{.cause = cause});
    };
    auto plan = plan_of_both();
    plan.sizes = {{30, 30}, {30, 20}};
    const auto seen = outcome(plan, faults);
    const auto& all = seen.seen.records;
    const auto last =
        std::find_if(all.rbegin(), all.rend(), [](const Record& record) {
          return record.variant == "first" && record.size == Size{30, 20};
        });
    BOOST_REQUIRE((last != all.rend()));
    const Detail& why = last->detail;
    BOOST_TEST((why.cause == cause));
    BOOST_TEST(has(why, Cause::passed_at_square) == hints);
  }
}

// A variant that is wrong once, or with some inputs alone, keeps nothing.
BOOST_AUTO_TEST_CASE(only_what_stays_wrong_is_told_of_its_first_execution) {
  for (const auto& [wrong_from, right_again, hints] :
       {std::tuple{1, 9, false}, {2, 9, true}, {2, 3, false}}) {
    int executions = 0;
    Faults faults;
    faults.checked = [&](const Call& call) {
      if (call.variant->name != "first") return;
      ++executions;
      kept = executions >= wrong_from && executions < right_again ? 1000 : 0;
    };
    const auto seen = outcome(plan_of_both(), faults);
    kept = 0;
    const auto& record = seen.of("first");
    BOOST_TEST((record.verdict == Verdict::wrong_result));
    BOOST_TEST(has(record.detail, Cause::right_at_first) == hints);
    BOOST_TEST(seen.of("second").timed());
  }
}

BOOST_AUTO_TEST_CASE(a_reference_that_fails_is_charged_to_nobody) {
  const auto expect_unverified = [](Planted& planted, const char* why) {
    Faults faults;
    auto plan = plan_of_both();
    plan.workload = &planted;
    const auto seen = outcome(plan, faults);
    BOOST_TEST(seen.status == 1);
    for (const auto* variant : {"first", "second"}) {
      const auto& record = seen.of(variant);
      BOOST_TEST(to_string(record.verdict) == "unverified");
      BOOST_TEST(!record.timed());
      BOOST_TEST(contains(words(record.detail), "the reference failed"));
      BOOST_TEST(contains(words(record.detail), why));
    }
  };
  const auto on = [](InputKind fatal, int calls = 1) {
    return [=](InputKind kind) mutable {
      if (kind == fatal && --calls <= 0) throw std::length_error("no room");
    };
  };
  for (const auto kind : input_kinds) {
    Planted fills, knows, checks;
    fills.fills = on(kind);
    expect_unverified(fills, "no room");
    knows.knows = on(kind);
    expect_unverified(knows, "no room");
    checks.checks = on(kind);
    expect_unverified(checks, "no room");
  }
  // where the memory for the arrays is counted
  Planted listing;
  listing.lists = [] { throw std::length_error("no room"); };
  expect_unverified(listing, "no room");
  // after the samples: both were checked once on uniform inputs before
  Planted late;
  late.checks = on(InputKind::uniform, 3);
  expect_unverified(late, "no room");
  // Nothing is wrong with the plant itself.
  Planted sound;
  Faults faults;
  auto plan = plan_of_both();
  plan.workload = &sound;
  BOOST_TEST(outcome(plan, faults).status == 0);
}

// Both variants share the reference: it is not made for the second one again.
BOOST_AUTO_TEST_CASE(a_reference_without_end_is_given_up_once) {
  for (const auto kind : input_kinds) {
    Planted planted;
    int made = 0;
    planted.knows = [&](InputKind of) {
      if (of != kind) return;
      ++made;
      reference::each_row(0, 100'000, [](std::int64_t) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      });
    };
    Faults faults;
    auto plan = plan_of_both();
    plan.workload = &planted;
    plan.verify_limit_s = 0.3;
    const auto seen = outcome(plan, faults);
    BOOST_TEST(seen.status == 1);
    BOOST_TEST(made == 1);
    for (const auto* variant : {"first", "second"}) {
      const auto& record = seen.of(variant);
      BOOST_TEST(to_string(record.verdict) == "unverified");
      BOOST_TEST(contains(words(record.detail), "--verify-limit"));
    }
  }
}

// A variant cannot pass for a failed reference.
BOOST_AUTO_TEST_CASE(a_thrown_unverified_is_a_failure) {
  Faults faults;
  faults.checked = [](const Call& call) {
    if (call.variant->name == "first")
      throw PointError(Verdict::unverified,
                       Detail{.cause = Cause::reference_failed});
  };
  const auto seen = outcome(plan_of_both(), faults);
  BOOST_TEST(to_string(seen.of("first").verdict) == "launch_failed");
  BOOST_TEST(seen.of("second").timed());
}

// A time that beats its roof must not appear in a chart, even if nobody can
// tell whether the roof was right.
BOOST_AUTO_TEST_CASE(a_roof_that_cannot_be_measured_again_costs_no_record) {
  Faults faults;
  int asked = 0;
  faults.seconds = [](const Call&) { return 1e-12; };
  faults.ceilings = [&] {
    if (++asked > 1) throw PointError(Verdict::launch_failed, "no roofs today");
  };
  auto plan = plan_of_both();
  plan.host_ceilings.reset();  // given ceilings are not measured again
  const auto seen = outcome(plan, faults);
  BOOST_TEST(asked > 1);
  for (const auto* name : {"first", "second"}) {
    BOOST_TEST(to_string(seen.of(name).verdict) == "implausible");
    BOOST_TEST(has(seen.of(name).detail, Cause::beats_roof));
  }
  BOOST_TEST(
      (seen.seen.notes.back() == Detail{.cause = Cause::roof_not_measured,
                                        .further = {other("no roofs today")}}));
}

// The first size is already recorded. The worker that finds it has stored
// nothing when it dies, and the run that the next worker writes still has its
// roofs.
BOOST_AUTO_TEST_CASE(a_run_has_its_roofs_whichever_worker_writes_it) {
  if (const char* const file = std::getenv(for_worker)) supervised(file);
  const testing::Folder folder;
  auto plan = plan_of_both();
  plan.results = folder.path / "dmv.jsonl";
  Faults none;
  BOOST_TEST(outcome(plan, none).status == 0);
  BOOST_TEST(run_again("a_run_has_its_roofs_whichever_worker_writes_it",
                       plan.results) == 1);
  const auto loaded = load_records(plan.results);
  BOOST_TEST(loaded.records.size() == 6u);
  BOOST_TEST(loaded.runs.size() == 2u);
  for (const auto& [id, run] : loaded.runs)
    BOOST_TEST(!run.host.read.empty());
}

BOOST_AUTO_TEST_CASE(what_was_too_slow_is_so_to_the_next_worker) {
  if (const char* const file = std::getenv(for_worker)) {
    Faults faults;
    faults.seconds = [](const Call& call) {
      return call.variant->name == "first" ? std::optional(0.2) : std::nullopt;
    };
    supervised(file, faults, 0.1);
  }
  const testing::Folder folder;
  const auto file = (folder.path / "dmv.jsonl").string();
  BOOST_TEST(run_again("what_was_too_slow_is_so_to_the_next_worker", file) ==
             1);
  for (const auto& record : load_records(file).records) {
    if (record.variant != "first" || record.size[0] == 30) continue;
    BOOST_TEST(to_string(record.verdict) == "timed_out");
    BOOST_TEST((record.detail ==
                Detail{.cause = Cause::skipped,
                       .arguments = {"30x20", quantity(0.2, Unit::second),
                                     quantity(0.1, Unit::second)}}));
  }
}

BOOST_AUTO_TEST_CASE(what_was_endless_is_not_tried_by_the_next_worker) {
  if (const char* const file = std::getenv(for_worker)) {
    Faults faults;
    faults.checked = [](const Call& call) {
      if (call.variant->name == "first" && call.size[0] == 30)
        throw PointError(Verdict::timed_out, "not done after 60 s");
    };
    supervised(file, faults);
  }
  const testing::Folder folder;
  const auto file = (folder.path / "dmv.jsonl").string();
  BOOST_TEST(
      run_again("what_was_endless_is_not_tried_by_the_next_worker", file) == 1);
  for (const auto& record : load_records(file).records) {
    if (record.variant != "first") continue;
    BOOST_TEST(to_string(record.verdict) == "timed_out");
    BOOST_TEST(
        (record.detail == Detail{.cause = Cause::ended,
                                 .further = {other("not done after 60 s")}}));
  }
}

// The checks use three kinds of inputs before the timing and three after it.
// The first variant leaves something behind that makes the second fail in every
// possible way. In a process of its own the second passes and has its times.
BOOST_AUTO_TEST_CASE(what_fails_behind_another_variant_is_tried_alone) {
  const std::string self = "what_fails_behind_another_variant_is_tried_alone";
  if (const char* const file = std::getenv(for_worker)) {
    Faults faults;
    static int left = 0;
    faults.checked = [](const Call& call) {
      if (call.variant->name == "first") ++left;
      if (call.variant->name == "first" || left == 0) return;
      if (call.size[0] == 30) throw PointError(Verdict::out_of_memory, "full");
      if (call.size[0] == 40) _exit(3);
    };
    faults.sample = [](const Call& call) {
      if (call.variant->name == "second" && left > 0)
        throw std::runtime_error("no luck");
    };
    sweep_in_workers(file, faults);
  }
  const testing::Folder folder;
  const auto file = (folder.path / "dmv.jsonl").string();
  BOOST_TEST(run_again(self, file) == 0);
  const auto loaded = load_records(file);
  BOOST_TEST(loaded.records.size() == 6u);
  for (const auto& record : loaded.records)
    BOOST_TEST(record.timed(), testing::described(record));
  std::ifstream notes(file + ".notes");
  const std::string said{std::istreambuf_iterator<char>(notes), {}};
  BOOST_TEST(contains(said, "after faults/serial/first"));
}

// Three variants fail, each by itself: nothing is retried for ever.
BOOST_AUTO_TEST_CASE(what_fails_alone_is_charged) {
  if (const char* const file = std::getenv(for_worker)) {
    Faults faults;
    faults.checked = [](const Call& call) {
      if (call.variant->name == "second" && call.size[0] == 30) _exit(4);
      if (call.variant->name == "first" && call.size[0] == 40)
        throw PointError(Verdict::out_of_memory, "full");
      if (call.variant->name == "second" && call.size[0] == 50)
        throw std::runtime_error("no luck");
    };
    sweep_in_workers(file, faults);
  }
  const testing::Folder folder;
  const auto file = (folder.path / "dmv.jsonl").string();
  BOOST_TEST(run_again("what_fails_alone_is_charged", file) == 1);
  std::map<std::string, std::string> verdicts;
  for (const auto& record : load_records(file).records) {
    verdicts[record.variant + std::to_string(record.size[0])] =
        to_string(record.verdict);
  }
  const std::map<std::string, std::string> expected{
      {"first30", "passed"},  {"first40", "out_of_memory"},
      {"first50", "passed"},  {"second30", "launch_failed"},
      {"second40", "passed"}, {"second50", "launch_failed"}};
  BOOST_TEST((verdicts == expected));
}

BOOST_AUTO_TEST_CASE(what_is_timed_in_two_cache_states_is_verified_once) {
  Faults faults;
  int first = 0, second = 0;
  faults.checked = [&](const Call& call) {
    ++(call.variant->name == "first" ? first : second);
  };
  auto plan = plan_of_both();
  plan.caches = {Cache::cold, Cache::hot};
  plan.iterations = 3;
  BOOST_TEST(outcome(plan, faults).seen.records.size() == 4u);
  BOOST_TEST(first == 6);
  BOOST_TEST(second == 6);
}

BOOST_AUTO_TEST_CASE(what_was_recorded_as_endless_fails_the_sweep_again) {
  const testing::Folder folder;
  auto plan = plan_of_both();
  plan.results = folder.path / "dmv.jsonl";
  Faults faults;
  int tried = 0;
  faults.checked = [&](const Call& call) {
    if (call.variant->name != "first") return;
    ++tried;
    throw PointError(Verdict::timed_out, "not done after 60 s");
  };
  BOOST_TEST(outcome(plan, faults).status == 1);
  BOOST_TEST(outcome(plan, faults).status == 1);
  BOOST_TEST(tried == 1);
}

BOOST_AUTO_TEST_CASE(
    a_worker_has_its_status_where_ends_of_children_are_ignored) {
  if (std::getenv(for_worker) != nullptr) {
    std::signal(SIGCHLD, SIG_IGN);
    start_well();  // as main() does
    Supervisor supervisor;
    if (const auto status = supervisor.start()) _exit(*status);
    _exit(7);
  }
  BOOST_TEST(
      run_again("a_worker_has_its_status_where_ends_of_children_are_ignored",
                "no file") == 7);
}

BOOST_AUTO_TEST_SUITE_END()
