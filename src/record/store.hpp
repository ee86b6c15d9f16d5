// Append-only JSON Lines: runs and records, written as they are measured.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/file.hpp"
#include "record/record.hpp"

namespace parlab {

struct Loaded {
  std::map<std::string, Run> runs;  // by id
  // by the id of a run: the file it was read from, x.jsonl
  std::map<std::string, std::filesystem::path> files;
  // oldest_first(); the last of equal keys counts
  std::vector<Record> records;
  // "results/x.jsonl:17: torn line, skipped"
  std::vector<std::string> warnings;

  void add(Loaded more);
};

// Reads one file, or every file below a folder, packed or not: see packed.hpp.
// Skips torn or foreign lines, and records without a run, with a warning.
// Throws UsageError when the path does not exist or cannot be read.
Loaded load_records(const std::filesystem::path& path);

// Sorts records of several files by the start of their runs. Records of one run
// keep their order.
void oldest_first(std::vector<Record>& records,
                  const std::map<std::string, Run>& runs);

// The record files in a folder, or also below it: regular files called x.jsonl
// or x.jsonl.zst, listed as x.jsonl. warnings names those that cannot be used.
enum class Depth { folder, below };
std::vector<std::filesystem::path> record_files(
    const std::filesystem::path& folder, Depth depth,
    std::vector<std::string>& warnings);

// A file that no other process writes. As long as this object lives, none can
// begin to.
class Finished {
 public:
  // Throws UsageError when the file does not exist or is not a regular one.
  explicit Finished(const std::filesystem::path& path);
  // False if another process is writing it.
  explicit operator bool() const { return locked_; }

 private:
  Descriptor file_;
  bool locked_ = false;
};

// The last record of each identity and machine, oldest first. A record made
// from an older source is stale once there is a newer one. Joules and counters
// are not measured each time. So a record without them takes them from the
// newest earlier record that has them and was made from the same source. A
// host's measured roofs vary with the memory that others use. So all its CPU
// records of a point get the best of their roofs, the shortest time, unless
// roofs were measured beside their samples. If several
// hosts share a name, one of them counts: see keep_to_main_hosts().
std::vector<Record> latest(std::vector<Record> records);
// Virtual machines made from one image share a name, but their CPU times are
// not comparable. For each workload and type this keeps the CPU records of the
// host with the most points; if there is a tie, of the host with the latest
// record. Records of other hosts stay only for points that the main host lacks
// with the same source. records must be sorted, oldest first.
void keep_to_main_hosts(std::vector<Record>& records);

// Configurations that need not be measured again, by key: the last record of
// each identity, if it passed or is not_supported or timed_out. It must have
// been made on the run's host with the same compiler, flags, driver and CUDA.
// All other failures are tried again, and so are records that lacked a library
// that is present now. any_host: hosts with the same machine name stand for
// each other, as the nodes of a cluster do.
std::map<std::string, Record> settled(Loaded loaded, const Run& run,
                                      bool any_host);

// Copies the fields that a record takes from its run.
void set_run(Record& record, const Run& run);

class Store {
 public:
  // Opens the file for appending and makes its folders. A torn last line is
  // ended first, so that later lines are readable. Throws UsageError naming the
  // path when the file is not a regular one, is packed, cannot be written, or
  // is being written by another process. A run that the file already holds is
  // not written again.
  Store(const std::filesystem::path& path, const Run& run);
  ~Store();

  // Uses one write(2) and fdatasync, so the record is on disk when this
  // returns. The run is written with its first record. Throws std::system_error
  // if the disk is full; the file then ends as before. Throws
  // std::runtime_error if the file is gone.
  void append(const Record& record);
  // Appends lines of other files unchanged, each with its newline.
  void append_lines(const std::string& text);
  // Replaces the facts about the run (its ceilings, for example). Only allowed
  // before the first append.
  void describe(const Run& run);
  // The records already in the file that are settled() on this host.
  const std::map<std::string, Record>& done() const { return done_; }
  // The runs of the records already in the file, by id.
  const std::map<std::string, Run>& runs() const { return runs_; }
  // Warnings about the lines already in the file.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  void end_torn_line();

  std::filesystem::path path_;
  Run run_;
  Descriptor file_;
  bool run_written_ = false;
  std::map<std::string, Run> runs_;
  std::map<std::string, Record> done_;
  std::vector<std::string> warnings_;
};

}  // namespace parlab
