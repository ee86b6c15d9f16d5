// For every workload, by any author. Wide inputs reveal precision: from size
// 256 on, operands rounded to a narrower type, and sums in one, are refused,
// but declared arithmetic passes. Whole inputs reveal each wrong term, place
// and element.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/roundoff.hpp"
#include "core/variant.hpp"
#include "filled.hpp"
#include "host/host.hpp"

using namespace parlab;

namespace {

class PlainHost final : public Host {
 public:
  int cores() const override { return 1; }

 protected:
  void* scratch_bytes(std::size_t bytes) override {
    blocks_.push_back(std::make_unique<std::max_align_t[]>(
        bytes / sizeof(std::max_align_t) + 1));
    return blocks_.back().get();
  }

 private:
  std::vector<std::unique_ptr<std::max_align_t[]>> blocks_;
};

// The nearest value with this many significant bits: tf32 and half have 11,
// bfloat16 8, float 24.
double with_bits(double value, int bits) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, bits)),
                    exponent - bits);
}

template <typename F>
void each_element(const Arrays& arrays, Role role, F f) {
  for (const auto& array : arrays) {
    if (array.spec.role != role || array.spec.is_structure) continue;
    dispatch_all(array.spec.dtype, [&]<typename T>(T) {
      T* data = arrays.get<T>(array.spec.name);
      for (std::int64_t i = 0; i < array.spec.count; ++i) {
        const auto value = static_cast<double>(data[i]);
        if (!std::isnan(value)) data[i] = static_cast<T>(f(value));
      }
    });
  }
}

// NaN is not copied: an output that was not written stays as it is.
void copy(const Arrays& from, const Arrays& to, Role role) {
  auto target = to.begin();
  for (const auto& array : from) {
    if (array.spec.role == role) {
      dispatch_all(array.spec.dtype, [&]<typename From>(From) {
        dispatch_all(target->spec.dtype, [&]<typename To>(To) {
          const From* source = from.get<const From>(array.spec.name);
          To* data = to.get<To>(array.spec.name);
          for (std::int64_t i = 0; i < array.spec.count; ++i) {
            const auto value = static_cast<double>(source[i]);
            if (!std::isnan(value)) data[i] = static_cast<To>(value);
          }
        });
      });
    }
    ++target;
  }
}

double element_of(const Array& array, std::int64_t at) {
  return dispatch_all(array.spec.dtype, [&]<typename T>(T) {
    return static_cast<double>(static_cast<const T*>(array.data)[at]);
  });
}

const Variant& plain(const Workload& workload) {
  for (const auto* variant : Registry::instance().variants(workload.name())) {
    if (variant->backend == "serial" && variant->run_host) return *variant;
  }
  throw std::logic_error("no serial variant");
}

// A problem, with the serial variant as the honest way to compute it.
struct Computed {
  const Workload& workload;
  Size size;
  Dtype dtype;
  InputKind kind;
  HostArrays arrays;

  Computed(const Workload& workload_, const Size& size_, Dtype dtype_,
           InputKind kind_ = InputKind::wide)
      : workload(workload_),
        size(size_),
        dtype(dtype_),
        kind(kind_),
        arrays(testing::first_layouts(workload, size, dtype)) {
    fill();
  }
  void fill() { workload.fill(arrays.view(), size, dtype, kind); }
  std::unique_ptr<Oracle> oracle(
      Arithmetic arithmetic = Arithmetic::ieee) const {
    return workload.oracle(arrays.view(), size, dtype, kind, arithmetic);
  }
  void run() {
    for (const auto& array : arrays.view()) {
      if (array.spec.role == Role::output) {
        std::fill_n(static_cast<unsigned char*>(array.data), array.spec.bytes(),
                    poison_byte);
      }
    }
    PlainHost host;
    const Arrays bound = arrays.view();
    plain(workload).run_host(host, {&bound, size.data()}, dtype,
                             TunableValues{});
  }
  // All elements of all outputs.
  std::vector<double> results() const {
    std::vector<double> all;
    for (const auto& array : arrays.view()) {
      for (std::int64_t i = 0;
           array.spec.role == Role::output && i < array.spec.count; ++i) {
        const double value = element_of(array, i);
        all.push_back(std::isnan(value) ? 0 : value);
      }
    }
    return all;
  }
  // The arrays that the plain variant writes.
  bool passes(const Oracle& oracle) const {
    return !oracle.check(arrays.view());
  }
  const Array& first(Role role) const {
    return *std::ranges::find_if(arrays.view(), [&](const Array& array) {
      return array.spec.role == role && !array.spec.is_structure;
    });
  }
};

// Changes element `at`, and restores it at the end.
template <typename F>
void with_changed(const Array& array, std::int64_t at, F change,
                  const std::function<void()>& then) {
  dispatch_all(array.spec.dtype, [&]<typename T>(T) {
    T& element = static_cast<T*>(array.data)[at];
    const T before = element;
    element = static_cast<T>(change(static_cast<double>(before)));
    then();
    element = before;
  });
}

// The first elements from the middle on that are written and not zero.
std::vector<std::int64_t> telling_elements(const Array& array,
                                           std::size_t most) {
  std::vector<std::int64_t> all;
  const auto count = array.spec.count;
  for (std::int64_t i = 0; i < count && all.size() < most; ++i) {
    const auto at = (count / 2 + i) % count;
    const double value = element_of(array, at);
    if (value != 0 && !std::isnan(value)) all.push_back(at);
  }
  return all;
}

std::vector<Size> sizes_of(const Workload& workload) {
  std::vector<Size> sizes{complete_size(workload, {256})};
  const auto large = complete_size(workload, {1 << 20});
  const bool is_vector =
      workload.dimensions().size() == workload.parameters().size() + 1;
  if (is_vector && workload.work(large, workload.dtypes()[0]).flops < 1e9)
    sizes.push_back(large);
  return sizes;
}

// f(problem), which messages name.
template <typename F>
void each_problem(const std::vector<Dtype>& dtypes, InputKind kind, F f) {
  int seen = 0;
  for (const auto* workload : Registry::instance().workloads()) {
    if (workload->name().starts_with("fake")) continue;
    ++seen;
    const auto known = workload->dtypes();
    for (const auto dtype : dtypes) {
      if (std::find(known.begin(), known.end(), dtype) == known.end()) continue;
      for (const auto& size : sizes_of(*workload)) {
        BOOST_TEST_CONTEXT(workload->name()
                           << " " << to_string(size) << " " << to_string(dtype)
                           << ", inputs: " << to_string(kind)) {
          Computed problem(*workload, size, dtype, kind);
          f(problem);
        }
      }
    }
  }
  BOOST_TEST(seen >= 7);
}

const std::vector<Dtype> all_dtypes{Dtype::f32, Dtype::f64,  Dtype::i32,
                                    Dtype::f16, Dtype::bf16, Dtype::u8};

}  // namespace

BOOST_AUTO_TEST_SUITE(precision)

BOOST_AUTO_TEST_CASE(rounded_operands_are_refused) {
  each_problem({Dtype::f32, Dtype::f64, Dtype::f16, Dtype::bf16},
               InputKind::wide, [](Computed& problem) {
                 const auto oracle = problem.oracle();
                 problem.run();
                 BOOST_TEST(problem.passes(*oracle));
                 const int own = problem.dtype == Dtype::f64   ? 53
                                 : problem.dtype == Dtype::f32 ? 24
                                 : problem.dtype == Dtype::f16 ? 11
                                                               : 8;
                 for (const int bits : {24, 11, 8, 4}) {
                   if (bits >= own) continue;
                   each_element(problem.arrays.view(), Role::input,
                                [&](double x) { return with_bits(x, bits); });
                   problem.run();
                   BOOST_TEST(!problem.passes(*oracle),
                              "operands of " << bits << " bits passed");
                   problem.fill();
                 }
               });
}

BOOST_AUTO_TEST_CASE(sums_in_float_are_refused_for_double) {
  each_problem({Dtype::f64}, InputKind::wide, [](Computed& problem) {
    Computed narrow(problem.workload, problem.size, Dtype::f32);
    const auto oracle = problem.oracle();
    copy(problem.arrays.view(), narrow.arrays.view(), Role::input);
    narrow.run();
    problem.run();
    copy(narrow.arrays.view(), problem.arrays.view(), Role::output);
    BOOST_TEST(!problem.passes(*oracle));
  });
}

BOOST_AUTO_TEST_CASE(narrower_results_are_refused) {
  each_problem({Dtype::f32, Dtype::f64, Dtype::f16, Dtype::bf16},
               InputKind::wide, [](Computed& problem) {
                 const auto oracle = problem.oracle();
                 problem.run();
                 each_element(problem.arrays.view(), Role::output,
                              [](double x) { return with_bits(x, 11); });
                 BOOST_TEST(!problem.passes(*oracle));
               });
}

BOOST_AUTO_TEST_CASE(a_term_that_is_left_out_is_seen) {
  int told = 0;
  each_problem(all_dtypes, InputKind::integers, [&](Computed& problem) {
    const auto oracle = problem.oracle();
    problem.run();
    BOOST_TEST(problem.passes(*oracle));
    const auto right = problem.results();
    const auto& input = problem.first(Role::input);
    // Some elements may change nothing, as one that is not positive does where
    // the positive ones are counted.
    bool changed = false;
    for (const auto at : telling_elements(input, 16)) {
      with_changed(
          input, at, [](double) { return 0; },
          [&] {
            problem.run();
            changed = problem.results() != right;
          });
      if (changed) break;
    }
    if (!changed) return;
    ++told;
    BOOST_TEST(!problem.passes(*oracle));
  });
  BOOST_TEST(told >= 20);
}

BOOST_AUTO_TEST_CASE(an_element_that_is_wrong_is_seen) {
  for (const auto kind : {InputKind::integers, InputKind::uniform}) {
    each_problem(all_dtypes, kind, [](Computed& problem) {
      const auto oracle = problem.oracle();
      problem.run();
      BOOST_TEST(problem.passes(*oracle));
      const auto& output = problem.first(Role::output);
      const auto telling = telling_elements(output, 1);
      if (telling.empty()) return;
      const auto at = telling[0];
      double expected = 0, bound = 0;
      const auto far = [](double) { return 1e9; };
      with_changed(output, at, far, [&] {
        const auto wrong = oracle->check(problem.arrays.view());
        BOOST_REQUIRE(wrong);
        expected = wrong->expected, bound = wrong->bound;
      });
      const auto off = [&](double by) {
        bool passes = false;
        with_changed(
            output, at, [&](double) { return expected + by; },
            [&] { passes = problem.passes(*oracle); });
        return passes;
      };
      const double place =
          std::abs(expected) * unit_roundoff(problem.dtype) * 4;
      BOOST_TEST(
          !off(std::max(2 * bound, is_integer(output.spec.dtype) ? 1 : place)));
      BOOST_TEST(off(0));
      if (output.spec.count < 2) return;
      // Each element is stored one place beside its own.
      const auto size_of_element = bytes_of(output.spec.dtype);
      auto* const data = static_cast<unsigned char*>(output.data);
      std::memmove(data + size_of_element, data,
                   output.spec.bytes() - size_of_element);
      BOOST_TEST(!problem.passes(*oracle));
    });
  }
}

// Operands of products: those of covariance are centred.
void round_operands(const Computed& problem, int bits) {
  const auto& arrays = problem.arrays.view();
  if (problem.workload.name() != "covariance") {
    each_element(arrays, Role::input,
                 [=](double x) { return with_bits(x, bits); });
    return;
  }
  const auto m = problem.size[0], n = problem.size[1];
  float* data = arrays.get<float>("data");
  for (std::int64_t j = 0; j < n; ++j) {
    double mean = 0;
    for (std::int64_t k = 0; k < m; ++k)
      mean += data[k * n + j] / static_cast<double>(m);
    for (std::int64_t k = 0; k < m; ++k) {
      float& x = data[k * n + j];
      x = static_cast<float>(mean + with_bits(x - mean, bits));
    }
  }
}

BOOST_AUTO_TEST_CASE(declared_arithmetic_passes) {
  const std::vector<std::pair<Arithmetic, int>> declared{
      {Arithmetic::tf32, 11},
      {Arithmetic::bf16, 8},
      {Arithmetic::fp16, 11},
      {Arithmetic::tf32x3, 22},
      {Arithmetic::bf16x3, 16}};
  each_problem({Dtype::f32}, InputKind::wide, [&](Computed& problem) {
    for (const auto& [arithmetic, bits] : declared) {
      problem.fill();
      std::unique_ptr<Oracle> oracle;
      try {
        oracle = problem.oracle(arithmetic);
      } catch (const std::logic_error& error) {
        // exp of a large operand of few bits may be anything
        BOOST_TEST(bits < 20);
        BOOST_TEST(std::string(error.what()).find("has no bound") !=
                   std::string::npos);
        continue;
      }
      round_operands(problem, bits);
      problem.run();
      BOOST_TEST(problem.passes(*oracle), to_string(arithmetic));
    }
  });
}

// A sum of two terms loses up to half a unit of the sum, which may be more than
// half a unit of the root of their squares.
BOOST_AUTO_TEST_CASE(the_largest_rounding_of_two_terms_passes) {
  each_problem({Dtype::f32}, InputKind::uniform, [](Computed& problem) {
    for (const auto& array : problem.arrays.view()) {
      if (array.spec.role != Role::input || array.spec.dtype != problem.dtype ||
          array.spec.is_constant() || array.spec.count < 2)
        continue;
      auto* const data = static_cast<float*>(array.data);
      data[0] = 0.5f + 0x1p-24f;
      data[1] = 0.5f;
    }
    problem.run();
    BOOST_TEST(problem.passes(*problem.oracle()));
  });
}

BOOST_AUTO_TEST_SUITE_END()
