// Emulation's counts of memory requests.
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <sstream>
#include <tuple>

#include "core/text.hpp"
#include "counters/emulated.hpp"
#include "places/emulation/memory_rules.hpp"
#include "places/emulation/slow.hpp"
#include "places/emulation/warp_counts.hpp"
#include "render/formats.hpp"
#include "render/words.hpp"
#include "text.hpp"

using namespace parlab;
using namespace parlab::emulation;
using parlab::testing::contains;

namespace {

// The lanes of a warp at the offsets that a function of the lane gives.
template <typename F>
WarpAccess access_of(std::int64_t bytes, F offset, std::uint32_t lanes = ~0u) {
  WarpAccess access{.lanes = lanes, .offset = {}, .bytes = bytes};
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    access.offset[lane] = static_cast<std::uint32_t>(offset(lane));
  return access;
}

Counted counts_of(const planted::Case& one) {
  const auto machine = std::make_shared<EmulatedMachine>(1);
  machine->counts = std::make_unique<SharedCounts>();
  EmulatedGpu gpu(machine);
  planted::run(gpu, one);
  const auto shape = gpu.launch_shape();
  return {.lines = (*machine->counts)->lines(),
          .launches = shape.launches,
          .blocks = shape.grid[0],
          .threads_per_block = shape.block[0]};
}

std::vector<std::string> sentences_of(const Counted& counted) {
  std::vector<std::string> all;
  for (const auto& one : diagnoses(counted))
    all.push_back(words(one));
  return all;
}

// The text of a line of the planted kernels.
std::string source_line(unsigned number) {
  std::ifstream in("tests/places/emulation/slow.cu");
  std::string line;
  for (unsigned i = 0; i < number; ++i)
    std::getline(in, line);
  return line;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(counts)

BOOST_AUTO_TEST_CASE(sectors_of_a_warp) {
  const auto of = [](std::int64_t bytes, auto offset) {
    return Sectors(access_of(bytes, offset)).count();
  };
  BOOST_TEST(of(4, [](auto lane) { return 4 * lane; }) == 4);
  BOOST_TEST(of(4, [](auto lane) { return 4 * lane + 4; }) == 5);
  BOOST_TEST(of(4, [](auto lane) { return 4 * (31 - lane); }) == 4);
  BOOST_TEST(of(4, [](auto lane) { return 4 * (lane * 7 % 32); }) == 4);
  BOOST_TEST(of(4, [](auto) { return 64; }) == 1);
  BOOST_TEST(of(4, [](auto lane) { return 32 * lane; }) == 32);
  BOOST_TEST(of(8, [](auto lane) { return 8 * lane; }) == 8);
  BOOST_TEST(of(16, [](auto lane) { return 16 * lane; }) == 16);
  BOOST_TEST(of(1, [](auto lane) { return lane; }) == 1);
  // an access across the end of a sector
  BOOST_TEST(of(8, [](auto lane) { return 1024 * lane + 28; }) == 64);
  const auto half = access_of(
      4, [](auto lane) { return 4 * lane; }, 0xffff);
  BOOST_TEST(Sectors(half).count() == 2);
  BOOST_TEST(fewest_sectors(half) == 2);
  BOOST_TEST(fewest_sectors(access_of(4, [](auto) { return 64; })) == 1);
  BOOST_TEST(
      fewest_sectors(access_of(8, [](auto lane) { return 99 * lane; })) == 8);
}

BOOST_AUTO_TEST_CASE(wavefronts_of_a_warp) {
  const auto of = [](std::int64_t bytes, auto offset) {
    return wavefronts(access_of(bytes, offset), true);
  };
  BOOST_TEST(of(4, [](auto lane) { return 4 * lane; }) == 1);
  BOOST_TEST(of(4, [](auto) { return 4; }) == 1);  // broadcast
  BOOST_TEST(of(4, [](auto lane) { return 8 * lane; }) == 2);
  BOOST_TEST(of(4, [](auto lane) { return 128 * lane; }) == 32);
  BOOST_TEST(of(4, [](auto lane) { return 132 * lane; }) == 1);  // padded
  BOOST_TEST(of(4, [](auto lane) { return 12 * lane; }) == 1);   // odd
  BOOST_TEST(of(8, [](auto lane) { return 8 * lane; }) == 2);
  BOOST_TEST(of(8, [](auto lane) { return 16 * lane; }) == 4);
  BOOST_TEST(of(16, [](auto lane) { return 16 * lane; }) == 4);
  BOOST_TEST(of(1, [](auto lane) { return lane; }) == 1);
  BOOST_TEST(of(2, [](auto lane) { return 64 * lane; }) == 16);
  BOOST_TEST(fewest_wavefronts(access_of(
                 8, [](auto lane) { return lane; }, 0xffff)) == 1);
}

// Address patterns that a GPU counted: one per line of the file.
BOOST_AUTO_TEST_CASE(wavefronts_are_those_of_a_gpu) {
  std::ifstream in("tests/places/emulation/wavefronts-of-h100.txt");
  int patterns = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#")) continue;
    std::istringstream words(line);
    std::int64_t counted = 0;
    std::string kind;
    WarpAccess access{.offset = {}};
    words >> counted >> kind >> access.bytes;
    for (std::size_t lane = 0; lane < 32; ++lane) {
      std::int64_t offset = -1;
      BOOST_TEST_REQUIRE(!!(words >> offset), line);
      if (offset < 0) continue;
      access.lanes |= 1u << lane;
      access.offset[lane] = static_cast<std::uint32_t>(offset);
    }
    BOOST_TEST(wavefronts(access, kind == "load") == counted, line);
    ++patterns;
  }
  BOOST_TEST(patterns == 216);
}

BOOST_AUTO_TEST_CASE(lanes_at_one_word) {
  BOOST_TEST(most_at_one_word(access_of(4, [](auto) { return 8; })) == 32);
  BOOST_TEST(
      most_at_one_word(access_of(4, [](auto lane) { return 4 * lane; })) == 1);
  BOOST_TEST(most_at_one_word(
                 access_of(4, [](auto lane) { return 4 * (lane / 8); })) == 8);
}

// Consecutive requests are counted faster by looking only at what changes.
BOOST_AUTO_TEST_CASE(a_request_does_not_depend_on_the_one_before) {
  std::minstd_rand random(1);
  const auto below = [&](unsigned end) {
    return static_cast<std::uint32_t>(random() % end);
  };
  const Allocation arrays[] = {{"a", nullptr, 1 << 20, Kind::output},
                               {"b", nullptr, 1 << 20, Kind::output}};
  int moved_alike = 0, same_sectors = 0;
  for (const auto kind : {Access::global_load, Access::shared_load,
                          Access::shared_store, Access::atomic}) {
    Request kept;
    WarpAccess access{.offset = {}};
    for (int i = 0; i < 20000; ++i) {
      const auto before = access;
      const auto change = below(8);
      if (change == 0 || i == 0) {
        access.bytes = std::int64_t{1} << below(5);
        access.lanes = below(2) == 0 ? ~0u : random() | 1;
        const auto stride = below(3) == 0 ? 0 : below(64) * below(3);
        for (std::uint32_t lane = 0; lane < 32; ++lane)
          access.offset[lane] = 4096 + lane * stride + below(4) / 3 * below(99);
      } else if (change == 1) {
        access.offset[below(32)] += 4 * below(40);
      } else {
        const auto distance = change < 5 ? 4 * below(9) : below(70) - 35;
        for (auto& offset : access.offset)
          offset += distance;
      }
      const auto& array = arrays[below(20) / 19];
      kept.set(access, kind, array);
      Request fresh;
      fresh.set(access, kind, array);
      const auto facts = [](const Request& one) {
        return std::tuple(
            one.moved(), one.fewest(), one.at_one_word(), one.distances(),
            std::vector(one.sectors().begin(), one.sectors().end()));
      };
      BOOST_TEST_REQUIRE((facts(kept) == facts(fresh)), to_string(kind));
      moved_alike += i > 0 && move_alike(before, access) ? 1 : 0;
      same_sectors += kept.has_same_sectors() ? 1 : 0;
    }
  }
  BOOST_TEST(moved_alike > 10000);
  BOOST_TEST(same_sectors > 1000);
}

// The first sentence of each names its mistake and its line.
BOOST_AUTO_TEST_CASE(slow_kernels_are_diagnosed) {
  BOOST_TEST(planted::slow_kernels().size() >= 10U);
  for (const auto& [one, says] : planted::slow_kernels()) {
    const auto counted = counts_of(one);
    const auto sentences = sentences_of(counted);
    BOOST_TEST_CONTEXT(one.name << ": " << join(sentences, "; ")) {
      if (says.empty()) {
        BOOST_TEST(sentences.empty());
        continue;
      }
      BOOST_TEST_REQUIRE(!sentences.empty());
      for (const auto& part : says)
        BOOST_TEST(contains(sentences.front(), part));
      if (sentences.front().starts_with("line ")) {
        BOOST_TEST(contains(source_line(static_cast<unsigned>(
                                std::stoul(sentences.front().substr(5)))),
                            "// slow"));
      }
    }
  }
}

// Every warp is counted once, whole or in part, whatever the order of threads.
BOOST_AUTO_TEST_CASE(sums_are_exact) {
  for (auto one : planted::slow_kernels()) {
    if (one.run.name != "coalesced") continue;
    one.run = one.run.at(1000, 96);
    const auto counted = counts_of(one.run);
    BOOST_TEST_REQUIRE(counted.lines.size() == 2U);
    for (const auto& line : counted.lines) {
      BOOST_TEST(line.requests == 32);  // 31 warps, and 8 lanes of one
      BOOST_TEST(line.lanes == 1000);
      BOOST_TEST(line.moved == 125);
      BOOST_TEST(line.different == 125);
      BOOST_TEST(line.stride == 4);
      BOOST_TEST(line.first[1] - line.first[0] == 4);
    }
    const auto counters = counters_of(counted);
    BOOST_TEST(counters.at("global_load_requests") == 32);
    BOOST_TEST(counters.at("global_store_sectors") == 125);
  }
}

namespace {

Counters counters_of_kernel(const std::string& name) {
  for (const auto& slow : planted::slow_kernels()) {
    if (slow.run.name == name) return counters_of(counts_of(slow.run));
  }
  throw std::invalid_argument(name);
}

}  // namespace

// nvcc loads values that both arms need once, before the branch.
BOOST_AUTO_TEST_CASE(a_load_of_both_arms_is_one) {
  const auto counters = counters_of_kernel("both_arms");
  BOOST_TEST(counters.at("global_load_requests") == 3 * 8192 / 32);
}

// A lane that is idle in a loop's first turn joins the others in their second,
// not in their first.
BOOST_AUTO_TEST_CASE(lanes_that_skip_a_turn_come_back) {
  const auto counters = counters_of_kernel("skips_a_turn");
  BOOST_TEST(counters.at("global_load_requests") == 8192 / 32);
  BOOST_TEST(counters.at("global_load_sectors") == 8192 * 4 / 32);
  BOOST_TEST(counters.at("global_store_sectors") == 8192 * 4 / 32);
}

BOOST_AUTO_TEST_CASE(barriers_have_a_line) {
  for (const auto& slow : planted::slow_kernels()) {
    if (slow.run.name != "one_bank") continue;
    const auto counted = counts_of(slow.run);
    const auto found =
        std::ranges::find(counted.lines, Access::barrier, &CountedLine::access);
    BOOST_TEST_REQUIRE((found != counted.lines.end()));
    BOOST_TEST(found->requests == 8192 / 32);
    BOOST_TEST(found->lanes == 8192);
    BOOST_TEST(contains(source_line(found->line), "__syncthreads"));
  }
}

// A table has no room for words that repeat the access; programs get the full
// name.
BOOST_AUTO_TEST_CASE(programs_get_the_whole_name_of_an_array) {
  Record record;
  record.workload = "dmv";
  record.size = {8, 8};
  const CountedLine line{.file = "x.cu",
                         .line = 7,
                         .access = Access::shared_load,
                         .array = "dynamic shared memory",
                         .requests = 1,
                         .lanes = 32,
                         .moved = 1,
                         .fewest = 1};
  const auto section = section_of(record, {.lines = {line}});
  BOOST_TEST(contains(json_lines({.blocks = {section}}),
                      R"("array":"dynamic shared memory")"));
  BOOST_TEST(contains(terminal(section), "shared load  dynamic  "));
}

// Each block brings 64 words, 8 sectors, once; all its other reads hit L1.
BOOST_AUTO_TEST_CASE(what_a_block_reads_again_is_in_l1) {
  for (const auto& slow : planted::slow_kernels()) {
    if (slow.run.name != "reads_again") continue;
    const auto counted = counts_of(slow.run);
    for (const auto& line : counted.lines) {
      const std::int64_t blocks = 8192 / 128;
      BOOST_TEST(
          line.from_l2 ==
          (line.access == Access::global_load ? 8 * blocks : line.moved));
    }
  }
}

BOOST_AUTO_TEST_CASE(the_least_time_is_by_what_takes_longest) {
  CountedLine load, shared;
  load.array = "a";
  load.from_l2 = 1000;
  load.different = 600;
  shared.access = Access::shared_load;
  shared.moved = 3000;
  const Ceilings ceilings{.read = {{1e6, 4e9}, {1e9, 2e9}},
                          .units = {{"fma float", 256e9}}};
  const auto times = least_times({.lines = {load, shared}}, ceilings);
  BOOST_TEST_REQUIRE(times.size() == 3U);
  const auto close = boost::test_tools::tolerance(1e-9);
  BOOST_TEST(times[0].seconds == 600 * 32 / 2e9, close);  // cold
  BOOST_TEST(times[1].seconds == 1000 * 32 / 4e9, close);
  BOOST_TEST(times[2].seconds == 3000 / 1e9, close);
  BOOST_TEST(least_times({.lines = {load}}, {}).empty());
}

// Words that lie side by side only in the last turn need two loads.
BOOST_AUTO_TEST_CASE(what_nvcc_cannot_know_is_not_joined) {
  const auto counters = counters_of_kernel("tree_of_sums");
  constexpr int blocks = 8192 / 128, of_turns = 2 + 6, all_warps = 4;
  BOOST_TEST(counters.at("shared_load_requests") ==
             blocks * (2 * of_turns + all_warps));
}

// Whether or not g++ has unrolled the loop, and wherever the array lies.
BOOST_AUTO_TEST_CASE(neighbours_in_shared_memory_are_loaded_at_once) {
  const auto counters = counters_of_kernel("small_sums");
  BOOST_TEST(counters.at("shared_load_requests") == 8192 / 32);
}

BOOST_AUTO_TEST_SUITE_END()
