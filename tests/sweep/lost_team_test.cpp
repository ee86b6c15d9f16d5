// A team whose GPUs fail between one call and the next: every point gets a
// verdict, the rest of the sweep goes on, and the user learns what to do. The
// failures are planted in an emulated team.
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "facts/cause.hpp"
#include "folder.hpp"
#include "places/places.hpp"
#include "places/presence.hpp"
#include "record/store.hpp"
#include "support.hpp"
#include "sweep/supervisor.hpp"
#include "text.hpp"

using namespace parlab;

namespace {

// The failures on a call to the team; by default there are none.
struct Faults {
  std::function<void(const Call&)> checked = [](const Call&) {};
  std::function<void()> transfers = [] {}, links = [] {}, recover = [] {};
  int executions = 0, samples = 0;
};

// An emulated team, which cannot be timed; with can_time the sweep requests
// samples from it nonetheless.
class FaultyTeam final : public Executor {
 public:
  FaultyTeam(Faults& faults, bool can_time)
      : faults_(faults), can_time_(can_time) {}

  void load(const Arrays& inputs,
            const std::vector<ArraySpec>& outputs) override {
    team_->load(inputs, outputs);
  }
  void release() override { team_->release(); }
  Checked run_checked(const Call& call) override {
    ++faults_.executions;
    faults_.checked(call);
    return team_->run_checked(call);
  }
  Batch sample(const Call&, const BatchPlan&) override {
    ++faults_.samples;
    throw PointError(Verdict::launch_failed, "it was not to be sampled");
  }
  std::optional<TransferTimes> transfers(const Call&) override {
    faults_.transfers();
    return std::nullopt;
  }
  bool recover() override {
    faults_.recover();
    return false;
  }
  bool can_time() const override { return can_time_; }
  int gpus() const override { return 2; }
  Ceilings ceilings(const WantedCeilings&) override { return {}; }
  std::map<std::string, double> links() override {
    faults_.links();
    return {};
  }

 private:
  Faults& faults_;
  bool can_time_;
  std::unique_ptr<Executor> team_ = make_executor(Target::team);
};

[[noreturn]] void fail(Verdict verdict, const char* what) {
  throw PointError(verdict, what);
}

Plan plan_of(const std::vector<std::string>& names) {
  std::vector<const Variant*> variants;
  for (const auto* variant : Registry::instance().variants("dmv")) {
    if (std::count(names.begin(), names.end(), variant->name) != 0)
      variants.push_back(variant);
  }
  BOOST_REQUIRE_EQUAL(variants.size(), names.size());
  auto plan = testing::plan_for("dmv", *variants.front(), {8, 9});
  plan.variants = variants;
  plan.sizes = {{8, 9}, {9, 8}};
  plan.tunables["gpus"] = {2};
  plan.device_ceilings = Ceilings{};
  return plan;
}

testing::Collector outcome(const Plan& plan, Faults& faults,
                           bool can_time = false) {
  Place place{Target::team};
  place.executor = std::make_unique<FaultyTeam>(faults, can_time);
  Places places(std::move(place));
  testing::Collector collector;
  run_sweep(plan, collector, places);
  return collector;
}

// The same under a supervisor. Writes a line for each record.
void supervised(const std::vector<std::string>& names, Faults& faults,
                const std::string& file) {
  Supervisor supervisor;
  if (supervisor.start()) return;
  const auto plan = plan_of(names);
  Place place{Target::team};
  place.executor = std::make_unique<FaultyTeam>(faults, false);
  Places places(std::move(place));
  testing::Collector collector;
  run_sweep(plan, collector, places, supervisor);
  std::ofstream out(file);
  for (const auto& record : collector.records) {
    out << record.variant << " " << to_string(record.verdict) << ": "
        << record.detail << "\n";
  }
  out.close();
  _exit(EXIT_SUCCESS);
}

auto says(const Record& record, const std::string& words) {
  return testing::contains(record.detail, words);
}

}  // namespace

// On machines with GPUs the team would be a real one.
BOOST_AUTO_TEST_SUITE(lost_teams, *boost::unit_test::precondition([](auto) {
                        return why_no_gpu().has_value();
                      }))

BOOST_AUTO_TEST_CASE(without_a_fault_all_pass) {
  Faults faults;
  for (const auto& record :
       outcome(plan_of({"split_rows", "split_columns"}), faults).records) {
    BOOST_TEST(to_string(record.verdict) == "passed", record.detail);
  }
}

BOOST_AUTO_TEST_CASE(
    a_lost_gpu_fails_the_rest_on_the_team_and_says_what_to_do) {
  Faults faults;
  faults.checked = [](const Call& call) {
    if (call.variant->name == "split_rows")
      fail(Verdict::launch_failed, "GPU 1 fell off the bus");
  };
  faults.recover = [] {
    fail(Verdict::launch_failed, "asking for device 1 after a failure");
  };
  const auto records =
      outcome(plan_of({"split_rows", "split_columns"}), faults).records;
  BOOST_REQUIRE_EQUAL(records.size(), 4U);  // each point has its verdict
  int failed = 0, no_device = 0;
  for (const auto& record : records) {
    if (record.verdict == Verdict::launch_failed) {
      ++failed;
      BOOST_TEST(says(record, "GPU 1 fell off the bus"));
    }
    if (record.verdict != Verdict::no_device) continue;
    ++no_device;
    BOOST_TEST(says(record, "asking for device 1 after a failure"));
    BOOST_TEST(says(record, "run the same command again"));
  }
  BOOST_TEST(failed == 1);
  BOOST_TEST(no_device >= 2);  // the other variant may have passed before
  BOOST_TEST(failed + no_device >= 3);
  BOOST_TEST(faults.executions <= 6);  // none on the lost team
}

// The test runs itself again, because a supervisor needs a process without
// threads.
BOOST_AUTO_TEST_CASE(a_gpu_that_is_lost_to_one_worker_is_found_by_the_next) {
  if (const char* const file = std::getenv("PARLAB_TEST_SUPERVISED")) {
    Faults faults;
    faults.checked = [](const Call& call) {
      if (call.variant->name == "split_rows")
        fail(Verdict::launch_failed, "an illegal address");
    };
    faults.recover = [] {
      fail(Verdict::launch_failed, "asking for device 0 after a failure");
    };
    supervised({"split_rows", "split_columns"}, faults, file);
    return;
  }
  const testing::Folder folder;
  const auto file = (folder.path / "records").string();
  const auto self = std::filesystem::read_symlink("/proc/self/exe").string();
  const auto command = "PARLAB_TEST_SUPERVISED='" + file + "' '" + self +
                       "' "
                       "--run_test=lost_teams/"
                       "a_gpu_that_is_lost_to_one_worker_is_found_by_the_next"
                       " >/dev/null";
  BOOST_TEST(std::system(command.c_str()) == 0);
  std::ifstream in(file);
  std::map<std::string, int> lines;
  for (std::string line; std::getline(in, line);)
    ++lines[line];
  BOOST_TEST(lines["split_rows launch_failed: an illegal address"] == 2);
  BOOST_TEST(lines["split_columns passed: "] == 2);
  BOOST_TEST(lines.size() == 2U);
}

// If no number of GPUs is requested: dmv of 8 x 9 is too small for two that
// must add up sums.
BOOST_AUTO_TEST_CASE(a_sweep_uses_one_gpu_where_two_do_not_pay) {
  Faults faults;
  auto plan = plan_of({"split_rows", "split_columns"});
  plan.tunables.erase("gpus");
  const auto found = outcome(plan, faults, true);
  BOOST_REQUIRE(!found.records.empty());
  for (const auto& record : found.records) {
    BOOST_TEST(record.tunables.at("gpus") ==
                   (record.variant == "split_columns" ? 1 : 2),
               record.full_name());
  }
  const auto notes = std::count_if(
      found.notes.begin(), found.notes.end(), [](const auto& note) {
        return note.cause == Cause::one_gpu_is_as_fast &&
               note.arguments.front() == Argument("dmv/cuda/split_columns");
      });
  BOOST_TEST(notes == 1);
}

BOOST_AUTO_TEST_CASE(
    a_failure_that_leaves_the_gpus_usable_fails_one_variant_alone) {
  Faults faults;
  faults.checked = [](const Call& call) {
    if (call.variant->name == "split_rows")
      fail(Verdict::launch_failed, "a collective failed");
  };
  for (const auto& record :
       outcome(plan_of({"split_rows", "split_columns"}), faults).records) {
    const auto expected =
        record.variant == "split_rows" ? "launch_failed" : "passed";
    BOOST_TEST(to_string(record.verdict) == expected,
               record.variant << ": " << record.detail);
  }
}

BOOST_AUTO_TEST_CASE(a_collective_that_does_not_return_is_waited_for_once) {
  Faults faults;
  int waited = 0;
  faults.checked = [&](const Call& call) {
    if (call.variant->name != "split_columns") return;
    ++waited;
    fail(Verdict::timed_out, "was not done 60 s after all GPUs could start");
  };
  const auto records =
      outcome(plan_of({"split_rows", "split_columns"}), faults).records;
  BOOST_REQUIRE_EQUAL(records.size(), 4U);
  for (const auto& record : records) {
    const bool late = record.variant == "split_columns";
    BOOST_TEST(to_string(record.verdict) == (late ? "timed_out" : "passed"),
               record.detail);
    if (late) BOOST_TEST(says(record, "was not done 60 s after"));
  }
  BOOST_TEST(waited == 1);
}

BOOST_AUTO_TEST_CASE(a_missing_library_is_no_failure_of_the_sweep) {
  Faults faults;
  faults.checked = [](const Call& call) {
    if (call.variant->name == "split_columns") {
      throw LibraryMissing("libnccl.so.2", "not found; install libnccl2");
    }
  };
  for (const auto& record :
       outcome(plan_of({"split_rows", "split_columns"}), faults).records) {
    const bool needs_it = record.variant == "split_columns";
    BOOST_TEST(to_string(record.verdict) ==
               (needs_it ? "not_supported" : "passed"));
    BOOST_TEST(record.library == (needs_it ? "libnccl.so.2" : ""));
    if (needs_it) BOOST_TEST(says(record, "install libnccl2"));
  }
}

// Copies are timed between verification and the first sample.
BOOST_AUTO_TEST_CASE(a_gpu_that_is_lost_while_copies_are_timed_ends_no_sweep) {
  Faults faults;
  faults.transfers = [] {
    fail(Verdict::launch_failed, "copying y from the devices");
  };
  faults.recover = [] {
    fail(Verdict::launch_failed, "asking for device 0 after a failure");
  };
  const auto records = outcome(plan_of({"split_rows"}), faults, true).records;
  BOOST_REQUIRE_EQUAL(records.size(), 2U);
  BOOST_TEST(to_string(records[0].verdict) == "launch_failed");
  BOOST_TEST(says(records[0], "copying y from the devices"));
  BOOST_TEST(to_string(records[1].verdict) == "no_device");
  BOOST_TEST(faults.samples == 0);
}

BOOST_AUTO_TEST_CASE(
    links_that_cannot_be_measured_are_noted_and_the_sweep_goes_on) {
  Faults faults;
  faults.links = [] { fail(Verdict::launch_failed, "ncclCommInitAll failed"); };
  Plan plan = plan_of({"split_rows"});
  plan.device_ceilings.reset();
  const auto seen = outcome(plan, faults, true);
  BOOST_REQUIRE_EQUAL(seen.records.size(), 2U);
  BOOST_TEST(faults.samples == 2);  // samples were requested at both sizes
  BOOST_TEST(std::count(seen.notes.begin(), seen.notes.end(),
                        Detail{.cause = Cause::links_not_measured,
                               .further = {other("ncclCommInitAll failed")}}) >
             0);
}

// The energy of a team is never measured.
BOOST_AUTO_TEST_CASE(a_team_is_not_measured_again_for_its_energy) {
  const testing::Folder folder;
  Faults faults;
  auto plan = plan_of({"split_rows"});
  plan.sizes.pop_back();
  auto recorded = outcome(plan, faults).records.at(0);
  const auto run = describe_run("test", gpus_present(), "");
  recorded.emulated = false;
  recorded.seconds = {1e-3, 1e-3, 1e-3};
  recorded.batches = {1, 1, 1};
  recorded.run = run.id;
  plan.results = folder.path / "dmv.jsonl";
  Store(plan.results, run).append(recorded);
  plan.energy = true;
  const auto again = outcome(plan, faults, true).records;
  BOOST_TEST(again.at(0).timed());
  BOOST_TEST(faults.samples == 0);
}

BOOST_AUTO_TEST_SUITE_END()
