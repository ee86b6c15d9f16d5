// Judges a class of submissions: right or wrong, fast or slow, and how many
// points.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/variant.hpp"
#include "core/workload.hpp"
#include "facts/document.hpp"
#include "grade/points.hpp"
#include "grade/remote_executor.hpp"
#include "grade/submission.hpp"
#include "record/record.hpp"

namespace parlab::grade {

struct Assignment {
  const Workload* workload = nullptr;
  Dtype dtype = Dtype::f32;
  bool dtype_of_file = false;  // no dtype was requested, and there is one file
  // public and hidden sizes; times are at the last of `sizes`
  std::vector<Size> sizes, hidden;
  // the user chose them: they are judged as they are
  bool sizes_asked = false, hidden_asked = false;
  std::uint64_t seed = 0;  // for the contents of inputs
  // its time earns all points; nullptr: there are no points
  const Variant* reference = nullptr;
  PointsRule points;
  Limits limits;
  bool gpu = false;  // a GPU is here to measure on
};

// Sizes that nobody can predict, rectangles if there are several extents:
// around one block, beyond 1024 elements, tall and wide beyond 65,535 if that
// is quick, odd and even, every second one with other parameters.
std::vector<Size> hidden_sizes(const Workload& workload, Dtype dtype,
                               std::uint64_t seed);
// The same for functions that have one n.
std::vector<Size> hidden_squares(const Workload& workload, Dtype dtype,
                                 std::uint64_t seed);
// The sizes for a variant: sizes that the user did not choose are rounded up to
// the multiples that it declares.
std::vector<Size> sizes_for(const Assignment& assignment,
                            const Variant& variant);

struct Grade {
  Submission submission = {};
  // over all sizes: that of the first that did not pass
  Verdict verdict = Verdict::unverified;
  Detail detail = {};     // and why; if it passed: why it has no time
  Size where = {};        // and at which size; empty: before any
  std::string idea = {};  // in the student's words
  // at the last public size, if it passed everywhere: the median one of its
  // processes
  std::optional<Record> timed = {};
  Uncertain mean = {};  // of the medians of its processes
  // an estimate for any process of it, not only for those that ran
  Uncertain time = {};
  // for a CUDA kernel that is right, at a public size; and its slow accesses,
  // the worst first, in words
  std::optional<Counted> counted = {};
  std::vector<Text> slow = {};
  std::optional<Ratio> to_reference = {};
  std::optional<double> of_roof = {};
  std::size_t rank = 0;  // from 1, with ties; 0: no time
  double points = 0;     // if there is a reference, or it did not pass

  bool passed() const { return verdict == Verdict::passed; }
  void judged(Verdict as, Detail why) {
    verdict = as;
    detail = std::move(why);
  }
};

struct Class {
  Assignment assignment;
  std::string machine;
  std::vector<Grade> grades;  // by student
  // our own rungs at the same point, including the reference
  std::vector<Record> ladder;
  std::optional<Record> reference;
  Uncertain reference_time;
  // not all were graded: the others are unverified
  bool interrupted = false;
  Detail why_untimed;  // if there is a reference, but no time of it
  // receives a sweep's notes about sizes
  std::function<void(const Detail&)> tells;

  bool timed() const { return reference.has_value(); }
};

// Runs each built submission in a process of its own, until Ctrl-C: judges them
// side by side, then, one after the other, has a GPU judge them and times them.
// says: one line about the next step, twice for each if there is a reference;
// tells: a note that a size takes long or is replaced; both must be safe to
// call from several threads. Throws PointError if the reference does not pass.
Class grade(const Assignment& assignment, std::vector<Submission> submissions,
            const std::string& command,
            const std::function<void(const std::string&)>& says,
            std::function<void(const Detail&)> tells);

// The next step, in a sentence or two: for a wrong submission the usual meaning
// of its cause, for a right one the next faster rung of the ladder.
Text advice(const Class& all, const Grade& grade);

// ---- report.cpp -------------------------------------------------------------

// Explains empty points on a machine without a GPU.
inline constexpr const char* without_times =
    "There is no GPU here, so nothing was timed. Passed is right at every "
    "size: "
    "its points and its rank wait for a time, on a machine with a GPU. A wrong "
    "kernel has 0 points, there and here.";

// The best rank first; then those that are right but have no time, then the
// others; among equals by student.
std::vector<const Grade*> by_rank(const Class& all);
// To a tenth of a point; empty if there are none.
Text points_of(const Class& all, const Grade& grade);
// Sectors that a warp's request moves; empty unless emulation counted them.
Text sectors_per_request(const Grade& grade);
// The class in the order of ranks, and facts about all.
Document class_report(const Class& all);
// All numbers, by student.
Table class_table(const Class& all);
// The verdict for a class of one, and the next step.
Document check_report(const Class& all);

}  // namespace parlab::grade
