// The measurements of one machine, arranged for its page, and how a page
// chooses among them.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "facts/document.hpp"
#include "record/record.hpp"

namespace parlab::page {

// A backend, with libraries separated by where they run; in the order of
// tables.
PARLAB_ENUM(Side, "side", (serial, "serial"), (openmp, "OpenMP"),
            (cpu_library, "CPU library"), (cuda, "CUDA"),
            (gpu_library, "GPU library"))
bool on_gpu(Side side);
Side side_of(const Record& record);
bool of_library(Side side);

// A record that passed and was timed, with its precomputed statistics.
struct Entry {
  Record record;
  Summary summary;
  Side side = Side::serial;
};
using Entries = std::vector<const Entry*>;

// A record file: the experiment that names it, and the workloads in it.
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
  // the latest of each point: hot caches, uniform inputs, passed, timed, not
  // emulated
  std::vector<Entry> entries;
  // the same for variants whose arrays begin and end in the host's memory
  std::vector<Entry> from_host;
  // the control points that every device of a cluster measures
  std::vector<Record> control;
  // emulation's counts of each variant: see counts.hpp
  std::vector<Record> counted;
  // records left out because the audit rejects them
  std::size_t rejected = 0;
  std::vector<Record> failed;  // the latest of each point if it did not pass
  std::vector<Experiment> experiments;  // by name
  std::vector<std::string> warnings;

  bool has_gpu() const;
  // from the last run that had one; empty: none had
  std::string gpu() const;
  // The best that any run measured; nullopt if none did.
  std::optional<Ceilings> device_ceilings() const;
  std::optional<Ceilings> host_ceilings() const;
  // sorted, of entries and failures
  std::vector<std::string> workloads() const;
};

// limit_of() by the ceilings of the record's own run.
std::string limit_of(const Measured& measured, const Record& record);

// Reads every record file in the folder, results/MACHINE. Its runs name the
// machine; without runs the folder does. Throws UsageError if the folder cannot
// be read.
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
Entries without_libraries(const Entries& entries);

// float, double, int: the ones that occur
std::vector<Dtype> dtypes(const Entries& entries);
std::vector<Side> sides(const Entries& entries);
// by bytes and flops, ascending
std::vector<Size> sizes(const Entries& entries);

// The dtype that most sides have records of; among several the one with most
// records.
Dtype main_dtype(const Entries& entries);
// The size to show a ladder at: the largest at which nearly all its variants
// were measured, with the usual parameters if it was measured with those.
std::optional<Size> ladder_size(const Entries& entries);

// Whether all parameters of its size (a radius) have their defaults.
bool usual_parameters(const Record& record);
// The entries with the usual parameters; all entries if none has.
Entries of_usual_parameters(const Entries& entries);

// The entry with the lowest median, the first among equals; nullptr if there is
// none.
const Entry* best(const Entries& entries);
// The entries that compute in the full precision of their dtype, and the best
// of them: only these are compared.
Entries peers(const Entries& entries);
const Entry* best_peer(const Entries& entries);

// How many GPUs share it; 1 for a variant for one GPU.
std::int64_t gpus_at_work(const Entry& entry);
bool of_team(const Entry& entry);
// Whether it rounds its operands to TF32 or BF16.
bool reduced_arithmetic(const Record& record);
// Serial, OpenMP and CPU library, or CUDA and GPU library, rung by rung: the
// best of each variant, those for several GPUs last.
Entries ladder(const Entries& entries);

// How data travels: by copies before and after the kernel, from and to ordinary
// (pageable) or pinned host memory; or in pieces while it computes, by variants
// that begin and end in host memory.
enum class Way { pageable, pinned, overlapped };
// Time of the kernel and its transfers to and from the device, in seconds;
// nullopt if a kernel on the GPU was measured without transfers of this kind.
std::optional<double> seconds_with_transfers(const Entry& entry,
                                             Way way = Way::pageable);

}  // namespace parlab::page
