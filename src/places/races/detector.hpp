// Races by what happened before what: each thread of a team, and each task,
// has a clock of all others; what orders two of them, a barrier, a lock, an
// atomic, joins their clocks. Not the compiler's own detector: GCC's knows
// nothing of libgomp and takes its barriers for races, and clang's with Archer
// is a second compiler, which needs calls that a submission may not make.
// Two accesses to one byte of which one is a write
// are a race where neither knows of the other, whenever they took place.
#pragma once

#include <cstddef>
#include <cstdint>
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

// A thread of a team, or a task of one.
struct Actor {
  std::size_t id = 0;
  Clock clock{};
  Clock tasks{};  // that it has started, as they ended
  Clock loads{};  // what its relaxed loads have seen released
  struct Region* region = nullptr;
  std::size_t barriers = 0;  // of the region, passed
};

// The code between the braces of a parallel construct, while a team is in it.
struct Region {
  void (*code)(void*) = nullptr;
  void* data = nullptr;
  Clock begin{}, end{};
  std::vector<Clock> barriers{};  // of all threads, at each of them
};

// Of this thread; nullptr: outside of a team, or nobody watches.
extern thread_local Actor* self;

void access(const void* address, std::size_t bytes, bool writes, bool atomic,
            const void* where);
// Memory that is given back belongs to nobody.
void forget(const void* address, std::size_t bytes);

// What is before release() of an object is before what is behind acquire().
void acquire(const void* object);
void release(const void* object);
// Behind acquire() from the next fence on.
void acquire_at_fence(const void* object);
void fence();

// A team's way through a region: opened by who meets it, entered by each.
void open(Region& region);
void close(Region& region);
Actor enter(Region& region);
void leave(Region& region, Actor& actor);
void arrive();  // before a barrier
void go_on();   // behind it
Actor begin_task(bool after_its_siblings);
void end_task(Actor& parent, Actor& task, bool is_waited_for);
void wait_for_tasks();
// What this detector does not understand is in use: it says nothing more.
void give_up();

}  // namespace parlab::races
