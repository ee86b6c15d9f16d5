// half and bfloat16: their conversions, compared with their definition and with
// the compiler's own.
#include "core/narrow.hpp"

#include <bit>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/random.hpp"
#include "core/types.hpp"

using namespace parlab;

namespace {

// The value of `bits` by the definition: sign, exponent, fraction.
template <int exponent_bits>
double by_definition(std::uint16_t bits) {
  const int fraction_bits = 15 - exponent_bits,
            bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1);
  const double fraction =
      std::ldexp(bits & ((1 << fraction_bits) - 1), -fraction_bits);
  double value = exponent == 0 ? std::ldexp(fraction, 1 - bias)
                               : std::ldexp(1 + fraction, exponent - bias);
  if (exponent == (1 << exponent_bits) - 1) {
    value = fraction == 0 ? std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::quiet_NaN();
  }
  return bits >> 15 ? -value : value;
}

// Every value is read by the definition, and converted back to the same bits.
template <typename Narrow, int exponent_bits>
void check_all_values() {
  int wrong = 0;
  for (int bits = 0; bits < 65536; ++bits) {
    Narrow narrow;
    narrow.bits = static_cast<std::uint16_t>(bits);
    const double value = by_definition<exponent_bits>(narrow.bits);
    const float found = narrow;
    if (std::isnan(value)) {
      wrong +=
          !std::isnan(found) || !std::isnan(static_cast<float>(Narrow(found)));
      continue;
    }
    wrong += static_cast<double>(found) != value;
    wrong += std::signbit(found) != (bits >> 15 != 0);
    wrong +=
        Narrow(found).bits != narrow.bits || Narrow(value).bits != narrow.bits;
  }
  BOOST_TEST(wrong == 0);
}

// A value between two neighbours becomes the nearer one; half way, the one
// whose last bit is 0.
template <typename Narrow>
void check_between_neighbours() {
  // Bits of the largest finite value.
  const std::uint16_t most =
      Narrow(std::numeric_limits<double>::infinity()).bits - 1;
  int wrong = 0;
  for (std::uint16_t bits = 0; bits < most; ++bits) {
    Narrow below, above;
    below.bits = bits;
    above.bits = static_cast<std::uint16_t>(bits + 1);
    const double low = static_cast<float>(below),
                 high = static_cast<float>(above);
    const double tie = (low + high) / 2;
    const auto even = bits % 2 == 0 ? below.bits : above.bits;
    wrong += Narrow(tie).bits != even || Narrow(-tie).bits != (even | 0x8000);
    // Closer to the tie than any float: rounding to float first goes wrong
    // here.
    wrong += Narrow(std::nextafter(tie, 0.0)).bits != below.bits;
    wrong += Narrow(std::nextafter(tie, high)).bits != above.bits;
  }
  BOOST_TEST(wrong == 0);

  // Infinity begins half a place beyond the largest finite value.
  Narrow last, last_but_one;
  last.bits = most;
  last_but_one.bits = most - 1;
  const double largest = static_cast<float>(last);
  const double place =
      largest - static_cast<double>(static_cast<float>(last_but_one));
  BOOST_TEST(Narrow(std::nextafter(largest + place / 2, 0.0)).bits == most);
  BOOST_TEST(std::isinf(static_cast<float>(Narrow(largest + place / 2))));
  BOOST_TEST(std::isinf(static_cast<float>(Narrow(1e300))));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(narrow)

BOOST_AUTO_TEST_CASE(each_value_is_read_and_written_as_defined) {
  check_all_values<half, 5>();
  check_all_values<bfloat16, 8>();
}

BOOST_AUTO_TEST_CASE(values_in_between_go_to_the_nearest_and_ties_to_even) {
  check_between_neighbours<half>();
  check_between_neighbours<bfloat16>();
}

BOOST_AUTO_TEST_CASE(half_agrees_with_the_compiler) {
  int wrong = 0;
  for (int bits = 0; bits < 65536; ++bits) {
    half ours;
    ours.bits = static_cast<std::uint16_t>(bits);
    const float theirs = static_cast<float>(std::bit_cast<_Float16>(ours.bits));
    const float found = ours;
    wrong += std::isnan(theirs) ? !std::isnan(found)
                                : std::bit_cast<std::uint32_t>(theirs) !=
                                      std::bit_cast<std::uint32_t>(found);
  }
  // Random values of every exponent of half and some beyond, as double and as
  // float.
  for (std::uint64_t i = 0; i < 2'000'000; ++i) {
    const std::uint64_t random = random_bits(1, i);
    const std::uint64_t exponent = 1023 - 30 + random % 60;
    const auto value =
        std::bit_cast<double>((random & 0x800fffffffffffffu) | exponent << 52);
    const auto single = static_cast<float>(value);
    wrong += half(value).bits !=
             std::bit_cast<std::uint16_t>(static_cast<_Float16>(value));
    wrong += half(single).bits !=
             std::bit_cast<std::uint16_t>(static_cast<_Float16>(single));
  }
  BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_CASE(whole_numbers_and_zero) {
  BOOST_TEST(static_cast<float>(half{}) == 0.0f);
  BOOST_TEST(static_cast<float>(half(-8)) == -8.0f);
  BOOST_TEST(static_cast<float>(bfloat16(8)) == 8.0f);
  BOOST_TEST(half(-0.0).bits == 0x8000);
  const float product = half(3) * half(5);
  BOOST_TEST(product == 15.0f);
}

BOOST_AUTO_TEST_CASE(dtypes_have_names_and_sizes) {
  for (const auto* name : {"float", "double", "int", "half", "bfloat16"}) {
    BOOST_TEST(to_string(from_string<Dtype>(name)) == name);
  }
  BOOST_TEST(bytes_of(Dtype::f16) == 2u);
  BOOST_TEST(bytes_of(Dtype::bf16) == 2u);
}

BOOST_AUTO_TEST_CASE(an_unknown_dtype_is_an_error) {
  const auto unknown = static_cast<Dtype>(17);
  BOOST_CHECK_THROW(to_string(unknown), std::logic_error);
  BOOST_CHECK_THROW(bytes_of(unknown), std::logic_error);
}

BOOST_AUTO_TEST_CASE(dispatch_takes_the_types_it_was_given_and_no_others) {
  const auto bytes_among_float_and_double = [](Dtype dtype) {
    return dispatch<float, double>(dtype,
                                   [](auto zero) { return sizeof zero; });
  };
  BOOST_TEST(bytes_among_float_and_double(Dtype::f64) == 8u);
  BOOST_CHECK_THROW(bytes_among_float_and_double(Dtype::i32), std::logic_error);
}

BOOST_AUTO_TEST_SUITE_END()
