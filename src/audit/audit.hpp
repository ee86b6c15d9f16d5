// Records whose times nobody should quote, and why.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "record/record.hpp"

namespace parlab {

struct AuditRules {
  // How many times as long as its neighbours a point may take per unit of work.
  double most_over_neighbours = 2;
  // Neighbours have the same shape: their extents differ by one factor, within
  // this. The factor between their work is at most reach.
  double same_shape = 1.1, reach = 4;
  // Two runs that differ by less confirm each other.
  double same_time = 1.25;
  // The widest interval, as a share of the median to each side.
  double widest = 0.25;
};

struct Objection {
  std::size_t record = 0;  // which of Audit::records
  Detail why;              // Cause::source_gone ... too_wide
};

struct Audit {
  std::vector<Record> records;  // the latest()
  std::vector<Objection> objections;
};

// Holds rules against each of the latest records that has a time, in their
// order. records: oldest first; runs: by id. Against a record speak
// - a variant that is gone, or that was written anew since;
// - a command that asked for other backends;
// - a time below the roof;
// - a library on the CPU that is slower than a serial variant;
// - a time per unit of work above that of a neighbour of its own size, or of
//   neighbours on both sides, which one run alone has seen;
// - on the CPU other programs at work; an interval that says little.
Audit audit(const std::vector<Record>& records,
            const std::map<std::string, Run>& runs,
            const AuditRules& rules = {});

// The words behind "bin/parlab" that measure it again, as its tunables are.
std::vector<std::string> arguments_for(const Record& record);
// The command that measures it again, into the file that its run named:
// "bin/parlab dmv 4096x4096 --variant openmp/rows --dtype float ...".
std::string command_for(const Record& record, const Run& run);

}  // namespace parlab
