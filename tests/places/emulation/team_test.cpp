// Teams of GPUs: how problems are divided among them; and, by emulation, that
// transfers between them arrive and that planted faults are found.
#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "facts/cause.hpp"
#include "places/emulation/teams.hpp"
#include "places/partition.hpp"
#include "support.hpp"
#include "text.hpp"

using namespace parlab;
using emulation::Kind, emulation::Memory;
using testing::variant_called;

namespace {

constexpr int team_sizes[] = {1, 2, 3, 4, 8};

// An emulated team with the memory of its bench.
struct Team {
  explicit Team(int gpus, int n = 40)
      : team(gpus, machine), bench{team, {}, {}, {}, n} {
    const auto bytes = static_cast<std::size_t>(n) * sizeof(float);
    const auto allocate = [&](int gpu, const char* name, Kind kind) {
      memory.push_back(team[gpu].allocate(name, bytes, kind));
      return reinterpret_cast<float*>(memory.back()->data);
    };
    for (int i = 0; i < gpus; ++i) {
      float* const data = allocate(i, "data", Kind::output);
      std::fill_n(data, n, static_cast<float>(i + 1));
      memory.back()->settle(data, bytes);
      bench.data.push_back(data);
      bench.other.push_back(allocate(i, "other", Kind::output));
      bench.input.push_back(allocate(i, "input", Kind::input));
    }
  }
  std::string fault_of(const teams::Case& one) {
    if (one.name == "kernel_without_end_on_the_last_gpu")
      machine->time_limit = std::chrono::milliseconds(500);
    try {
      team.run_host_code([&] { one.run(bench); });
      return "";
    } catch (const PointError& error) {
      return error.what();
    }
  }
  bool all_are(float value, const float* data) const {
    return std::all_of(data, data + bench.n,
                       [=](float each) { return each == value; });
  }

  std::shared_ptr<EmulatedMachine> machine =
      std::make_shared<EmulatedMachine>();
  EmulatedGpus team;
  teams::Bench bench;
  std::vector<Memory> memory;  // destroyed before the team
};

const teams::Case& named(const std::string& name) {
  for (const auto& one : teams::cases()) {
    if (one.name == name) return one;
  }
  throw std::logic_error("no case is called " + name);
}

std::vector<Share> divided(const std::string& variant, const Size& size,
                           int gpus) {
  const auto& chosen = variant_called(variant);
  const auto& workload = *Registry::instance().workload(chosen.workload);
  return divide(workload, chosen, size, workload.arrays(size, Dtype::f32),
                gpus);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(teams_of_gpus)

// Unless a number of GPUs is requested, a problem too small for several is
// given to one GPU.
BOOST_AUTO_TEST_CASE(a_team_that_does_not_pay_is_one_gpu) {
  const auto used = [](const char* name, const Size& size, Dtype dtype) {
    const auto& variant = variant_called(name);
    return gpus_that_pay(*Registry::instance().workload(variant.workload),
                         variant, size, dtype, 8);
  };
  BOOST_TEST(used("dmv/cuda/split_columns", {1024, 1024}, Dtype::f32) == 1);
  BOOST_TEST(used("dmv/cuda/split_columns", {16384, 16384}, Dtype::f32) == 8);
  // nothing travels
  BOOST_TEST(used("dmv/cuda/split_rows", {16, 16}, Dtype::f32) == 8);
  // In float the matrix and the result have 32 MiB, too little for a team.
  BOOST_TEST(used("conv2d/cuda/split_strips", {2048, 2048}, Dtype::f32) == 1);
  BOOST_TEST(used("conv2d/cuda/split_strips", {2048, 2048}, Dtype::f64) == 8);
}

BOOST_AUTO_TEST_CASE(parts_cover_every_element_once) {
  for (const auto& [variant, size] :
       {std::pair{"dmv/cuda/split_rows", Size{17, 5}},
        {"dmv/cuda/split_columns", Size{5, 17}},
        {"conv2d/cuda/split_strips", Size{17, 7}}}) {
    for (const int gpus : team_sizes) {
      const auto shares = divided(variant, size, gpus);
      BOOST_TEST(static_cast<int>(shares.size()) <= gpus);
      std::vector<int> owners(static_cast<std::size_t>(size[0] * size[1]));
      for (const auto& share : shares) {
        const auto& part = share.parts.front();
        BOOST_TEST(part.rows * part.cols == share.size[0] * share.size[1]);
        for (std::size_t e = 0; e < owners.size(); ++e) {
          const auto place = part.place_of(static_cast<std::int64_t>(e));
          owners[e] += place.has_value();
          if (place) BOOST_TEST(*place < part.spec.count);
        }
      }
      BOOST_TEST(std::all_of(owners.begin(), owners.end(),
                             [](int n) { return n == 1; }),
                 variant << " over " << gpus);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_grid_is_as_near_to_a_square_as_can_be) {
  for (const auto& [gpus, rows, cols] : {std::tuple{1, 1, 1},
                                         {2, 1, 2},
                                         {3, 1, 3},
                                         {4, 2, 2},
                                         {6, 2, 3},
                                         {8, 2, 4},
                                         {9, 3, 3}}) {
    BOOST_TEST(grid_of(gpus).rows == rows);
    BOOST_TEST(grid_of(gpus).cols == cols);
  }
}

BOOST_AUTO_TEST_CASE(blocks_on_a_grid_cover_every_element_once) {
  const Size size{17, 11, 13};
  for (const int gpus : team_sizes) {
    const auto shares = divided("matmul/cuda/split_panels", size, gpus);
    BOOST_REQUIRE_EQUAL(static_cast<int>(shares.size()), gpus);
    const auto grid = grid_of(gpus);
    for (std::size_t array = 0; array < 3; ++array) {
      std::vector<int> owners;
      for (int i = 0; i < gpus; ++i) {
        const auto& share = shares[static_cast<std::size_t>(i)];
        const auto& part = share.parts[array];
        owners.resize(
            static_cast<std::size_t>(part.pitch * size[array == 1 ? 1 : 0]));
        for (std::size_t e = 0; e < owners.size(); ++e) {
          owners[e] += part.place_of(static_cast<std::int64_t>(e)).has_value();
        }
        // The rows of the grid divide the first dimension, its columns the
        // second.
        const auto rows = part.spec.name == "b" ? size[1] : size[0];
        BOOST_TEST(part.row == share_begin(rows, i / grid.cols, grid.rows));
        BOOST_TEST(part.col ==
                   share_begin(part.pitch, i % grid.cols, grid.cols));
        if (part.spec.name == "c") {
          BOOST_TEST(share.size == (Size{part.rows, size[1], part.cols}),
                     boost::test_tools::per_element());
        }
      }
      BOOST_TEST(std::all_of(owners.begin(), owners.end(),
                             [](int n) { return n == 1; }),
                 shares[0].parts[array].spec.name << " over " << gpus);
    }
  }
}

BOOST_AUTO_TEST_CASE(an_output_has_one_block_on_each_gpu_of_a_grid) {
  Variant variant = variant_called("matmul/cuda/split_panels");
  variant.split = {"m", "k"};
  const auto& workload = *Registry::instance().workload("matmul");
  const Size size{8, 8, 8};
  BOOST_CHECK_THROW(
      divide(workload, variant, size, workload.arrays(size, Dtype::f32), 4),
      std::logic_error);
}

BOOST_AUTO_TEST_CASE(a_team_is_no_larger_than_its_work) {
  // A grid of 8 would have two rows.
  BOOST_TEST(divided("matmul/cuda/split_panels", {1, 9, 9}, 8).size() == 7U);
  BOOST_TEST(divided("dmv/cuda/split_rows", {3, 100}, 8).size() == 3U);
  // Each strip has the whole halo of the next one.
  BOOST_TEST(divided("convsep/cuda/split_strips", {20, 9, 6}, 8).size() == 3U);
  BOOST_TEST(divided("convsep/cuda/split_strips", {3, 9, 6}, 8).size() == 1U);
}

BOOST_AUTO_TEST_CASE(
    arrays_without_the_divided_dimension_are_whole_on_each_gpu) {
  const auto shares = divided("atax/cuda/split_rows", {10, 6}, 2);
  BOOST_REQUIRE_EQUAL(shares.size(), 2U);
  for (const auto& part : shares[1].parts) {
    BOOST_TEST(part.whole == (part.spec.name != "a"));
    if (part.whole) BOOST_TEST(part.spec.count == 6);
  }
  BOOST_TEST(shares[1].size == (Size{5, 6}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(every_gpu_has_what_a_collective_gives) {
  for (const int gpus : team_sizes) {
    const auto sum = static_cast<float>(gpus * (gpus + 1) / 2),
               last = static_cast<float>(gpus);
    BOOST_TEST_CONTEXT(gpus << " GPUs") {
      Team added(gpus);
      BOOST_TEST(added.fault_of(named("all_reduce")) == "");
      for (const auto* other : added.bench.other)
        BOOST_TEST(added.all_are(sum, other));

      Team in_place(gpus);
      BOOST_TEST(in_place.fault_of(named("all_reduce_in_place")) == "");
      for (const auto* data : in_place.bench.data)
        BOOST_TEST(in_place.all_are(sum, data));

      Team told(gpus);
      BOOST_TEST(told.fault_of(named("broadcast")) == "");
      for (const auto* data : told.bench.data)
        BOOST_TEST(told.all_are(last, data));
    }
  }
}

BOOST_AUTO_TEST_CASE(every_gpu_has_the_piece_of_the_one_before_it_in_a_ring) {
  for (const int gpus : team_sizes) {
    for (const auto& [name, added_beside] :
         {std::pair{"ring", 0}, {"ring_beside_other_work", 1}}) {
      Team team(gpus);
      BOOST_TEST(team.fault_of(named(name)) == "", name);
      for (int i = 0; i < gpus; ++i) {
        const int before = (i + gpus - 1) % gpus;
        const auto expected = static_cast<float>(before + 1 + added_beside);
        BOOST_TEST(team.all_are(expected,
                                team.bench.other[static_cast<std::size_t>(i)]),
                   name << " over " << gpus << ", GPU " << i);
      }
    }
  }
}

// Numbers are the course's, for kernels on one GPU. A build without cuBLAS must
// not give cuBLAS's number to a variant for several GPUs.
BOOST_AUTO_TEST_CASE(variants_for_teams_have_no_number) {
  for (const auto* workload : Registry::instance().workloads()) {
    for (const auto* variant :
         Registry::instance().variants(workload->name())) {
      if (variant->needs_team())
        BOOST_TEST(variant->id < 0, variant->full_name());
    }
  }
}

BOOST_AUTO_TEST_CASE(planted_faults_between_gpus_are_found) {
  int faults = 0;
  for (const auto& one : teams::cases()) {
    if (one.says.empty()) continue;
    ++faults;
    for (const int gpus : {2, 3, 8}) {
      Team team(gpus);
      BOOST_TEST_CONTEXT(one.name << " over " << gpus) {
        BOOST_TEST(testing::contains(team.fault_of(one), one.says));
      }
    }
  }
  BOOST_TEST(faults >= 15);
}

// If panels are wide enough, two GPUs compute half of their common block each.
BOOST_AUTO_TEST_CASE(covariance_of_panels_that_are_cut_in_half_is_right) {
  const auto& workload = *Registry::instance().workload("covariance");
  const auto judge = [&](const char* variant, Size size,
                         std::vector<std::int64_t> gpus) {
    const auto& one = variant_called(variant);
    Plan plan = testing::plan_to_verify(one, complete_size(workload, size),
                                        one.dtypes.front());
    plan.tunables["gpus"] = std::move(gpus);
    for (const auto& record : testing::sweep(plan)) {
      BOOST_TEST(to_string(record.verdict) == to_string(Verdict::passed),
                 testing::described(record));
    }
  };
  judge("covariance/cuda/split_panels", {9, 540}, {2, 4});
  // with large tiles, and with medium ones
  judge("covariance/cuda/split_tensor", {4, 600}, {2});
  judge("covariance/cuda/split_tensor", {200, 600}, {2});
}

BOOST_AUTO_TEST_CASE(variants_for_teams_are_right_with_1_2_3_4_and_8_gpus) {
  int judged = 0;
  for (const auto* workload : Registry::instance().workloads()) {
    for (const auto* variant :
         Registry::instance().variants(workload->name())) {
      if (variant->run_gpus == nullptr || !variant->hardware.empty()) continue;
      for (const std::int64_t extent : {7, 70}) {
        const Size size = complete_size(*workload, {extent});
        Plan plan =
            testing::plan_to_verify(*variant, size, variant->dtypes.front());
        plan.tunables["gpus"] = {1, 2, 3, 4, 8};
        for (const auto& record : testing::sweep(plan)) {
          BOOST_TEST(to_string(record.verdict) == to_string(Verdict::passed),
                     testing::described(record));
          ++judged;
        }
      }
    }
  }
  BOOST_TEST(judged >= 60);
}

BOOST_AUTO_TEST_SUITE_END()
