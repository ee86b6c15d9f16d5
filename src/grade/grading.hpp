// A class of submissions, judged: right or wrong, fast or
// slow, and how many points.
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
  bool dtype_of_file = false;  // nobody asked for one, and there is one file
  // in the hand-out, and not; times are of the last of sizes
  std::vector<Size> sizes, hidden;
  // by somebody: they are judged as they are
  bool sizes_asked = false, hidden_asked = false;
  std::uint64_t seed = 0;  // of what the inputs hold
  // whose time has all the points; absent: no points
  const Variant* reference = nullptr;
  PointsRule points;
  Limits limits;
  bool gpu = false;  // there is one to measure on
};

// Sizes that nobody can foresee, rectangles where there are several extents: of
// one block and beyond it, beyond 1024 elements, tall and wide beyond 65,535
// where that takes a moment, odd and even.
std::vector<Size> hidden_sizes(const Workload& workload, Dtype dtype,
                               std::uint64_t seed);
// The same for those who have one n.
std::vector<Size> hidden_squares(const Workload& workload, Dtype dtype,
                                 std::uint64_t seed);
// Those that a variant is judged at: what nobody asked for is rounded up to the
// multiples that it declares.
std::vector<Size> sizes_for(const Assignment& assignment,
                            const Variant& variant);

struct Grade {
  Submission submission = {};
  // of all sizes: the first that is not passed
  Verdict verdict = Verdict::unverified;
  Detail detail = {};     // and why; of one that passed: why it has no time
  Size where = {};        // and at which size; empty: before any
  std::string idea = {};  // what the student wrote
  // at the last public size, where it passed everywhere: of its
  // processes the one in the middle
  std::optional<Record> timed = {};
  Uncertain mean = {};  // of the medians of its processes
  // the same for any process of it, not only for those that ran
  Uncertain time = {};
  // of a CUDA kernel that is right, at a public size; and what is slow in it,
  // the worst first, in the words of whoever can say it
  std::optional<Counted> counted = {};
  std::vector<Text> slow = {};
  std::optional<Ratio> to_reference = {};
  std::optional<double> of_roof = {};
  std::size_t rank = 0;  // from 1, with ties; 0: no time
  double points = 0;     // where there is a reference, or it did not pass

  bool passed() const { return verdict == Verdict::passed; }
};

struct Class {
  Assignment assignment;
  std::string machine;
  std::vector<Grade> grades;  // by student
  // our own rungs at the same point, the reference among them
  std::vector<Record> ladder;
  std::optional<Record> reference;
  Uncertain reference_time;
  // before all were graded: the others are unverified
  bool interrupted = false;
  Detail why_untimed;  // where there is a reference, and no time of it
  // what a sweep says of its sizes
  std::function<void(const Detail&)> tells;

  bool timed() const { return reference.has_value(); }
};

// Runs each submission that was built in a process of its own, one after the
// other, until Ctrl-C. says: one line about what happens next; tells: of a size
// that takes long, or is replaced. Throws PointError when the reference does
// not pass.
Class grade(const Assignment& assignment, std::vector<Submission> submissions,
            const std::string& command,
            const std::function<void(const std::string&)>& says,
            std::function<void(const Detail&)> tells);

// What to do next, in a sentence or two: for a wrong one what its
// cause usually means, for a right one the rung of the ladder
// that is the next faster.
Text advice(const Class& all, const Grade& grade);

}  // namespace parlab::grade
