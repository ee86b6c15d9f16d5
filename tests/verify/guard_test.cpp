// Arrays of every element size and of odd counts are guarded and fingerprinted
// up to the last byte. Also tests their memory needs, and the units that a
// variant names.
#include "verify/guard.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <numeric>

#include "core/variant.hpp"
#include "verify/host_arrays.hpp"
#include "verify/problem.hpp"

using namespace parlab;

BOOST_AUTO_TEST_SUITE(guard)

BOOST_AUTO_TEST_CASE(each_byte_counts_in_a_fingerprint) {
  std::vector<unsigned char> bytes(23);
  std::iota(bytes.begin(), bytes.end(), 1);
  for (std::size_t count = 1; count <= bytes.size(); ++count) {
    const auto before = fingerprint(bytes.data(), count, 2);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] ^= 64;
      BOOST_TEST((fingerprint(bytes.data(), count, 2) != before) == (i < count),
                 "byte " << i << " of " << count);
      bytes[i] ^= 64;
    }
  }
  // The last word is filled up with zeros, wherever it is computed.
  const std::uint32_t words[] = {0x04030201, 0x00000605};
  BOOST_TEST(fingerprint(bytes.data(), 6, 2) ==
             fingerprint_term(words[0], 0) + fingerprint_term(words[1], 1));
}

BOOST_AUTO_TEST_CASE(an_array_ends_behind_its_last_element) {
  for (const auto dtype : {Dtype::f16, Dtype::bf16, Dtype::f32, Dtype::f64}) {
    for (const std::int64_t count : {1, 3, 4097}) {
      HostArrays arrays({{"x", dtype, count, Role::output}});
      auto* data = arrays.view().get<unsigned char>("x");
      const auto bytes = static_cast<std::ptrdiff_t>(count * bytes_of(dtype));
      arrays.poison();
      BOOST_TEST(!arrays.damage());
      BOOST_TEST(data[bytes - 1] == poison_byte);
      data[bytes] = 0;
      BOOST_TEST(to_string(arrays.damage()) == "wrote_past_end x");
      data[bytes] = guard_byte;
      data[-1] = 0;
      BOOST_TEST(to_string(arrays.damage()) == "wrote_before_start x");
    }
  }
}

template <typename T>
double double_of(const void* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<double>(value);
}

// If not, a loop that takes one element too many would pass.
BOOST_AUTO_TEST_CASE(a_sum_with_a_guard_is_wrong) {
  const auto test = [](auto of_type, double least) {
    using T = decltype(of_type);
    HostArrays arrays({{"x", dtype_of<T>(), 5, Role::input}});
    auto* const x = arrays.view().get<T>("x");
    for (const auto* outside : {x - 1, x + 5}) {
      const auto value = double_of<T>(outside);
      BOOST_TEST((std::isnan(value) || value >= least), to_string(dtype_of<T>())
                                                            << ": " << value);
    }
  };
  test(half{}, 0);
  test(bfloat16{}, 1e38);
  test(float{}, 1e38);
  test(double{}, 1e300);
  test(int{}, 1e9);
  test(std::int8_t{}, 100);
  test(std::uint8_t{}, 100);
  test(std::uint32_t{}, 1e9);
}

BOOST_AUTO_TEST_CASE(an_array_is_taken_as_what_it_is) {
  const HostArrays arrays({{"x", Dtype::f16, 5, Role::input}});
  BOOST_TEST(arrays.view().get<half>("x") != nullptr);
  BOOST_TEST(arrays.view().get<const half>("y") == nullptr);
  BOOST_CHECK_THROW(arrays.view().get<bfloat16>("x"), std::logic_error);
  BOOST_CHECK_THROW(arrays.view().get<const float>("x"), std::logic_error);
}

BOOST_AUTO_TEST_CASE(memory_is_counted_by_array) {
  const auto& matmul = *Registry::instance().workload("matmul");
  const Size size{3, 5, 7};
  BOOST_TEST(bytes_needed(matmul, size, Dtype::f64, {}) ==
             8.0 * (15 + 35 + 21));
  BOOST_TEST(bytes_needed(matmul, size, Dtype::bf16, {}) ==
             2.0 * (15 + 35) + 4.0 * 21);
  const Work work = matmul.work(size, Dtype::f16);
  BOOST_TEST(work.bytes == 2.0 * (15 + 35) + 4.0 * 21);
  BOOST_TEST(work.written == 4.0 * 21);
}

// A reference made from damaged inputs would blame whoever comes next.
BOOST_AUTO_TEST_CASE(results_for_damaged_inputs_do_not_last) {
  const auto& dmv = *Registry::instance().workload("dmv");
  const auto& variant = *Registry::instance().variants("dmv").front();
  const Size size{3, 1};
  Problem problem(dmv, size, Dtype::f32, {&variant});
  problem.fill(InputKind::uniform);
  HostArrays outputs(problem.outputs());
  auto* const a = const_cast<float*>(problem.inputs().get<const float>("a"));
  const auto* const x = problem.inputs().get<const float>("x");
  for (int row = 0; row < 3; ++row)
    outputs.view().get<float>("y")[row] = a[row] * x[0];
  BOOST_TEST(problem.damaged_input() == "");
  a[0] += 1;
  BOOST_TEST(problem.damaged_input() == "a");
  BOOST_TEST(problem.check_disturbed(outputs.view(), variant).has_value());
  problem.refill();
  BOOST_TEST(problem.damaged_input() == "");
  BOOST_TEST(!problem.check_disturbed(outputs.view(), variant).has_value());
}

// An int in place of a float may look like a NaN.
BOOST_AUTO_TEST_CASE(what_nobody_wrote_is_told_from_other_numbers) {
  const auto cause = [](auto found) {
    return detail_of(Mismatch{.where = "y[0]",
                              .expected = 1,
                              .found = static_cast<double>(found),
                              .bound = 0})
        .cause;
  };
  BOOST_TEST((cause(std::bit_cast<double>(~0ull)) == Cause::left_out));
  BOOST_TEST((cause(std::bit_cast<float>(~0u)) == Cause::left_out));
  BOOST_TEST((cause(std::bit_cast<float>(0xffff0000u)) == Cause::left_out));
  BOOST_TEST((cause(std::bit_cast<float>(-95)) == Cause::not_a_number));
}

BOOST_AUTO_TEST_CASE(a_variant_names_its_units) {
  BOOST_TEST(plain_unit(Dtype::f64) == "fma double");
  BOOST_TEST(plain_unit(Dtype::bf16) == "fma float");
  const auto variant = describe({.units = {{Dtype::f64, "tensor double"}}},
                                "cuda/matmul/x.cu", "hash");
  BOOST_TEST(variant.unit(Dtype::f64) == "tensor double");
  BOOST_TEST(variant.unit(Dtype::f32) == "fma float");
  BOOST_CHECK_THROW(describe({.units = {{Dtype::f64, "tensor doubles"}}},
                             "cuda/m/x.cu", "hash"),
                    std::logic_error);
}

BOOST_AUTO_TEST_SUITE_END()
