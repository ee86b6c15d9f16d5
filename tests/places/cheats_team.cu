// Variants for several GPUs that cheat or fail, and honest ones. They run on
// two GPUs if the machine has them, or by emulation if it has none.
#include <boost/test/unit_test.hpp>

#include "gpu/gpus.hpp"
#include "places/cheats.hpp"
#include "places/honest.cuh"
#include "places/presence.hpp"
#include "support.hpp"
#include "workloads/conv2d.hpp"
#include "workloads/dmv.hpp"

using namespace parlab;
using testing::plan_for;

namespace {

using Rows = Parts<Dmv::Args<float>>;
using Strips = Parts<Conv2d::Args<float>>;

// Row `row` of the image, from the rows above and below it.
__global__ void team_image_row(const float* a, float* b, std::int64_t row,
                               std::int64_t cols) {
  const std::int64_t col = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (col == 0 || col >= cols - 1) return;
  float sum = 0;
  for (int down = -1; down <= 1; ++down) {
    for (int across = -1; across <= 1; ++across) {
      sum += Conv2d::weight<float>(down, across) *
             a[(row + down) * cols + col + across];
    }
  }
  b[row * cols + col] = sum;
}

__global__ void team_add_one(float* where) {
  *where += 1;
}

void multiply(Gpu& gpu, const Dmv::Args<float>& p) {
  gpu.launch({.grid = {ceil_div(p.rows, 64)}, .block = {64}}, honest, p.a, p.x,
             p.y, p.rows, p.cols);
}

void multiply_all(Gpus& team, const Rows& parts) {
  team.each([&](Gpu& gpu, int i) { multiply(gpu, parts[i]); });
}

void add_up(Gpus& team, const Rows& parts) {
  const auto y = team.from(parts, [](const auto& part) { return part.y; });
  team.all_reduce(y, y, parts[0].rows);
}

void exchange(Gpus& team, const Strips& parts) {
  std::vector<Gpus::Move> moves;
  for (int i = 0; i + 1 < team.count(); ++i) {
    const auto &upper = parts[i], &lower = parts[i + 1];
    const auto cols = upper.cols, end = upper.rows * cols;
    moves.push_back(
        team.move(i, team.halo(upper.a + end), i + 1, lower.a, cols));
    moves.push_back(team.move(i + 1, team.halo(lower.a - cols), i,
                              upper.a + end - cols, cols));
  }
  team.exchange(moves);
}

void filter_all(Gpus& team, const Strips& parts) {
  team.each([&](Gpu& gpu, int i) {
    const auto& p = parts[i];
    const std::int64_t first = i == 0, last = p.rows - (i + 1 == team.count());
    for (std::int64_t row = first; row < last; ++row) {
      gpu.launch({.grid = {ceil_div(p.cols, 64)}, .block = {64}},
                 team_image_row, p.a, p.b, row, p.cols);
    }
  });
}

#define TEAM_CHEAT(workload, Args, dimension, name, ...)                   \
  const Register<workload, float> name(                                    \
      {.idea = #name, .tunables = {gpus()}, .split = {dimension}},         \
      [](Gpus& team, const Args& parts, const Tunables&) { __VA_ARGS__; }, \
      "cuda/team_cheats/" #name ".cu", "")

TEAM_CHEAT(Dmv, Rows, "rows", honest_team_of_rows, multiply_all(team, parts));
TEAM_CHEAT(Dmv, Rows, "cols", honest_team_of_columns, {
  multiply_all(team, parts);
  add_up(team, parts);
});
TEAM_CHEAT(Dmv, Rows, "rows", forgets_the_last_gpu, {
  team.each([&](Gpu& gpu, int i) {
    if (i + 1 < team.count()) multiply(gpu, parts[i]);
  });
});
TEAM_CHEAT(Dmv, Rows, "cols", forgets_to_add_up, multiply_all(team, parts));
TEAM_CHEAT(Dmv, Rows, "cols", leaves_one_copy_different, {
  multiply_all(team, parts);
  add_up(team, parts);
  const int last = team.count() - 1;
  team[last].launch({}, team_add_one, parts[last].y);
});
TEAM_CHEAT(Dmv, Rows, "rows", changes_an_input_of_the_last_gpu, {
  multiply_all(team, parts);
  const int last = team.count() - 1;
  team[last].launch({}, team_add_one, const_cast<float*>(parts[last].a) + 1);
});
TEAM_CHEAT(Dmv, Rows, "rows", right_only_at_its_first_call, {
  static int calls = 0;
  if (calls++ < 1) multiply_all(team, parts);
});
TEAM_CHEAT(Conv2d, Strips, "rows", honest_team_of_strips, {
  exchange(team, parts);
  filter_all(team, parts);
});
TEAM_CHEAT(Conv2d, Strips, "rows", never_fills_its_halo,
           filter_all(team, parts));
TEAM_CHEAT(Conv2d, Strips, "rows", fills_its_halo_once, {
  static int calls = 0;
  if (calls++ < 1) exchange(team, parts);
  filter_all(team, parts);
});
TEAM_CHEAT(Conv2d, Strips, "rows", fills_its_halo_too_late, {
  filter_all(team, parts);
  exchange(team, parts);
});

// The record of a cheat at a size that its two GPUs share unevenly.
Record outcome(const char* workload, const char* name) {
  Variant variant =
      testing::variant_called(std::string("team_cheats/cuda/") + name);
  variant.workload = workload;  // there is no workload team_cheats
  const auto& contract = *Registry::instance().workload(workload);
  Plan plan = plan_for(workload, variant, contract.complete({65}));
  plan.tunables["gpus"] = {2};
  const auto records = testing::sweep(plan);
  BOOST_REQUIRE(!records.empty());
  return records.front();
}

bool there_is_a_team() {
  return why_no_gpu().has_value() || gpus_present().size() > 1;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cheats_of_teams,
                      *boost::unit_test::precondition([](auto) {
                        return there_is_a_team();
                      }))

BOOST_AUTO_TEST_CASE(honest_teams_pass) {
  for (const auto& [workload, name] : {std::pair{"dmv", "honest_team_of_rows"},
                                       {"dmv", "honest_team_of_columns"},
                                       {"conv2d", "honest_team_of_strips"}}) {
    const auto record = outcome(workload, name);
    testing::expect_passed(record);
    BOOST_TEST(record.apart.size() == record.seconds.size());
  }
}

BOOST_AUTO_TEST_CASE(cheats_are_wrong_results) {
  // Emulation sees the read itself, a GPU only its result.
  const char* const halo = why_no_gpu() ? "never_written" : "b[";
  for (const auto& [workload, name, cause] :
       {std::tuple{"dmv", "forgets_the_last_gpu", "y["},
        {"dmv", "forgets_to_add_up", "copies_differ"},
        {"dmv", "leaves_one_copy_different", "copies_differ"},
        {"dmv", "changes_an_input_of_the_last_gpu", "input"},
        {"dmv", "right_only_at_its_first_call", "y["},
        {"conv2d", "never_fills_its_halo", halo},
        {"conv2d", "fills_its_halo_once", halo},
        {"conv2d", "fills_its_halo_too_late", halo}}) {
    testing::expect_caught(outcome(workload, name), "wrong_result", cause);
  }
}

BOOST_AUTO_TEST_SUITE_END()
