#include "places/races/detector.hpp"

#include <backtrace.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <unordered_map>

#include "places/races.hpp"

namespace parlab::races {

thread_local Actor* self = nullptr;

namespace {

// More actors would make the clocks too long.
constexpr std::size_t most_actors = 2000;
// lets threads interleave even on few cores
constexpr unsigned accesses_between_turns = 64;

struct Access {
  std::size_t actor = 0;
  std::uint32_t time = 0;  // 0: none
  bool atomic = false;
  const void* where = nullptr;
};

// Accesses that may race with a later one. An atomic does not hide an earlier
// plain access, because other atomics may race with the plain access but not
// with the atomic.
struct Byte {
  Access plain_write{}, atomic_write{};
  std::vector<Access> reads{};
};

struct Found {
  const void* address;
  bool writes, wrote;
  const void *where, *where_before;
};

// State of all teams of the program; an outermost region starts anew.
struct State {
  std::atomic_flag taken{};
  std::atomic<bool> watching = false;
  std::size_t actors = 0;
  std::uint32_t executions = 0;
  int open_regions = 0;
  std::unordered_map<std::uintptr_t, Byte> bytes{};
  std::unordered_map<const volatile void*, Clock> released{};
  std::optional<Found> found{};
};
State& state() {
  static State all;
  return all;
}

// Set while this thread works for the detector. Its actions then, such as
// freeing memory, are not watched.
thread_local bool inside = false;

bool watched() {
  if (self == nullptr || inside || !state().watching) return false;
  // Orders between a thread of an earlier execution and those of this one may
  // have been missed.
  if (self->execution != state().executions) give_up();
  return state().watching;
}

// Admits one thread at a time. It uses no lock of the system, because those are
// watched.
class Alone {
 public:
  Alone() {
    while (state().taken.test_and_set(std::memory_order_acquire))
      sched_yield();
    inside = true;
  }
  ~Alone() {
    inside = false;
    state().taken.clear(std::memory_order_release);
  }
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;
};

Access access_of(const Actor& actor, bool atomic, const void* where) {
  return {actor.id, actor.clock.of(actor.id), atomic, where};
}

// Whether the other access is known to be over.
bool is_before(const Access& other, const Actor& actor) {
  return other.time == 0 || other.actor == actor.id ||
         other.time <= actor.clock.of(other.actor);
}

void look_at(Byte& byte, const void* address, bool writes, const Access& now) {
  const auto races = [&](const Access& other) {
    return !(other.atomic && now.atomic) && !is_before(other, *self);
  };
  const auto report = [&](const Access& other, bool wrote) {
    if (!state().found)
      state().found = {address, writes, wrote, now.where, other.where};
  };
  for (const Access& write : {byte.plain_write, byte.atomic_write}) {
    if (races(write)) report(write, true);
  }
  if (writes) {
    for (const auto& read : byte.reads) {
      if (races(read)) report(read, false);
    }
  }
  std::erase_if(byte.reads, [&](const Access& read) {
    return is_before(read, *self) && (read.atomic || !now.atomic);
  });
  if (!writes) {
    byte.reads.push_back(now);
  } else if (now.atomic) {
    byte.atomic_write = now;
  } else {
    byte = {.plain_write = now};
  }
}

Actor new_actor(const Clock& clock) {
  if (state().actors == most_actors) state().watching = false;
  Actor actor{
      .id = state().actors++, .execution = state().executions, .clock = clock};
  actor.clock.tick(actor.id);
  return actor;
}

// "line 12 of mine.cpp": the line of the innermost function there, inlined or
// not, that does not belong to a library.
std::string place_of(const void* where) {
  static backtrace_state* const symbols = backtrace_create_state(
      nullptr, 1, [](void*, const char*, int) {}, nullptr);
  std::string place;
  const auto look = [](void* to, std::uintptr_t, const char* file, int line,
                       const char*) {
    const std::string path = file == nullptr ? "" : file;
    if (path.empty() || path.starts_with("/usr/")) return 0;
    *static_cast<std::string*>(to) = "line " + std::to_string(line) + " of " +
                                     path.substr(path.rfind('/') + 1);
    return 1;
  };
  // the call itself, not its return address
  backtrace_pcinfo(
      symbols, reinterpret_cast<std::uintptr_t>(where) - 1, look,
      [](void*, const char*, int) {}, &place);
  return place.empty() ? "an unknown line" : place;
}

// The state of what ran before.
void forget_all() {
  state().actors = 0;
  state().bytes.clear();
  state().released.clear();
}

void begin() {
  self = nullptr;
  ++state().executions;
  state().found.reset();
  state().watching = true;
}

std::optional<ThreadRace> end() {
  state().watching = false;
  self = nullptr;
  if (!state().found) return std::nullopt;
  const auto& [address, writes, wrote, where, before] = *state().found;
  return ThreadRace{.address = address,
                    .does = writes ? "writes" : "reads",
                    .place = place_of(where),
                    .did = wrote ? "wrote" : "read",
                    .place_before = place_of(before)};
}

// Set before anything runs.
const RaceWatch watch{begin, end};
[[maybe_unused]] const bool known = (race_watch = &watch, true);

}  // namespace

void Clock::join(const Clock& other) {
  if (other.times_.size() > times_.size()) times_.resize(other.times_.size());
  for (std::size_t i = 0; i < other.times_.size(); ++i)
    times_[i] = std::max(times_[i], other.times_[i]);
}

void access(const void* address, std::size_t bytes, bool writes, bool atomic,
            const void* where) {
  if (!watched()) return;
  thread_local unsigned count = 0;
  if (++count % accesses_between_turns == 0) sched_yield();
  const Alone alone;
  const auto now = access_of(*self, atomic, where);
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  for (auto at = first; at < first + bytes; ++at)
    look_at(state().bytes[at], reinterpret_cast<const void*>(at), writes, now);
}

void forget(const void* address, std::size_t bytes) {
  if (!watched()) return;
  const Alone alone;
  auto& known = state().bytes;
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  if (bytes > known.size()) {
    std::erase_if(known, [&](const auto& byte) {
      return byte.first >= first && byte.first < first + bytes;
    });
    return;
  }
  for (auto at = first; at < first + bytes; ++at)
    known.erase(at);
}

void acquire(const volatile void* object) {
  if (!watched()) return;
  const Alone alone;
  self->clock.join(state().released[object]);
}

void release(const volatile void* object) {
  if (!watched()) return;
  const Alone alone;
  state().released[object].join(self->clock);
  self->clock.tick(self->id);
}

void acquire_at_fence(const volatile void* object) {
  if (!watched()) return;
  const Alone alone;
  self->loads.join(state().released[object]);
}

void fence() {
  if (!watched()) return;
  const Alone alone;
  self->clock.join(self->loads);
}

void open(Region& region) {
  const Alone alone;
  if (state().open_regions++ == 0 && self == nullptr) forget_all();
  if (self == nullptr) return;
  region.begin = self->clock;
  self->clock.tick(self->id);
}

void close(Region& region) {
  const Alone alone;
  --state().open_regions;
  if (self == nullptr) return;
  self->clock.join(region.end);
}

Actor enter(Region& region) {
  const Alone alone;
  auto actor = new_actor(region.begin);
  actor.region = &region;
  return actor;
}

void leave(Region& region, Actor& actor) {
  const Alone alone;
  region.end.join(actor.clock);
  region.end.join(actor.tasks);
}

void arrive() {
  if (self == nullptr || self->region == nullptr) return;
  const Alone alone;
  auto& barriers = self->region->barriers;
  if (barriers.size() == self->barriers) barriers.emplace_back();
  barriers[self->barriers].join(self->clock);
  barriers[self->barriers].join(self->tasks);
}

void go_on() {
  if (self == nullptr || self->region == nullptr) return;
  const Alone alone;
  self->clock.join(self->region->barriers[self->barriers++]);
  self->clock.tick(self->id);
}

Actor begin_task(bool after_its_siblings) {
  const Alone alone;
  auto before = self->clock;
  if (after_its_siblings) before.join(self->tasks);
  auto task = new_actor(before);
  task.region = nullptr;
  self->clock.tick(self->id);
  return task;
}

std::optional<Actor> begin_thread() {
  if (!state().watching) return std::nullopt;
  if (self == nullptr) {
    const Alone alone;
    if (state().open_regions > 0) return std::nullopt;  // OpenMP's library
    thread_local Actor own;
    forget_all();
    own = new_actor({});
    self = &own;
  } else if (self->region != nullptr) {
    give_up();
    return std::nullopt;
  }
  return begin_task(false);
}

void end_task(Actor& parent, Actor& task, bool is_waited_for) {
  const Alone alone;
  parent.tasks.join(task.clock);
  parent.tasks.join(task.tasks);
  if (is_waited_for) parent.clock.join(task.clock);
}

void wait_for_tasks() {
  if (self == nullptr) return;
  const Alone alone;
  self->clock.join(self->tasks);
}

void give_up() {
  state().watching = false;
}

}  // namespace parlab::races
