// Rewritten inputs: about half of their signs change, as by chance, the same in
// all layouts, and they can be changed back.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/variant.hpp"
#include "reference/loop_workload.hpp"
#include "verify/disturbance.hpp"
#include "verify/host_arrays.hpp"
#include "verify/problem.hpp"
#include "verify/signs.hpp"

using namespace parlab;

namespace {

// A loop of numbers from 1 to 2 has a bound while all of them stay positive.
struct Logarithms {
  template <typename T, typename Out = T>
  struct Args {
    const T* x;
    Out* y;
    std::int64_t n;
  };
  static constexpr const char* arrays[] = {"x", "y"};
};

// All inputs of a workload in float, after filling.
struct Inputs {
  Inputs(const char* name, const Size& size)
      : workload(*Registry::instance().workload(name)), arrays([&] {
          auto specs = workload.arrays(size, Dtype::f32);
          std::erase_if(specs, [](const ArraySpec& spec) {
            return spec.role != Role::input;
          });
          return specs;
        }()) {
    workload.fill(arrays.view(), size, Dtype::f32, InputKind::uniform);
  }
  std::vector<float> copy(const std::string& name) const {
    const auto* const data = arrays.view().get<const float>(name);
    return {data, data + arrays.view().spec(name).count};
  }

  const Workload& workload;
  HostArrays arrays;
};

void expect_same_content(const Inputs& inputs, const std::string& first,
                         const std::string& layout) {
  const auto a = inputs.copy(first), other = inputs.copy(layout);
  const auto& map = inputs.arrays.view().spec(layout).map;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto place =
        static_cast<std::size_t>(map.place_of(static_cast<std::int64_t>(i)));
    BOOST_TEST_REQUIRE(other.at(place) == a[i]);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(signs)

BOOST_AUTO_TEST_CASE(half_of_the_elements_change_and_change_back) {
  const Inputs inputs("dmv", {301, 203});
  const auto before = inputs.copy("a");
  const Signs one = random_signs(), two = random_signs();
  write_anew(inputs.arrays.view(), {}, one, 2);
  const auto after = inputs.copy("a");
  std::ptrdiff_t changed = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    BOOST_TEST_REQUIRE(std::abs(after[i]) == std::abs(before[i]));
    changed += after[i] != before[i] ? 1 : 0;
  }
  const auto half = std::ssize(before) / 2;
  BOOST_TEST(std::abs(changed - half) < 1000);  // eight standard deviations
  write_anew(inputs.arrays.view(), one, two, 1);
  BOOST_TEST((inputs.copy("a") != after));
  write_anew(inputs.arrays.view(), two, {}, 3);
  BOOST_TEST((inputs.copy("a") == before));
}

BOOST_AUTO_TEST_CASE(layouts_have_the_same_content) {
  const auto check = [](const Inputs& inputs, const char* layout) {
    expect_same_content(inputs, "a", layout);
    write_anew(inputs.arrays.view(), {}, random_signs(), 2);
    expect_same_content(inputs, "a", layout);
    const auto changes = random_changes(inputs.arrays.view());
    BOOST_TEST(!changes.empty());
    const Changed changed(changes, inputs.arrays.view());
    expect_same_content(inputs, "a", layout);
  };
  for (const Size& size : {Size{37, 53}, Size{1, 53}, Size{37, 1}})
    check(Inputs("dmv", size), "a_transposed");
  for (const Size& size : {Size{23, 41, 5}, Size{1, 41, 5}, Size{23, 1, 5}})
    check(Inputs("convsep", size), "a_padded");
}

BOOST_AUTO_TEST_CASE(constants_stay) {
  const Inputs inputs("vector_sum", {1001});
  write_anew(inputs.arrays.view(), {}, random_signs(), 2);
  const Changed changed(random_changes(inputs.arrays.view()),
                        inputs.arrays.view());
  BOOST_TEST(std::ranges::all_of(inputs.copy("ones"),
                                 [](float one) { return one == 1; }));
}

BOOST_AUTO_TEST_CASE(structure_stays) {
  const HostArrays arrays({{.name = "rows",
                            .dtype = Dtype::u32,
                            .count = 1001,
                            .is_structure = true},
                           {.name = "x", .dtype = Dtype::u8, .count = 1001}});
  for (const auto& array : arrays.view())
    std::fill_n(static_cast<unsigned char*>(array.data), array.spec.bytes(), 3);
  write_anew(arrays.view(), {}, random_signs(), 2);
  const auto changes = random_changes(arrays.view());
  BOOST_TEST(!changes.empty());
  for (const auto& change : changes)
    BOOST_TEST(change.array == "x");
  const auto threes = [&](std::string_view name) {
    const auto* const bytes = arrays.view().get<const unsigned char>(name);
    return std::count(bytes, bytes + 1001, 3);
  };
  BOOST_TEST(threes("rows") == 1001);
  BOOST_TEST(threes("x") < 1001);
}

BOOST_AUTO_TEST_CASE(inputs_without_a_sign_keep_it) {
  const auto loop =
      []<typename In, typename Out>(const Logarithms::Args<In, Out>& p) {
        for (std::int64_t i = 0; i < p.n; ++i)
          p.y[i] = log(typename In::Number(p.x[i]));
      };
  for (const bool keeps : {true, false}) {
    const reference::LoopWorkload<Logarithms, decltype(loop), float> workload(
        {.name = "fake_logarithms",
         .summary = "",
         .extents = {"n"},
         .arrays = {reference::in("x", {"n"}), reference::out("y", {"n"})},
         .flops = [](const Size&) { return 1.0; },
         .keeps_signs = keeps,
         .fill = reference::for_all_kinds<float>(
             []<typename T>(T, const Arrays& inputs, const Size&, InputKind) {
               reference::fill_input<T>(inputs, "x", [](std::int64_t i) {
                 return std::abs(random_uniform<T>(1, i)) + 1;
               });
             })});
    Problem problem(workload, {1000}, Dtype::f32, {}, 7);
    problem.fill(InputKind::uniform);
    const auto* const x = problem.inputs().get<const float>("x");
    const bool all = std::all_of(x, x + 1000, [](float at) { return at >= 1; });
    BOOST_TEST(all == keeps);
    BOOST_TEST((problem.disturbance().signs == Signs{}) == keeps);
  }
}

BOOST_AUTO_TEST_SUITE_END()
