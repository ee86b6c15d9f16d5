// Detects races by the happens-before order. Each thread of a team, and each
// task, has a clock with one entry for each of the others. A barrier, a lock or
// an atomic that orders two of them joins their clocks. Two accesses to one
// byte, at least one of them a write, are a race if neither knows of the other,
// whenever they took place. The compilers' own detectors do not fit: GCC's
// knows nothing of libgomp and reports its barriers as races, and clang's with
// Archer would need a second compiler and calls that a submission may not make.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace parlab::races {

class Clock {
 public:
  std::uint32_t of(std::size_t actor) const {
    return actor < times_.size() ? times_[actor] : 0;
  }
  void tick(std::size_t actor) {
    if (actor >= times_.size()) times_.resize(actor + 1);
    ++times_[actor];
  }
  void join(const Clock& other);

 private:
  std::vector<std::uint32_t> times_;
};

// A thread of a team, a task of one, a thread of the program's own, or the
// thread that has started one.
struct Actor {
  std::size_t id = 0;
  std::uint32_t execution = 0;  // in which it began
  Clock clock{};
  Clock tasks{};                    // tasks that it has started, as they ended
  Clock loads{};                    // what its relaxed loads have seen released
  struct Region* region = nullptr;  // of a thread of a team
  std::size_t barriers = 0;         // barriers of the region that it has passed
};

// A parallel region, while a team executes it.
struct Region {
  void (*code)(void*) = nullptr;
  void* data = nullptr;
  Clock begin{}, end{};
  std::vector<Clock> barriers{};  // of all threads, at each barrier
};

// The actor of this thread; nullptr if it has none or nothing is watched.
extern thread_local Actor* self;

void access(const void* address, std::size_t bytes, bool writes, bool atomic,
            const void* where);
// Freed memory belongs to no thread.
void forget(const void* address, std::size_t bytes);

// Everything before a release() of an object happens before everything after an
// acquire() of it.
void acquire(const volatile void* object);
void release(const volatile void* object);
// Like acquire(), from the next fence on.
void acquire_at_fence(const volatile void* object);
void fence();

// A team's way through a region: the thread that meets it opens it, and each
// thread enters it.
void open(Region& region);
void close(Region& region);
Actor enter(Region& region);
void leave(Region& region, Actor& actor);
void arrive();  // before a barrier
void go_on();   // after it
Actor begin_task(bool after_its_siblings);
// A thread that the calling thread is about to start; nothing if nothing is
// watched or the library of OpenMP starts it.
std::optional<Actor> begin_thread();
void end_task(Actor& parent, Actor& task, bool is_waited_for);
void wait_for_tasks();
// The program uses something that this detector does not understand, so it
// reports nothing more.
void give_up();

}  // namespace parlab::races
