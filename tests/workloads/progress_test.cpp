// References say how far they are, and can be ended.
#include <omp.h>

#include <atomic>
#include <boost/algorithm/string/join.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/variant.hpp"
#include "core/workload.hpp"
#include "reference/progress.hpp"
#include "reference/structure.hpp"

using namespace parlab;
using reference::Progress, reference::Watch;

namespace {

// So long that a loop takes as many milliseconds as it has rows.
void work(std::int64_t /*row*/) {
  std::this_thread::sleep_for(std::chrono::milliseconds(omp_get_max_threads()));
}

// The oracle of a workload at a size, on its uniform inputs.
std::unique_ptr<Oracle> oracle_of(const Workload& workload, const Size& size) {
  const auto dtype = workload.dtypes().front();
  std::vector<std::vector<double>> memory;
  std::vector<Array> inputs;
  for (auto& spec : workload.arrays(size, dtype)) {
    if (spec.role != Role::input) continue;
    inputs.push_back({spec, memory.emplace_back(spec.count).data()});
  }
  const Arrays arrays(std::move(inputs));
  workload.fill(arrays, size, dtype, InputKind::uniform);
  return workload.oracle(arrays, size, dtype, InputKind::uniform,
                         Arithmetic::ieee);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(progress)

BOOST_AUTO_TEST_CASE(a_pass_says_how_far_it_is) {
  std::vector<Progress> seen;
  const Watch watch([&](const auto& progress) { seen.push_back(progress); });
  reference::begin_pass(400);
  for (int loop = 0; loop < 4; ++loop)
    reference::each_row(0, 100, work);
  BOOST_TEST_REQUIRE(seen.size() > 1u);
  for (std::size_t i = 1; i < seen.size(); ++i)
    BOOST_TEST(seen[i].share > seen[i - 1].share);
  BOOST_TEST(seen.back().share <= 1);
  BOOST_TEST(seen.back().left_s < seen.front().left_s);
}

BOOST_AUTO_TEST_CASE(without_a_pass_each_loop_is_one) {
  double share = 0;
  const Watch watch([&](const auto& progress) { share = progress.share; });
  reference::each_row(0, 200, work);
  BOOST_TEST(share > 0);
  BOOST_TEST(share <= 1);
}

// n sums of n terms are n * n rows, far more than a straight line tells.
BOOST_AUTO_TEST_CASE(of_rows_on_a_curve_no_share_is_said) {
  const auto rows = [](int power) {
    return reference::learn_structure(
               {4}, {6}, {8},
               [=](const Size& size) {
                 for (std::int64_t i = 0; i < (power > 1 ? size[0] : 1); ++i)
                   reference::each_row(0, size[0], [](auto) {});
                 return reference::Seen();
               })
        .rows({1000});
  };
  BOOST_TEST(rows(1) == 1000);
  BOOST_TEST(rows(2) < 0);
  double share = 1;
  const Watch watch([&](const auto& progress) { share = progress.share; });
  reference::begin_pass(rows(2));
  reference::each_row(0, 200, work);
  BOOST_TEST(share == 0);
}

BOOST_AUTO_TEST_CASE(what_a_look_or_a_row_throws_leaves_the_loop) {
  std::atomic<int> rows = 0;
  const auto count = [&](std::int64_t row) { ++rows, work(row); };
  {
    const Watch watch([](const auto&) { throw std::runtime_error("enough"); });
    BOOST_CHECK_THROW(reference::each_row(0, 1000, count), std::runtime_error);
    BOOST_TEST(rows < 1000);
  }
  const auto fails = [](std::int64_t row) {
    if (row == 700) throw std::length_error("no room");
  };
  BOOST_CHECK_THROW(reference::each_row(0, 1000, fails), std::length_error);
  // and nothing of it is left
  rows = 0;
  reference::each_row(0, 100, count);
  BOOST_TEST(rows == 100);
}

BOOST_AUTO_TEST_CASE(rows_inside_of_a_row_are_its_own) {
  const auto rows = reference::count_rows([] {
    reference::each_row(0, 5, [](auto) { reference::each_row(0, 7, work); });
  });
  BOOST_TEST(rows == 5);
}

// A plain loop on one thread may say nothing, as those of some tests; the
// others go through rows.
BOOST_AUTO_TEST_CASE(references_on_all_cores_go_through_rows) {
  int said = 0;
  std::vector<std::string> silent;
  for (const auto* workload : Registry::instance().workloads()) {
    const std::vector<std::int64_t> extents(count_extents(*workload), 200);
    const auto rows = reference::count_rows(
        [&] { oracle_of(*workload, complete_size(*workload, extents)); });
    if (rows > 0)
      ++said;
    else
      silent.emplace_back(workload->name());
  }
  BOOST_TEST_INFO("silent: " << boost::algorithm::join(silent, " "));
  BOOST_TEST(said > 2 * std::ssize(silent));
}

BOOST_AUTO_TEST_SUITE_END()
