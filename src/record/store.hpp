// Append-only JSON Lines: runs and records, written as they are measured.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "record/record.hpp"

namespace parlab {

struct Loaded {
  std::map<std::string, Run> runs;  // by id
  // oldest_first(); of equal keys the last one counts
  std::vector<Record> records;
  // "results/x.jsonl:17: torn line, skipped"
  std::vector<std::string> warnings;
};

// Reads one file, or every one below a folder, packed or not: see packed.hpp.
// Lines that are torn or foreign, and records whose run is not there, are
// skipped with a warning.
// Throws UsageError when the path does not exist or cannot be read.
Loaded load_records(const std::filesystem::path& path);

// Records of several files in the order in which their runs began; of
// one run they keep theirs.
void oldest_first(std::vector<Record>& records,
                  const std::map<std::string, Run>& runs);

// The record files of a folder, and below it: regular ones, called x.jsonl or
// x.jsonl.zst, by the name x.jsonl. One that cannot be used is named
// in warnings.
enum class Depth { folder, below };
std::vector<std::filesystem::path> record_files(
    const std::filesystem::path& folder, Depth depth,
    std::vector<std::string>& warnings);

// A file that nobody is writing, and that nobody begins to write as
// long as this one lives.
class Finished {
 public:
  // Throws UsageError when it is not there or no regular file.
  explicit Finished(const std::filesystem::path& path);
  ~Finished();
  Finished(const Finished&) = delete;
  Finished& operator=(const Finished&) = delete;
  // False: somebody is writing it.
  explicit operator bool() const { return locked_; }

 private:
  int file_;
  bool locked_ = false;
};

// The last record of each identity and machine, oldest first: one made from
// an older source is stale once there is a newer one. Joules and counters are
// not measured each time: a record without them takes those of the newest
// one before it that has them and was made from the same source. One host at
// different times finds more or less of its memory in use by others: its
// records of a point on the CPU all get the best of their roofs, the shortest
// time. Of several hosts of one name one counts: see keep_to_main_hosts().
std::vector<Record> latest(std::vector<Record> records);
// Virtual machines made from one image share a name, and the times of their
// CPUs do not compare. Of the records on a CPU, oldest first, those of a
// workload and type are left that were made on the host which has most points
// of it, of equals the one with the latest; and where it has none of the same
// source, those of the others.
void keep_to_main_hosts(std::vector<Record>& records);

// What need not be measured again, by key: the last record of each
// identity, where the host of the run made it with the same compiler,
// flags, driver and CUDA, and it passed, is not_supported or timed_out.
// All other failures are tried anew, and so is what lacked a library
// that is there now. any_host: hosts of one machine's name stand for each
// other, as the nodes of a cluster do.
std::map<std::string, Record> settled(Loaded loaded, const Run& run,
                                      bool any_host);

// What a record takes from the run it belongs to.
void set_run(Record& record, const Run& run);

class Store {
 public:
  // Opens for appending, makes the folders; a torn last line is ended first,
  // so that what follows is readable. Throws UsageError naming the path when
  // it is no regular file, is packed, cannot be written or another process is
  // writing it. A run that the file holds already is not written again.
  Store(const std::filesystem::path& path, const Run& run);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // One write(2) and fdatasync: on disk when it returns. The run goes with
  // its first record. Throws std::system_error (disk full), the file then ends
  // as it did before, or std::runtime_error (the file is gone).
  void append(const Record& record);
  // Lines of other files, each with its newline, as they are.
  void append_lines(const std::string& lines);
  // Replaces what is known of the run (its ceilings, say); only
  // before the first append.
  void describe(const Run& run);
  // What is settled(), on this host, of the records that are there already.
  const std::map<std::string, Record>& done() const { return done_; }
  // The runs of the records that are there already, by id.
  const std::map<std::string, Run>& runs() const { return runs_; }
  // What was wrong with the lines that are there already.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  void end_torn_line();
  void write_whole(const std::string& text);

  std::filesystem::path path_;
  Run run_;
  int file_ = -1;
  bool run_written_ = false;
  std::map<std::string, Run> runs_;
  std::map<std::string, Record> done_;
  std::vector<std::string> warnings_;
};

}  // namespace parlab
