// Finds records whose times nobody should quote, and gives the reasons.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "record/record.hpp"

namespace parlab {

struct AuditRules {
  // Limit for a point's time per unit of work, as a multiple of its
  // neighbours'.
  double most_over_neighbours = 2;
  // Neighbours have the same shape: their extents differ by a common factor, up
  // to same_shape. The factor between their work is at most reach.
  double same_shape = 1.1, reach = 4;
  // Two runs that differ by a smaller factor confirm each other.
  double same_time = 1.25;
};

// Cause::too_wide if it is: see statistics.hpp.
Detail width_problem(const Summary& summary);

struct Objection {
  std::size_t record = 0;  // index in Audit::records
  Detail why;              // Cause::source_gone ... too_wide
};

struct Audit {
  std::vector<Record> records;  // the latest()
  std::vector<Objection> objections;
};

// Applies the rules to each of the latest records that has a time, in their
// order. records: oldest first. runs: by id. Reasons against a record are
// - a variant that no longer exists or was changed since;
// - a command that asked for other backends;
// - a time below the roof;
// - on the CPU, a roof slower than by the ceilings of another record of that
//   host, at the same point or by the same unit, by more than a tenth and the
//   error of that roof;
// - a library on the CPU that is slower than a serial variant;
// - a time per unit of work above that of a neighbour of its own size, or of
//   neighbours on both sides, which only one run has seen;
// - on the CPU, other programs at work; or an interval that is too wide.
Audit audit(const std::vector<Record>& records,
            const std::map<std::string, Run>& runs,
            const AuditRules& rules = {});

// Removes the records of the points that pages and figures do not show, and
// returns how many points these are. Points of changed sources stay, since they
// were right when measured, and so do those of busy hosts and with wide
// intervals, which a page marks. If only the ceiling is in doubt, the records
// stay without their roof.
std::size_t leave_out_rejected(std::vector<Record>& records,
                               const std::map<std::string, Run>& runs);

// The arguments of "bin/parlab" that measure the record again with its
// tunables.
std::vector<std::string> arguments_for(const Record& record);
// The command that measures the record again, into the file that it is in:
// "bin/parlab dmv 4096x4096 --variant openmp/rows --dtype float ...".
std::string command_for(const Record& record, const std::string& file);

}  // namespace parlab
