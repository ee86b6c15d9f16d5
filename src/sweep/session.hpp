// A sweep carries from point to point: its run, earlier records, variants not
// to try again, and the roofs of the places in use.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

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
  // by key: measured before, as plan.resume says
  std::map<std::string, Record> elsewhere = {};
  // configuration -> why it takes no larger size
  std::map<std::string, Detail> too_slow = {};
  // variant -> why it is not tried again
  std::map<std::string, Detail> endless = {};
  // variant -> where it passed
  std::map<std::string, Size> right_at_square = {};
  std::size_t done = 0;  // measurements completed
  std::set<Size> passed_at = {}, also_tried = {};
  bool failed = false;
  bool too_large = false, no_device = false;  // for some of it
  bool ceilings_known = false;
  std::set<std::string> noted = {};  // what note_once() has said
  std::optional<CeilingsOfMachine> stored_ceilings = std::nullopt;
  // of those whose energy was asked for
  std::map<const Place*, EnergyGauge> gauges = {};

  void open_store();
  // Reads plan.resume, and the results when no store has them.
  void read_elsewhere();
  // As measured before, by the same command on this machine; nullptr: not yet.
  const Record* recorded(const Record& record) const;
  void lose(Place& place, const Detail& why);
  void note_once(const Detail& detail);
  void note_blas();  // what to do about the BLAS of the host, if anything
  // Counts a record and its verdict.
  void count(const Record& record);
  // An execution took this long: decides whether larger sizes are tried.
  void note_time(const std::string& configuration, const Size& size,
                 double seconds);
  // Later points skip a configuration that took no larger size, or a variant
  // that does not end.
  void learn(const Record& record);
  // Finds or measures the roofs of the places in use; at the first call only.
  void know_ceilings();
  // The energy gauge of the place, made on first use. If it cannot measure, a
  // note says why.
  EnergyGauge& gauge_of(Place& place, const Stop& stop);
  // Measures that part of them again; what was better before stays. Not
  // where the plan gave them.
  void raise_ceilings(Place& place, const WantedCeilings& wanted);

 private:
  void note_others_on(const GpuFacts& gpu);
  Ceilings ceilings_of(Place& place);
  std::map<std::string, double> links_of(Place& place);
  // with the records, when these have a folder of their own
  bool keeps_ceilings() const;
};

// Whether all extents are equal, so that a variant may take one
// for another and be right.
bool is_square(const Workload& workload, const Size& size);

// The same at every size: what one size showed holds for the larger
// ones, which come later.
std::string configuration(const std::string& variant,
                          const TunableValues& tunables, Dtype dtype);

}  // namespace parlab
