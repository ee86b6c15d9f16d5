// The state that a sweep carries from point to point: its run, earlier records,
// variants not to try again, and the roofs of the places in use.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "places/places.hpp"
#include "record/ceilings_file.hpp"
#include "record/store.hpp"
#include "sweep/energy.hpp"
#include "sweep/observer.hpp"
#include "sweep/plan.hpp"
#include "sweep/supervisor.hpp"

namespace parlab {

struct Session {
  const Plan& plan;
  Places& places;
  Observer& observer;
  Supervisor& supervisor;
  Run run;
  std::unique_ptr<Store> store = nullptr;
  // by key: records found through plan.resume
  std::map<std::string, Record> elsewhere = {};
  // configuration -> why it is not run at larger sizes
  std::map<std::string, Detail> too_slow = {};
  // variant -> why it is not tried again
  std::map<std::string, Detail> endless = {};
  // variant -> where it passed
  std::map<std::string, Size> right_at_square = {};
  std::set<std::string> right_at_rectangle = {};
  std::size_t done = 0;             // completed measurements
  std::size_t recorded_before = 0;  // those of them that other runs made
  std::set<Size> passed_at = {};
  bool failed = false;
  bool too_large = false, no_device = false;  // for some of the points
  bool ceilings_known = false;
  std::set<std::string> noted = {};  // notes already given by note_once()
  std::optional<CeilingsOfMachine> stored_ceilings = std::nullopt;
  // for places whose energy was asked for
  std::map<const Place*, EnergyGauge> gauges = {};

  void open_store();
  // Reads plan.resume, and the results if no store has read them.
  void read_elsewhere();
  // The record of an earlier measurement by the same command on this machine;
  // nullptr if there is none.
  const Record* recorded(const Record& record) const;
  void lose(Place& place, const Detail& why);
  void note_once(const Detail& detail);
  void note_blas();  // says what to do about the host's BLAS, if anything
  // Counts a record by its verdict.
  void count(const Record& record);
  // Notes the time of an execution, which decides whether larger sizes are
  // tried.
  void note_time(const std::string& configuration, const Size& size,
                 double seconds);
  // Remembers configurations that take no larger size, and variants that do not
  // end, so that later points skip them.
  void learn(const Record& record);
  // Finds or measures the roofs of the places in use, at the first call only.
  void know_ceilings();
  // The energy gauge of the place, made on first use. If it cannot measure, a
  // note says why.
  EnergyGauge& gauge_of(Place& place, const Stop& stop);
  // Measures the wanted ceilings again and keeps the better values. Does
  // nothing if the plan gave the ceilings.
  void raise_ceilings(Place& place, const WantedCeilings& wanted);

 private:
  void note_others_on(const GpuFacts& gpu);
  Ceilings ceilings_of(Place& place);
  std::map<std::string, double> links_of(Place& place);
  // whether ceilings are stored with the records, which have a folder of their
  // own
  bool keeps_ceilings() const;
};

// Whether all extents are equal; then a variant could confuse them and still be
// right.
bool is_square(const Workload& workload, const Size& size);

// The same name at every size, so that findings at one size apply to the larger
// ones that follow.
std::string configuration(const std::string& variant,
                          const TunableValues& tunables, Dtype dtype);

}  // namespace parlab
