// Oracles that several problems have in common.
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <thread>
#include <vector>

#include "verify/problem.hpp"

namespace {

using namespace parlab;

struct Draws : Oracle {
  std::optional<Mismatch> check(const Arrays&) const override { return {}; }
};
struct Knows final : Draws {
  bool has_all_results() const override { return true; }
};

SharedOracles::Key key_of(std::int64_t n, std::uint64_t seed,
                          InputKind kind = InputKind::uniform) {
  return {nullptr, Size{n, n}, Dtype::f32, kind, seed, Arithmetic::ieee};
}

BOOST_AUTO_TEST_SUITE(shared_oracles)

BOOST_AUTO_TEST_CASE(all_threads_get_the_only_one) {
  SharedOracles shared;
  std::atomic<int> made = 0;
  std::vector<std::shared_ptr<const Oracle>> got(8);
  {
    std::vector<std::jthread> threads;
    for (auto& mine : got) {
      threads.emplace_back([&] {
        mine = shared.of(key_of(64, 1), 64, [&] {
          ++made;
          return std::make_unique<Knows>();
        });
      });
    }
  }
  BOOST_TEST(made == 1);
  for (const auto& each : got)
    BOOST_TEST(each == got.front());
}

BOOST_AUTO_TEST_CASE(other_inputs_have_others) {
  SharedOracles shared;
  const auto make = [] { return std::make_unique<Knows>(); };
  const auto first = shared.of(key_of(64, 1), 64, make);
  BOOST_TEST(shared.of(key_of(64, 1), 64, make) == first);
  for (const auto& other :
       {key_of(64, 2), key_of(65, 1), key_of(64, 1, InputKind::integers)}) {
    BOOST_TEST(shared.of(other, 64, make) != first);
  }
}

BOOST_AUTO_TEST_CASE(those_that_draw_or_are_large_are_made_each_time) {
  SharedOracles shared;
  int made = 0;
  for (int i = 0; i < 3; ++i) {
    shared.of(key_of(64, 1), 64, [&] {
      ++made;
      return std::make_unique<Draws>();
    });
    shared.of(key_of(65536, 1), std::int64_t{1} << 32, [&] {
      ++made;
      return std::make_unique<Knows>();
    });
  }
  BOOST_TEST(made == 6);
}

BOOST_AUTO_TEST_CASE(a_failure_is_not_kept) {
  SharedOracles shared;
  BOOST_CHECK_THROW(
      shared.of(key_of(64, 1), 64,
                []() -> std::unique_ptr<Oracle> { throw std::bad_alloc(); }),
      std::bad_alloc);
  const auto made =
      shared.of(key_of(64, 1), 64, [] { return std::make_unique<Knows>(); });
  BOOST_TEST(made != nullptr);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
