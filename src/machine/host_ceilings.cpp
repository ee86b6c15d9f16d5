// One pinned thread per core works on its own part of one buffer. Several
// kernels compete for each roof (one or several streams, stores through or
// around the caches), because the fastest one depends on the machine and on the
// footprint.
#include "machine/host_ceilings.hpp"

#include <omp.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "core/clock.hpp"
#include "host/vectors.hpp"
#include "machine/memory.hpp"
#include "machine/pinning.hpp"
#include "machine/topology.hpp"

namespace parlab {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int registers = vector_bytes == 64 ? 32 : 16;
using Word = VectorOf<std::int64_t>::type;

// Keeps a value alive, or makes the compiler forget what it knows about memory,
// at no cost.
template <typename V>
void keep(V& value) {
#if defined(__x86_64__)
  asm volatile("" : "+v"(value));
#else
  asm volatile("" : "+w"(value));
#endif
}
void forget_memory() {
  asm volatile("" ::: "memory");
}

// ---- kernels: one pass over the part of one thread --------------------------

// A part is a multiple of this many bytes, so that no kernel has a remainder.
constexpr std::size_t grain = 1024;
constexpr int unroll = 8;

// Reads the part as `streams` parallel runs; more runs keep more pages in
// flight. Eight independent accumulators hide the latency of additions. ahead:
// prefetches lines so many bytes further on, because the hardware's own
// prefetching ends at a page.
template <int streams, std::size_t ahead = 0>
void read_pass(const unsigned char* part, unsigned char*, std::size_t bytes) {
  constexpr int each = unroll / streams;
  const std::size_t words = bytes / vector_bytes / streams;
  const auto* word = reinterpret_cast<const Word*>(part);
  Word sum[unroll] = {};
  for (std::size_t i = 0; i < words; i += each) {
    for (std::size_t line = 0;
         ahead > 0 && line < std::size_t{each} * vector_bytes; line += 64) {
      __builtin_prefetch(part + i * vector_bytes + line + ahead);
    }
    for (int s = 0; s < streams; ++s) {
      for (int j = 0; j < each; ++j)
        sum[s * each + j] |= word[s * words + i + j];
    }
  }
  Word all = sum[0];
  for (int j = 1; j < unroll; ++j)
    all |= sum[j];
  keep(all);
}

void copy_pass(const unsigned char* from, unsigned char* to,
               std::size_t bytes) {
  const auto* in = reinterpret_cast<const Word*>(from);
  auto* out = reinterpret_cast<Word*>(to);
  for (std::size_t i = 0; i < bytes / vector_bytes; i += unroll) {
    Word value[unroll];
    for (int j = 0; j < unroll; ++j) {
      value[j] = in[i + j];
      keep(value[j]);  // otherwise the compiler would call memcpy
    }
    for (int j = 0; j < unroll; ++j)
      out[i + j] = value[j];
  }
}

// Non-temporal stores do not need to read the overwritten line first.
void stream_pass(const unsigned char* from, unsigned char* to,
                 std::size_t bytes) {
#if defined(__AVX512F__)
  for (std::size_t i = 0; i < bytes; i += 64) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i),
                        _mm512_load_si512(from + i));
  }
  _mm_sfence();
#elif defined(__AVX__)
  for (std::size_t i = 0; i < bytes; i += 32) {
    _mm256_stream_si256(
        reinterpret_cast<__m256i*>(to + i),
        _mm256_load_si256(reinterpret_cast<const __m256i*>(from + i)));
  }
  _mm_sfence();
#else
  copy_pass(from, to, bytes);
#endif
}

// Performs repeats * (registers - 4) FMAs. Each waits only for the previous one
// in its own register.
template <typename T>
void fma_pass(std::int64_t repeats) {
  using Vector = typename VectorOf<T>::type;
  constexpr int chains = registers - 4;
  Vector value[chains] = {};
  Vector factor = Vector{} + T(0.5), addend = Vector{} + T(1);
  keep(factor);
  keep(addend);
  for (std::int64_t i = 0; i < repeats; ++i) {
#pragma GCC unroll 32
    for (int j = 0; j < chains; ++j) {
      // converges to 2 and avoids denormals
      value[j] = value[j] * factor + addend;
      keep(value[j]);
    }
  }
}

// ---- timing -----------------------------------------------------------------

// The OpenMP pool, one thread per core.
class Team {
 public:
  Team() {
#pragma omp parallel num_threads(physical_cores())
#pragma omp single
    size_ = static_cast<std::size_t>(omp_get_num_threads());
  }

  std::size_t size() const {
    return size_;
  }

  // Seconds from the first start to the last end of work(thread) over all
  // threads.
  template <typename F>
  double time(F work) const {
    auto first = Clock::time_point::max(), last = Clock::time_point::min();
#pragma omp parallel num_threads(static_cast <int>(size_))
    {
#pragma omp barrier
      const auto start = Clock::now();
      work(static_cast<std::size_t>(omp_get_thread_num()));
      const auto end = Clock::now();
#pragma omp critical
      {
        first = std::min(first, start);
        last = std::max(last, end);
      }
    }
    return std::chrono::duration<double>(last - first).count();
  }

 private:
  PinnedTeam pinned_{physical_cores()};
  std::size_t size_ = 1;
};

// One buffer in as many parts as there are threads. Each thread works at the
// front of its own part, which it touched first, so that the pages lie on its
// NUMA node.
class Buffer {
 public:
  Buffer(std::size_t bytes, const Team& team)
      : part_(2 * half_of(bytes / team.size())),
        bytes_(part_ * team.size()),
        data_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (data_ == MAP_FAILED) throw std::bad_alloc();
    madvise(data_, bytes_, MADV_HUGEPAGE);
    team.time([&](std::size_t thread) { std::memset(part(thread), 1, part_); });
  }
  ~Buffer() { munmap(data_, bytes_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  unsigned char* part(std::size_t thread) const {
    return static_cast<unsigned char*>(data_) + thread * part_;
  }
  static std::size_t round_up(std::size_t bytes) {
    return (bytes + grain - 1) / grain * grain;
  }
  // Twice this has room for the whole, rounded up.
  static std::size_t half_of(std::size_t bytes) {
    return round_up((bytes + 1) / 2);
  }

 private:
  std::size_t part_, bytes_;
  void* data_;
};

using Pass = void (*)(const unsigned char* from, unsigned char* to,
                      std::size_t bytes);

// A method of reading or copying. The fastest one depends on the machine and on
// the footprint.
struct Way {
  const char* name;
  Pass pass;
};
constexpr std::array read_ways{Way{"one stream", read_pass<1>},
                               Way{"four streams", read_pass<4>},
                               Way{"prefetching", read_pass<1, 2048>}};
constexpr std::array copy_ways{Way{"ordinary stores", copy_pass},
                               Way{"streaming stores", stream_pass}};

// One method at one footprint, timed repeatedly. A pass goes through one of the
// windows that the footprint is cut into, the next pass through the next.
class TimedWay {
 public:
  // stride: bytes of a thread's part from window to window.
  TimedWay(const Way& way, std::size_t bytes_of_thread, std::size_t stride,
           std::size_t windows)
      : way_(way),
        bytes_(bytes_of_thread),
        stride_(stride),
        windows_(windows) {}

  // The seconds of a pass.
  double run(const Team& team, const Buffer& buffer) {
    const auto passes = [&](std::size_t count) {
      const auto first = turn_;
      turn_ += count;
      return team.time([&](std::size_t thread) {
        for (auto i = first; i < first + count; ++i) {
          unsigned char* from = buffer.part(thread) + i % windows_ * stride_;
          way_.pass(from, from + bytes_, bytes_);
          forget_memory();
        }
      });
    };
    // Warm up after other methods. If the footprint fits the caches, no byte
    // may come from memory.
    passes(1);
    const double seconds = passes(repeats_) / static_cast<double>(repeats_);
    best_ = std::min(best_, seconds);
    // Long compared with the clock and the barrier, short compared with a
    // disturbance.
    constexpr double wanted = 0.0003;
    repeats_ =
        std::max<std::size_t>(1, static_cast<std::size_t>(wanted / best_));
    return seconds;
  }
  double best_seconds() const { return best_; }
  std::string name() const { return way_.name; }

 private:
  Way way_;
  std::size_t bytes_, stride_, windows_;
  std::size_t repeats_ = 1, turn_ = 0;
  double best_ = std::numeric_limits<double>::infinity();
};

// All methods at one footprint, which is rounded up to whole grains.
struct Footprint {
  Footprint(std::size_t bytes, const Team& team, std::size_t windows = 1)
      : part(Buffer::round_up(bytes / team.size() / windows)),
        half(Buffer::half_of(bytes / team.size() / windows)) {
    for (const auto& way : read_ways)
      reads.emplace_back(way, part, part, windows);
    for (const auto& way : copy_ways)
      copies.emplace_back(way, half, 2 * half, windows);
  }

  void run(const Team& team, const Buffer& buffer) {
    for (auto* ways : {&reads, &copies}) {
      for (auto& way : *ways)
        way.run(team, buffer);
    }
  }
  template <typename Ways>
  static auto& best(Ways& ways) {
    return *std::ranges::min_element(
        ways, {}, [](const TimedWay& one) { return one.best_seconds(); });
  }

  std::size_t part, half;  // bytes per thread in a pass: to read, or to copy
  std::vector<TimedWay> reads, copies;
};

template <typename T>
double measure_fma(const Team& team, double for_s) {
  constexpr std::size_t lanes = vector_bytes / sizeof(T);
  constexpr double flops = 2.0 * (registers - 4) * lanes;
  constexpr std::int64_t repeats = 20'000;
  double best = std::numeric_limits<double>::infinity();
  const auto start = Clock::now();
  for (int i = 0; i < 5 || seconds_since(start) < for_s; ++i) {
    best = std::min(best, team.time([](std::size_t) { fma_pass<T>(repeats); }));
  }
  return flops * repeats * static_cast<double>(team.size()) / best;
}

// Each thread copies at least a grain; smaller footprints would be rounded up
// to this one.
std::size_t smallest_footprint(const Team& team) {
  return std::bit_ceil(
      std::max(std::size_t{32} << 10, 2 * grain * team.size()));
}

// Four times the caches, at least 256 MiB and at most 1 GiB or a
// quarter of the free memory.
std::size_t largest_footprint(std::size_t smallest) {
  const auto quarter = static_cast<std::size_t>(free_memory_bytes() / 4);
  const std::size_t beyond_caches =
      std::clamp(4 * last_level_cache_bytes(), std::size_t{256} << 20,
                 std::size_t{1} << 30);
  std::size_t footprint = smallest;
  while (footprint < beyond_caches && footprint * 2 <= quarter)
    footprint *= 2;
  return footprint;
}

// Raises the wanted units to what `team` reaches now.
void measure_units(const Team& team, const WantedCeilings& wanted, double for_s,
                   Ceilings& ceilings) {
  const auto raise = [&](const std::string& unit, auto measure) {
    if (!wanted.unit(unit)) return;
    auto& rate = ceilings.units[unit];
    rate = std::max(rate, measure(team, for_s));
  };
  raise("fma float", measure_fma<float>);
  raise("fma double", measure_fma<double>);
}

}  // namespace

Ceilings measure_host_ceilings(const WantedCeilings& wanted) {
  const Team team;
  Ceilings ceilings;
  // Units are measured before and after memory, which takes seconds. A long
  // disturbance of a core then spoils only one of the two.
  const double fma_s = wanted.all() ? 0.05 : 0.005;
  measure_units(team, wanted, fma_s, ceilings);

  const std::size_t smallest = smallest_footprint(team),
                    capacity = largest_footprint(smallest);
  std::vector<std::size_t> sizes;
  for (std::size_t bytes = smallest; bytes <= capacity; bytes *= 2) {
    if (wanted.footprint(static_cast<double>(bytes))) sizes.push_back(bytes);
  }
  // A problem smaller than the smallest footprint is judged by that one, any
  // other by the largest, which stands for memory.
  if (sizes.empty()) {
    const bool smaller = wanted.most_bytes < static_cast<double>(smallest);
    sizes.push_back(smaller ? smallest : capacity);
  }
  const Buffer buffer(sizes.back(), team);
  std::vector<Footprint> footprints;
  for (const auto bytes : sizes)
    footprints.emplace_back(bytes, team);
  // Go through all footprints in rounds, so that a disturbance of some
  // milliseconds spoils no roof. Slow footprints get fewer rounds.
  const double enough_s =
      wanted.all() ? 2.5 : 0.012 * static_cast<double>(sizes.size());
  constexpr double long_s = 0.005;
  const auto start = Clock::now();
  for (int round = 0;
       round < (wanted.all() ? 3 : 1) || seconds_since(start) < enough_s;
       ++round) {
    for (auto& footprint : footprints) {
      if (round > 2 && Footprint::best(footprint.reads).best_seconds() > long_s)
        continue;
      footprint.run(team, buffer);
    }
  }
  const auto threads = static_cast<double>(team.size());
  for (const auto& footprint : footprints) {
    const auto &read = Footprint::best(footprint.reads),
               &copy = Footprint::best(footprint.copies);
    const double bytes = static_cast<double>(footprint.part) * threads;
    const double copied = 2 * static_cast<double>(footprint.half) * threads;
    ceilings.read.emplace_back(bytes, bytes / read.best_seconds());
    ceilings.copy.emplace_back(copied, copied / copy.best_seconds());
    ceilings.ways[curve_point("read", bytes)] = read.name();
    ceilings.ways[curve_point("copy", copied)] = copy.name();
  }
  measure_units(team, wanted, fma_s, ceilings);
  return ceilings;
}

struct CeilingPasses::Memory {
  // Has all methods compete at this footprint.
  void begin(double wanted_bytes, const Team& team) {
    constexpr std::size_t in_one_pass = 16 << 20, at_most = 256 << 20;
    const auto smallest = smallest_footprint(team);
    wanted = wanted_bytes;
    bytes = static_cast<std::size_t>(std::clamp(
        wanted, static_cast<double>(smallest),
        static_cast<double>(std::min(largest_footprint(smallest), at_most))));
    const auto windows = (bytes + in_one_pass - 1) / in_one_pass;
    footprint.emplace(bytes, team, windows);
    const auto needed = 2 * footprint->half * windows * team.size();
    if (needed > capacity) {
      buffer.reset();
      buffer.emplace(needed, team);
      capacity = needed;
    }
    for (int round = 0; round < 2; ++round)
      footprint->run(team, *buffer);
  }

  double wanted = 0;
  std::size_t bytes = 0, capacity = 0;
  std::optional<Footprint> footprint;
  std::optional<Buffer> buffer;
};

CeilingPasses::CeilingPasses() : memory_(std::make_unique<Memory>()) {}
CeilingPasses::~CeilingPasses() = default;

Ceilings CeilingPasses::take(const WantedCeilings& wanted) {
  constexpr double fma_s = 0.0005, long_s = 0.001;
  const Team team;
  Ceilings ceilings;
  measure_units(team, wanted, fma_s, ceilings);
  if (wanted.most_bytes > 0) {
    auto& memory = *memory_;
    if (memory.wanted != wanted.most_bytes)
      memory.begin(wanted.most_bytes, team);
    const auto best_of_three = [&](TimedWay& way) {
      double best = way.run(team, *memory.buffer);
      for (int i = 1; i < 3 && best < long_s; ++i)
        best = std::min(best, way.run(team, *memory.buffer));
      return best;
    };
    auto& footprint = *memory.footprint;
    const auto threads = static_cast<double>(team.size());
    const double read = static_cast<double>(footprint.part) * threads,
                 copied = 2 * static_cast<double>(footprint.half) * threads;
    const auto bytes = static_cast<double>(memory.bytes);
    ceilings.read = {
        {bytes, read / best_of_three(Footprint::best(footprint.reads))}};
    ceilings.copy = {
        {bytes, copied / best_of_three(Footprint::best(footprint.copies))}};
  }
  measure_units(team, wanted, fma_s, ceilings);
  return ceilings;
}

}  // namespace parlab
