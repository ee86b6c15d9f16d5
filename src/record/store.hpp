// Append-only JSON Lines: runs and records, written as they are measured.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "record/record.hpp"

namespace parlab {

struct Loaded {
  std::map<std::string, Run> runs;    // by id
  std::vector<Record> records;        // in file order; of equal keys the last one counts
  std::vector<std::string> warnings;  // "results/x.jsonl:17: torn line, skipped"
};

// Reads one file, or every *.jsonl below a folder. Lines that are torn or foreign are skipped with
// a warning. Throws UsageError when the path does not exist or cannot be read.
Loaded load_records(const std::filesystem::path& path);

// The last record of each key, oldest first.
std::vector<Record> latest(std::vector<Record> records);

class Store {
 public:
  // Opens for appending, makes the folders; a torn last line is ended first, so that what follows
  // is readable. Throws UsageError naming the path when it cannot be written.
  Store(const std::filesystem::path& path, const Run& run);
  ~Store();
  // One write(2) and fsync: on disk when it returns. Throws std::system_error (disk full).
  void append(const Record& record);
  // Keys this machine has measured already.
  const std::set<std::string>& done() const { return done_; }

 private:
  std::filesystem::path path_;
  int file_ = -1;
  std::set<std::string> done_;
};

std::string to_json_line(const Record& record);
std::string to_json_line(const Run& run);

// Tidy CSV: one row a record, header first, '.' decimals, SI base units; one column a dimension
// (rows, cols) and a tunable (block, threads). For gnuplot, sqlite and spreadsheets.
void write_csv(std::ostream& out, const Loaded& loaded);

}  // namespace parlab
