// What to tell a student: by the words of a verdict, or by the ladder.
#include "core/numbers.hpp"
#include "grade/grading.hpp"

namespace parlab::grade {

std::string advice(const Class& all, const Grade& grade) {
  const auto says = [&](const char* part) {
    return grade.detail.find(part) != std::string::npos;
  };
  if (!grade.passed()) {
    if (says("does not compile")) {
      return "The first error of the compiler is above; "
             "docs/adding-a-kernel.md has a file that "
             "compiles, to start from.";
    }
    if (says("multiple definition")) {
      return "It has a name that the program around it has as well, like "
             "main(): leave it out, or "
             "put it into the unnamed namespace.";
    }
    if (says("Register<...>")) {
      return "A file says what it has by one `const Register<...> "
             "variant(...)` at its end, as "
             "docs/adding-a-kernel.md shows.";
    }
    if (says("cannot launch 0x")) {
      return "The grid has no blocks: the number of elements is rounded down "
             "where ceil_div() "
             "rounds it up.";
    }
    if (says("race")) {
      return "Two threads use one element and nothing orders them: a barrier "
             "between writing and "
             "reading, an atomic, or one writer per element.";
    }
    if (says("__syncthreads") || says("barrier")) {
      return "All threads of a block must reach the same barrier: keep it out "
             "of branches and "
             "loops that only some of them take, and return after it.";
    }
    if (says("outside") || says("past the end") || says("beyond") ||
        says("segmentation")) {
      return "An index leaves its array: compare it with the extent before "
             "each access, and try a "
             "size that is no multiple of the block.";
    }
    if (grade.verdict == Verdict::timed_out) {
      return "It does not end: look for a loop whose condition never changes, "
             "or a thread that "
             "waits for another which never comes.";
    }
    if (says("one extent"))
      return "It is right at squares only: rows and columns are swapped.";
    if (says("of memory") || grade.verdict == Verdict::out_of_memory) {
      return "It asks for more memory than it was given.";
    }
    if (grade.verdict == Verdict::wrong_result) {
      return "Try the size at which it is wrong by hand, and one smaller: is "
             "every element "
             "computed, once, and from all its terms? Sums of many numbers "
             "that are added in a "
             "narrower type lose what the bound does not allow.";
    }
    return "";
  }
  if (!grade.timed) return "It is right at every size that was tried.";
  const double own = grade.time.value;
  const Record* next = nullptr;
  for (const auto& rung : all.ladder) {
    const double time = rung.summary().median;
    if (time * 1.05 >= own) continue;
    if (next == nullptr || time > next->summary().median) next = &rung;
  }
  if (next == nullptr) return "Nothing on our ladder is faster.";
  std::string text = "The next rung that is faster is " + next->full_name() +
                     ", " + significant(own / next->summary().median, 3, 2) +
                     "x as fast";
  for (const auto* variant : Registry::instance().variants(next->workload)) {
    if (variant->full_name() == next->full_name() && !variant->idea.empty()) {
      text += ": " + variant->idea;
    }
  }
  text += ".";
  const auto& launch = grade.timed->launch;
  if (launch.spill_bytes > 0) {
    text += " Its registers spill " + std::to_string(launch.spill_bytes) +
            " bytes per thread to memory.";
  } else if (launch.occupancy > 0 && launch.occupancy < 0.4) {
    text += " Only " + percent(launch.occupancy) +
            " of the warps fit at once, limited by " + launch.limited_by + ".";
  }
  return text;
}

}  // namespace parlab::grade
