// Where a variant writes nothing, nothing is compared: that is no proof.
#include <boost/test/unit_test.hpp>

#include "reference/loop_workload.hpp"
#include "verify/problem.hpp"

using namespace parlab;
using namespace parlab::reference;

namespace {

struct Pairs {
  template <typename T, typename Out = T>
  struct Args {
    const T* a;
    Out* b;
    std::int64_t n;
  };
  static constexpr const char* arrays[] = {"a", "b"};
};

struct NoOutput {
  template <typename T, typename Out = T>
  struct Args {
    const T* a;
    std::int64_t n;
  };
  static constexpr const char* arrays[] = {"a"};
};

constexpr auto add_pairs =
    []<typename In, typename Out>(const Pairs::Args<In, Out>& p) {
      for (std::int64_t i = 0; i < p.n / 2; ++i)
        p.b[i] = p.a[2 * i] + p.a[2 * i + 1];
    };
constexpr auto do_nothing =
    []<typename In, typename Out>(const NoOutput::Args<In, Out>&) {};

Declaration of(std::vector<DeclaredArray> arrays) {
  return {.name = "fake_pairs",
          .summary = "",
          .extents = {"n"},
          .arrays = std::move(arrays),
          .flops = [](const Size&) { return 0.0; }};
}

bool can_be_verified(const Workload& workload, std::int64_t n,
                     const std::vector<std::string>& outputs = {}) {
  Variant variant;
  variant.outputs = outputs;
  Problem problem(workload, {n}, Dtype::f32, {&variant});
  problem.fill(InputKind::integers);
  const HostArrays written(problem.outputs());
  try {
    problem.check(written.view(), variant);
  } catch (const UsageError& error) {
    BOOST_TEST_MESSAGE(error.what());
    return false;
  }
  return true;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(nothing_to_verify)

BOOST_AUTO_TEST_CASE(does_not_pass) {
  const LoopWorkload<Pairs, decltype(add_pairs), float> pairs(
      of({in("a", {"n"}),
          out("b", [](const Size& size) { return size[0] / 2; })}));
  BOOST_TEST(can_be_verified(pairs, 2));
  BOOST_TEST(!can_be_verified(pairs, 1));
  BOOST_TEST(
      !can_be_verified(pairs, 2, {"c"}));  // an array that is not declared
  const LoopWorkload<NoOutput, decltype(do_nothing), float> no_output(
      of({in("a", {"n"})}));
  BOOST_TEST(!can_be_verified(no_output, 2));
}

BOOST_AUTO_TEST_SUITE_END()
