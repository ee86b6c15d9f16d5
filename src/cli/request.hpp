// What the user asked for, after command line and environment
// were read and checked.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/record_filter.hpp"
#include "cluster/shard.hpp"
#include "compare/compare.hpp"
#include "sweep/plan.hpp"

namespace parlab {

struct ImageRequest {
  std::string input, filter, output;
};

struct PageRequest {
  // results/MACHINE; of a page one, of an index any number
  std::vector<std::string> folders;
  std::string figures;  // plots/MACHINE
  std::string output;   // the file to write
};

struct DatabaseRequest {
  std::string records;  // a file of records
  // SQL that is run in it at the end: scripts/NAME/views.sql
  std::string views;
  std::string output;  // the SQLite file, written as a whole or not at all
};

struct GradeRequest {
  std::string path;                        // a file, or a folder of submissions
  std::vector<std::string> sizes, hidden;  // as typed
  std::string reference, output;
  std::string points = "full within 1.2x, linear to 0 at 10x";
  std::optional<std::uint64_t> seed;  // of the inputs; absent: one is drawn
  bool check = false;                 // one file: is it right?
  bool anonymous = false;
};

struct Request {
  enum class Action {
    run,
    usage,
    help,
    list,
    version,
    show,
    export_csv,
    claims,
    compare,
    merge,
    tune,
    page,
    index,
    machine,
    execute_once,
    serve,
    database,
    query,
    filter_image,
    grade
  };
  Action action = Action::run;
  Plan plan;  // what to measure; for usage and list its workload alone
  std::string program;  // as called, for the usage text: "dmv", "parlab dmv"
  std::string format = "table";  // table, csv, json, record, explain
  bool counters = false;         // run the profiler after the sweep
  bool kind = false;             // of machine: what it shares its name with
  bool in_process = false;       // no worker: for debuggers and profilers
  // print what there is to measure in place of measuring
  bool estimate = false;
  std::optional<Shard> shard;  // of the plan, or of what shards_of lists
  std::string shards_of;       // a file of groups; empty: the plan itself
  // record files or folders, for show, export, claims, and merge, the one
  // written to first; arguments of execute-once, which --counters starts under
  // the profiler; of query: database, SQL and what is bound in it
  std::vector<std::string> paths;
  RecordFilter filter;                       // of show and compare
  CompareRules rules;                        // of compare, which has two paths
  std::optional<double> fail_if_slower;      // of compare; 0.05: five per cent
  double budget_s = 60;                      // of tune
  bool measure = false, name_alone = false;  // of machine
  std::string tuned;                         // file of tune, and of best
  // tunables asked for as "best", and how
  std::map<std::string, std::string> best;
  PageRequest page;          // of page and index
  ImageRequest image;        // of filter_image; the plan then has one variant
  DatabaseRequest database;  // of database
  GradeRequest grade;        // of grade; its workload may follow from the files
  // show, compare, tune: what --help is about; empty: runs
  std::string command;
  // variants on the GPU were chosen by --kernel or --variant
  bool named = false;
  std::vector<std::string> warnings;  // one line each
};

// arguments: with the program's name first; called by the name of a
// workload it runs that one. Throws UsageError with one line: the option
// or variable, its value, what is allowed.
Request parse_request(const std::vector<std::string>& arguments,
                      const Environment& environment);

}  // namespace parlab
