// What one machine measured, arranged for its page, and the choices
// a page makes among it.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/document.hpp"
#include "record/record.hpp"
#include "record/variant_of.hpp"

namespace parlab::page {

// A backend, with libraries told apart by where they run;
// in the order of tables.
enum class Side { serial, openmp, cpu_library, cuda, gpu_library };
// "serial", "OpenMP", "CPU library", "CUDA", "GPU library"
std::string_view to_string(Side side);
bool on_gpu(Side side);
Side side_of(const Record& record);
bool of_library(Side side);

// A record that passed and was timed, with its statistics made once.
struct Entry {
  Record record;
  Summary summary;
  Side side = Side::serial;
};
using Entries = std::vector<const Entry*>;

// A record file: the experiment it is named for, and the workloads in it.
struct Experiment {
  std::string name;
  std::vector<std::string> workloads;
};

// The tables of experiments, by their names.
using Tables = std::map<std::string, std::vector<Block>>;

struct Measured {
  std::string machine;    // as its runs name it
  std::string folder;     // the name of its folder, under results/ and plots/
  std::vector<Run> runs;  // oldest first
  std::vector<Record> records;  // all of them, for the claims
  // the latest of each point, caches hot, inputs uniform, passed, timed,
  // not emulated
  std::vector<Entry> entries;
  // such of variants whose arrays begin and end in the host's memory
  std::vector<Entry> from_host;
  // of the control points, which every device of a cluster measures
  std::vector<Record> control;
  // what emulation counted of each variant: see counts.hpp
  std::vector<Record> counted;
  // of these were left out, for the audit speaks against them
  std::size_t rejected = 0;
  std::vector<Record> failed;  // the latest of each point when it did not pass
  std::vector<Experiment> experiments;  // by name
  std::vector<std::string> warnings;

  bool has_gpu() const;
  // of the last run that had one; empty: none had
  std::string gpu() const;
  // The best that any run measured; nothing when none did.
  std::optional<Ceilings> device_ceilings() const;
  std::optional<Ceilings> host_ceilings() const;
  // by name, of entries and failures
  std::vector<std::string> workloads() const;
};

// Of the largest footprint, read or copied; bytes per second, 0: not measured.
double memory_bandwidth(const Ceilings& ceilings);
// What sets the roof of a record, by the ceilings of its own run: "a launch"
// of an empty kernel, "memory", caches included, or a unit; "" when it has no
// roof.
std::string limit_of(const Measured& measured, const Record& record);

// Every record file in the folder, results/MACHINE. The machine is the one
// its runs name, the folder's name when there are none. Throws UsageError
// when the folder cannot be read.
Measured load_machine(const std::filesystem::path& folder);
Measured arrange(std::vector<Run> runs, std::vector<Record> records);

// ---- choosing ---------------------------------------------------------------

Entries all(const Measured& measured);

template <typename Predicate>
Entries where(const Entries& entries, Predicate keep) {
  Entries some;
  for (const auto* entry : entries) {
    if (keep(*entry)) some.push_back(entry);
  }
  return some;
}
Entries of_workload(const Entries& entries, const std::string& workload);
Entries of_dtype(const Entries& entries, Dtype dtype);
Entries of_side(const Entries& entries, Side side);
Entries of_size(const Entries& entries, const Size& size);
Entries on_device(const Entries& entries, bool gpu);

// float, double, int; those there are
std::vector<Dtype> dtypes(const Entries& entries);
std::vector<Side> sides(const Entries& entries);
// by their bytes and flops, ascending
std::vector<Size> sizes(const Entries& entries);

// The dtype most sides have records of; of several the one with most records.
Dtype main_dtype(const Entries& entries);
// The largest size at which every side was measured; when there is none, the
// largest of those at which most were. Nothing when there are no entries.
std::optional<Size> largest_common_size(const Entries& entries);
// The size to show a ladder at: the largest at which nearly all of its
// variants were measured, with the usual parameters where it was.
std::optional<Size> ladder_size(const Entries& entries);

// How many of the numbers of its size are extents; what follows them
// are parameters (a radius).
std::size_t extents_of(const Record& record);
// That number of its size is a parameter, and what it is when nobody asks for
// another; all of its parameters are.
bool is_usual_parameter(const Record& record, std::size_t i);
bool usual_parameters(const Record& record);
// Those that have them; all when none has.
Entries of_usual_parameters(const Entries& entries);
// Those whose parameters are the ones of the largest common size: sizes
// that differ in extent alone.
Entries of_same_parameters(const Entries& entries);

// The entry with the lowest median, the first of equals;
// nullptr when there is none.
const Entry* best(const Entries& entries);
// Those that compute in the full precision of their dtype, and the best of
// them: only they are compared.
Entries peers(const Entries& entries);
const Entry* best_peer(const Entries& entries);
// Those of the same point whose samples do not show them
// to be faster or slower.
Entries ties(const Entries& entries, const Entry& with);
bool tied(const Entry& a, const Entry& b);

// How many GPUs share it; 1 of what is for one alone.
std::int64_t gpus_at_work(const Entry& entry);
bool of_team(const Entry& entry);
// Rounds its operands to TF32 or BF16.
bool reduced_arithmetic(const Record& record);
// Serial, OpenMP and CPU library, or CUDA and GPU library, rung by rung:
// the best of each variant, those of several GPUs last.
Entries ladder(const Entries& entries);

// How data travels: copies before and after the kernel, from and to
// ordinary memory of the host or pinned memory; or in pieces beside it,
// by variants that begin and end in host memory.
enum class Way { pageable, pinned, overlapped };
// Kernel and transfers to and from the device, seconds; nothing when a kernel
// on the GPU was measured without them, or does not go that way.
std::optional<double> seconds_with_transfers(const Entry& entry,
                                             Way way = Way::pageable);

}  // namespace parlab::page
