// Advice to a student: by the cause of a verdict, or by the ladder.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "grade/grading.hpp"
#include "sweep/listing.hpp"

namespace parlab::grade {
namespace {

constexpr const char* more_memory =
    "It asks for more memory than it was given.";
constexpr const char* beyond =
    "An index leaves its array: compare it with the extent before each "
    "access, and try a size that is no multiple of the block.";
constexpr const char* inputs_stay =
    "Inputs must stay as they are: write to the output, or to "
    "gpu.scratch<T>(count).";
constexpr const char* other_terms =
    "Try a small size at which it is wrong by hand: is every "
    "element computed, once, and from all its terms?";
constexpr double clearly_faster = 1.05, low_occupancy = 0.4;

// A text for each cause and, where it matters, for the construct. If CUDA
// leaves the behaviour undefined, the text quotes the CUDA C++ Programming
// Guide.
struct Advice {
  Cause cause;
  const char* text;
};
constexpr Advice all_advice[] = {
    // ---- the file
    {Cause::does_not_compile,
     "The first error of the compiler is above; docs/how-to/adding-a-kernel.md "
     "has a "
     "file that compiles, to start from."},
    {Cause::members_out_of_order,
     "Write the members of the description in that order: C++ takes "
     "designators only as the struct declares them."},
    {Cause::launch_out_of_order,
     "Write the members of the launch in that order: C++ takes designators "
     "only as the struct declares them."},
    {Cause::unknown_member,
     "Take a name from the list; what a kernel leaves open stands in "
     ".tunables = {block_size(256)}."},
    {Cause::arguments_missing,
     "gpu.launch({.grid = ..., .block = ...}, kernel, ...) takes one argument "
     "for each parameter of the kernel, in their order."},
    {Cause::argument_of_other_type,
     "Give the kernel parameters of the types that the workload has "
     "(src/workloads/*.hpp): const T* for an input, T* for an output."},
    {Cause::launch_without_types,
     "Write gpu.launch(..., kernel<T>, ...): the types of a template are not "
     "deduced from a launch."},
    {Cause::callable_captures,
     "Begin it with [] and take what it needs from its parameters, p and "
     "tunables; other values are constants of the file."},
    {Cause::registration_wrong,
     "It needs #include \"workloads/WORKLOAD.hpp\", using namespace parlab, "
     "and at its end const Register<Workload, float> variant({...}, "
     "[]<typename T>(Gpu& gpu, const Workload::Args<T>& p, const Tunables& "
     "tunables) {...});"},
    {Cause::input_is_const,
     "Inputs are const: take them as const float* where they are only read."},
    {Cause::without_sync,
     "Write __shfl_down_sync(0xffffffff, value, by), and likewise for similar "
     "functions: since Volta the mask says which lanes take part."},
    {Cause::gpu_header_missing,
     "#include \"gpu/gpu.hpp\" comes before the kernel, and the file ends "
     "with .cu."},
    {Cause::only_on_gpu,
     "Grade it where there is a GPU; nobody loses points for it here."},
    {Cause::defined_twice,
     "It has a name that the program around it has as well, like main(): leave "
     "it out, or put it into the unnamed namespace."},
    {Cause::not_one_variant,
     "A file says what it has by one `const Register<...> variant(...)` at its "
     "end, as docs/how-to/adding-a-kernel.md shows."},
    // ---- launches
    {Cause::nothing_to_launch,
     "A grid has no blocks if a number of elements is rounded down where "
     "ceil_div() rounds up."},
    {Cause::cannot_launch,
     "A block has at most 1024 threads, and a grid at most 65535 blocks in y "
     "and in z: let x, which has 2147483647, go along what is long."},
    {Cause::shared_memory_short,
     "A block has at most that much shared memory: take smaller tiles."},
    {Cause::not_cooperative,
     "A grid barrier needs a cooperative launch: .cooperative = true, with "
     "resident_blocks() * multiprocessors() blocks at most."},
    {Cause::grid_not_resident,
     "With a grid barrier all blocks are resident at once: launch as many as "
     "fit, and let each take several parts in a loop."},
    // ---- order
    {Cause::race_of_threads,
     "Two threads use one word, and one of them writes: give each thread "
     "elements of its own, or use reduction(), atomic or critical of OpenMP, "
     "std::mutex or std::atomic of C++. collapse() shares out the inner loops, "
     "too. (OpenMP, Memory Model: accesses that nothing orders are a data "
     "race, and the result is unspecified.)"},
    {Cause::race_in_warp,
     "Lanes of a warp are not in step since Volta, and volatile orders nothing "
     "between them: __syncwarp() belongs between the write of one lane and the "
     "use by another, __syncthreads() where other warps share the element, "
     "too. (Programming Guide, Independent Thread Scheduling: code that relies "
     "on warps in step has to be given explicit synchronization.)"},
    {Cause::race_in_block,
     "Two threads use one element and nothing orders them: __syncthreads() "
     "between writing and reading, an atomic where they update it, or one "
     "writer per element. (Programming Guide, Synchronization Functions: "
     "hazards between threads that share memory are avoided by synchronizing "
     "in between.)"},
    {Cause::race_of_blocks,
     "Two blocks use one element and nothing orders them: an atomic, one "
     "writer per element, or a second launch for what needs the results of "
     "all. (Programming Guide, Thread Hierarchy: blocks must be able to run "
     "independently, in any order.)"},
    {Cause::race_of_updates,
     "Two threads write one element: an atomic where they add to it, "
     "atomicAdd(), copies of its own for each that are added up behind a "
     "barrier, or one writer per element. (Programming Guide, Atomic "
     "Functions: a read-modify-write that no other thread interferes with.)"},
    {Cause::race_of_launches,
     "A launch that overlaps begins before the one before it has ended: "
     "wait_for_launch_before() comes first in its kernel."},
    {Cause::race_of_streams,
     "Streams know nothing of each other: between the two belongs "
     "streams.wait() or, for streams of one's own, cudaEventRecord() on the "
     "first and cudaStreamWaitEvent() on the second."},
    {Cause::race_beside,
     "Code that runs beside transfers may not touch the data that they move: "
     "let one of them come first."},
    {Cause::race_of_moves,
     "Two moves of one exchange touch one element: take two exchanges."},
    {Cause::divergent_barrier,
     "All threads of a block must reach the same barrier, unless they have "
     "ended (a barrier of the grid waits for those, too): keep it out of "
     "branches and loops that only some of them take. "
     "(Programming Guide, Synchronization Functions: in conditional code a "
     "barrier is allowed only where the condition is the same for the whole "
     "block.)"},
    {Cause::grid_barrier_missed,
     "Every thread of every block must reach the grid's barrier: none may "
     "return before it. (Programming Guide, Grid Synchronization.)"},
    {Cause::waits_for_ever,
     "Fewer threads arrive at the barrier than it was initialised for, or an "
     "announced copy never came: count the threads that arrive in each phase."},
    {Cause::barrier_full,
     "More threads arrive at the barrier in one phase than it was initialised "
     "for: count them. (Programming Guide, Asynchronous Barrier: arrivals "
     "beyond the expected count of a phase are undefined.)"},
    {Cause::barrier_not_initialised,
     "One thread of each block initialises the barrier, and a __syncthreads() "
     "comes before its first use."},
    {Cause::lane_not_in_mask,
     "The mask of a warp's function names each lane that calls it: 0xffffffff "
     "where all do. (Programming Guide, Warp Shuffle Functions: each calling "
     "thread must have its own bit set in the mask.)"},
    {Cause::lane_absent,
     "All lanes that the mask names must take part, also those that have no "
     "element: let them carry 0. (Programming Guide, Warp Shuffle Functions: "
     "the value of a thread that does not participate is undefined.)"},
    // ---- memory
    {Cause::before_the_start,
     "An index is negative: compare it with 0 before the access, as at the "
     "upper and left border."},
    {Cause::at_the_end, beyond},
    {Cause::past_the_end, beyond},
    {Cause::wrote_before_start,
     "An index leaves its array: compare it with 0 before each access."},
    {Cause::wrote_past_end, beyond},
    {Cause::crashed_at, beyond},
    {Cause::index_outside,
     "A __shared__ or local array is smaller than the index: is it declared "
     "for another block size than that of the launch?"},
    {Cause::null_pointer,
     "A pointer was never set: an array of another layout has to be asked for, "
     ".inputs = {\"a_transposed\", \"x\"}, and memory of one's own allocated."},
    {Cause::host_memory,
     "A kernel cannot follow pointers to the host's variables or vectors: copy "
     "them to memory of the GPU, or pass the value itself."},
    {Cause::memory_of_before,
     "Memory from cudaMalloc() ends with the execution that allocates it: call "
     "cudaMalloc() in each, which costs no time after the first, and keep no "
     "pointer in a static variable."},
    {Cause::host_touches_device,
     "Arrays are in the GPU's memory, which the host cannot read or write: do "
     "it in a kernel, or with gpu.copy(), gpu.clear() or cudaMemcpy()."},
    {Cause::freed_memory,
     "Memory is used after cudaFree(): free it behind the last launch that "
     "needs it."},
    {Cause::frees_others,
     "Free once what cudaMalloc() returned, and nothing else: the arrays of "
     "the workload are not yours to free."},
    {Cause::copy_takes_for_host,
     "The arrays of the workload are in the GPU's memory already: copy between "
     "them with cudaMemcpyDeviceToDevice, or use them where they are."},
    {Cause::copy_takes_for_device,
     "The direction of the copy and its pointers do not fit: the order is "
     "cudaMemcpy(to, from, bytes, kind)."},
    {Cause::never_written,
     "Outputs and memory of one's own begin undefined: assign the first value "
     "in place of adding to it, or clear it before, gpu.clear()."},
    {Cause::never_written_in_block,
     "Shared memory begins undefined in every block: let each element be "
     "written before it is read, with 0 where a tile reaches beyond the "
     "matrix. A barrier, __syncthreads() or __syncwarp() within a warp, makes "
     "the words that another thread wrote visible."},
    {Cause::input_written, inputs_stay},
    {Cause::changed_input, inputs_stay},
    {Cause::scratch_not_zero,
     "zeroed_scratch() has to be left as it was found, for the next execution: "
     "let the last block set it back, or clear it before the launch."},
    {Cause::misaligned,
     "A float4 must lie at a multiple of 16 bytes, a float2 of 8: rows begin "
     "there only where their length is a multiple of 4 or 2, so read single "
     "elements elsewhere. (Programming Guide, Device Memory Accesses, Size and "
     "Alignment Requirement: reading words that are not naturally aligned "
     "gives wrong results.)"},
    {Cause::tile_misaligned,
     "Begin tiles of wmma at multiples of 32 bytes, and pad rows to multiples "
     "of 16 bytes. (Programming Guide, Warp Matrix Functions: the pointer must "
     "be 256-bit aligned, the stride a multiple of 8 halves or 4 floats.)"},
    {Cause::stack_overflow,
     "An array in a kernel is too large, or a function calls itself without "
     "end: shared memory or gpu.scratch<T>() hold more."},
    // ---- arithmetic, and a kernel's own messages
    {Cause::division_by_zero,
     "A divisor is 0: at which extent does it become "
     "so? Try the smallest sizes."},
    {Cause::shift_too_far,
     "A shift by 32 or more of an int is undefined: write 1ull << n."},
    {Cause::assertion_failed,
     "Its own assertion fails: print what it compares, and try the size by "
     "hand."},
    {Cause::host_memory_short, more_memory},
    {Cause::device_memory_short, more_memory},
    {Cause::no_host_memory, more_memory},
    {Cause::emulation_memory_short, more_memory},
    {Cause::took_too_much_memory, more_memory},
    // ---- results
    {Cause::left_out,
     "Does every element have a thread that writes it, also in the last, "
     "incomplete block? A sum that is added up in y[i] needs a 0 there first."},
    {Cause::not_a_number,
     "It was computed from a number that nobody set, or by a division by 0: "
     "outputs and scratch memory begin as NaN."},
    {Cause::not_kept,
     "An element that the workload leaves alone was written: compare the index "
     "with the border."},
};

// A small error comes from arithmetic; a large one means that something else
// was computed.
constexpr const char* narrow_sums =
    "It is nearly right: digits are lost in sums of many numbers that are "
    "added "
    "in a narrower type, or in another order than the bound allows, and in "
    "differences of large numbers that nearly cancel.";

// As large as the guards around arrays (verify/guard.hpp), or infinite.
constexpr const char* from_outside =
    "So large a number lies outside the arrays, or comes from a division by 0: "
    "does a loop take one element too many, or an index pass an end?";
constexpr double larger_than_inputs = 1e30;

const char* advice_on_element(const Detail& detail) {
  // {where, found, expected, ...}
  const auto number = [&](std::size_t i) {
    if (i >= detail.arguments.size()) return 0.0;
    const auto* const finite = std::get_if<Quantity>(&detail.arguments[i]);
    return finite == nullptr ? std::numeric_limits<double>::infinity()
                             : finite->value;
  };
  if (std::abs(number(1)) > larger_than_inputs &&
      std::abs(number(2)) < larger_than_inputs)
    return from_outside;
  // One whole term may be a small part of a sum.
  const double little = detail.cause == Cause::not_exact ? 1e-6 : 1e-2;
  const double off = std::abs(number(1) - number(2));
  return off > 0 && off < little * std::abs(number(2)) ? narrow_sums
                                                       : other_terms;
}

// If an access leaves shared memory, the construct tells how that was launched.
bool is_dynamic_shared(const Detail& detail) {
  return (detail.cause == Cause::at_the_end ||
          detail.cause == Cause::past_the_end) &&
         detail.arguments.size() > 3 &&
         detail.arguments[3] == Argument("dynamic shared memory");
}

// The advice on the cause itself, or on the first further cause that has some;
// nullptr: there is none.
const char* advice_on(const Detail& detail) {
  if (detail.cause == Cause::ended_by_signal &&
      std::get<std::string>(detail.arguments.at(1)) == "SEGV")
    return advice_on({.cause = Cause::past_the_end});
  const auto behind = [&](Cause cause) {
    return std::ranges::any_of(detail.further, [=](const Detail& more) {
      return more.cause == cause;
    });
  };
  if (is_wrong_value(detail.cause) && behind(Cause::passed_at_square)) {
    return "It is right at squares: rows and columns are taken for each other, "
           "or "
           "one n stands for both. If a course has only squares, grade with "
           "square --sizes and --hidden.";
  }
  if (is_wrong_value(detail.cause) &&
      behind(Cause::passed_with_other_parameters)) {
    return "It is right elsewhere: rows and columns are taken for each other, "
           "or a constant stands in place of a parameter.";
  }
  if (is_wrong_value(detail.cause) && behind(Cause::passed_at_parameters)) {
    return "It is right elsewhere: a constant stands in place of a parameter.";
  }
  if (is_wrong_value(detail.cause) && behind(Cause::right_at_first)) {
    return "Every execution begins anew: at its beginning, set what outlives "
           "it, such as static and __device__ variables.";
  }
  if (is_dynamic_shared(detail)) {
    return "The launch has less dynamic shared memory than the kernel uses: "
           ".shared_bytes is a number of bytes, count * sizeof(T).";
  }
  if (detail.cause == Cause::wrong_element || detail.cause == Cause::not_exact)
    return advice_on_element(detail);
  // The cause found in a compiler's message says more than that it failed.
  if (detail.cause == Cause::does_not_compile ||
      detail.cause == Cause::only_on_gpu) {
    for (const auto& more : detail.further) {
      if (const char* known = advice_on(more);
          known != nullptr && more.cause != Cause::does_not_compile)
        return known;
    }
  }
  const auto known =
      std::ranges::find(all_advice, detail.cause, &Advice::cause);
  if (known != std::end(all_advice)) return known->text;
  for (const auto& more : detail.further) {
    if (const char* found = advice_on(more)) return found;
  }
  return nullptr;
}

Text advice_on_failure(const Grade& grade) {
  if (const char* known = advice_on(grade.detail)) return known;
  switch (grade.verdict) {
    case Verdict::timed_out:
      return "It does not end: look for a loop whose condition never changes, "
             "or a thread that waits for another one in vain.";
    case Verdict::out_of_memory:
      return more_memory;
    case Verdict::wrong_result:
      return other_terms;
    default:
      return {};
  }
}

// The slowest rung among those faster than this time.
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
  const auto slow = grade.slow.empty()
                        ? Text()
                        : Text(" Look at ") + grade.slow.front() + ".";
  if (!grade.timed) return "It is right at every size that was tried." + slow;
  const Record* next = next_rung(all, grade.time.value);
  if (next == nullptr) return "Nothing on our ladder is faster." + slow;
  const double gain = grade.time.value / next->summary().median;
  Text text = "The next rung that is faster is " + next->full_name() + ", " +
              Quantity{gain, Unit::factor} + " as fast";
  for (const auto* variant : Registry::instance().variants(next->workload)) {
    if (variant->full_name() == next->full_name() && !variant->idea.empty())
      text += ": " + variant->idea;
  }
  text += ".";
  const auto& launch = grade.timed->launch;
  if (launch.spill_bytes > 0) {
    text += " Its registers spill " + Text(launch.spill_bytes) +
            " bytes per thread to memory.";
  } else if (launch.occupancy > 0 && launch.occupancy < low_occupancy) {
    text += " Only " + Text(Quantity{launch.occupancy, Unit::fraction}) +
            " of the warps fit at once, limited by " + launch.limited_by + ".";
  }
  return text + slow;
}

}  // namespace parlab::grade
