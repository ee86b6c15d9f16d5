// Advice to a student: by the cause of a verdict, or by the ladder.
#include "grade/grading.hpp"

namespace parlab::grade {
namespace {

constexpr const char* outside =
    "An index leaves its array: compare it with the extent before each "
    "access, and try a size that is no multiple of the block.";
constexpr const char* more_memory =
    "It asks for more memory than it was given.";
constexpr double clearly_faster = 1.05, low_occupancy = 0.4;

// For whoever wrote what ended so; nullptr: there is nothing to say.
const char* advice_on(Cause cause) {
  switch (cause) {
    case Cause::does_not_compile:
      return "The first error of the compiler is above; "
             "docs/adding-a-kernel.md has a file that compiles, to start from.";
    case Cause::defined_twice:
      return "It has a name that the program around it has as well, like "
             "main(): leave it out, or put it into the unnamed namespace.";
    case Cause::not_one_variant:
      return "A file says what it has by one `const Register<...> "
             "variant(...)` at its end, as docs/adding-a-kernel.md shows.";
    case Cause::cannot_launch:
      return "A grid without blocks comes of a number of elements that is "
             "rounded down where ceil_div() rounds it up; a block has at most "
             "1024 threads.";
    case Cause::race_in_block:
    case Cause::race_of_blocks:
    case Cause::race_of_launches:
    case Cause::race_of_streams:
    case Cause::race_beside:
    case Cause::race_of_moves:
      return "Two threads use one element and nothing orders them: a barrier "
             "between writing and reading, an atomic, or one writer per "
             "element.";
    case Cause::divergent_barrier:
    case Cause::grid_barrier_missed:
    case Cause::waits_for_ever:
      return "All threads of a block must reach the same barrier: keep it out "
             "of branches and loops that only some of them take, and return "
             "after it.";
    case Cause::before_the_start:
    case Cause::at_the_end:
    case Cause::past_the_end:
    case Cause::wrote_before_start:
    case Cause::wrote_past_end:
    case Cause::index_outside:
    case Cause::null_pointer:
    case Cause::crashed:
    case Cause::crashed_at:
      return outside;
    case Cause::host_memory_short:
    case Cause::device_memory_short:
    case Cause::no_host_memory:
    case Cause::emulation_memory_short:
    case Cause::took_too_much_memory:
      return more_memory;
    default:
      return nullptr;
  }
}

// The cause itself, or the first behind it that there is advice on.
const char* advice_on(const Detail& detail) {
  if (detail.cause == Cause::ended_by_signal &&
      std::get<std::string>(detail.arguments.at(1)) == "SEGV")
    return outside;
  if (const char* known = advice_on(detail.cause)) return known;
  for (const auto& more : detail.further) {
    if (const char* known = advice_on(more)) return known;
  }
  return nullptr;
}

Text advice_on_failure(const Grade& grade) {
  if (const char* known = advice_on(grade.detail)) return known;
  switch (grade.verdict) {
    case Verdict::timed_out:
      return "It does not end: look for a loop whose condition never changes, "
             "or a thread that waits for another which never comes.";
    case Verdict::out_of_memory:
      return more_memory;
    case Verdict::wrong_result:
      return "Try the size at which it is wrong by hand, and one smaller: is "
             "every element computed, once, and from all its terms? Sums of "
             "many numbers that are added in a narrower type lose what the "
             "bound does not allow.";
    default:
      return {};
  }
}

// The slowest rung that is faster than this time.
const Record* next_rung(const Class& all, double time) {
  const Record* next = nullptr;
  for (const auto& rung : all.ladder) {
    const double median = rung.summary().median;
    if (median * clearly_faster >= time) continue;
    if (next == nullptr || median > next->summary().median) next = &rung;
  }
  return next;
}

}  // namespace

Text advice(const Class& all, const Grade& grade) {
  if (!grade.passed()) return advice_on_failure(grade);
  if (!grade.timed) return "It is right at every size that was tried.";
  const Record* next = next_rung(all, grade.time.value);
  if (next == nullptr) return "Nothing on our ladder is faster.";
  const double gain = grade.time.value / next->summary().median;
  Text text = "The next rung that is faster is " + next->full_name() + ", ";
  text += Quantity{gain, Unit::factor};
  text += " as fast";
  for (const auto* variant : Registry::instance().variants(next->workload)) {
    if (variant->full_name() == next->full_name() && !variant->idea.empty())
      text += ": " + variant->idea;
  }
  text += ".";
  const auto& launch = grade.timed->launch;
  if (launch.spill_bytes > 0) {
    text += " Its registers spill ";
    text += std::int64_t{launch.spill_bytes};
    text += " bytes per thread to memory.";
  } else if (launch.occupancy > 0 && launch.occupancy < low_occupancy) {
    text += " Only ";
    text += Quantity{launch.occupancy, Unit::fraction};
    text += " of the warps fit at once, limited by " + launch.limited_by + ".";
  }
  return text;
}

}  // namespace parlab::grade
