// The arguments of a workload follow from the names of its arrays.
#include <boost/test/unit_test.hpp>

#include "core/arrays.hpp"

using namespace parlab;

namespace {

struct Derived {
  template <typename T>
  struct Args {
    const std::int32_t* places;
    const T *x, *other_layout;
    T* y;
    std::int64_t rows, cols;
    int radius;
  };
  static constexpr const char* arrays[] = {"places", "x", "other_layout", "y"};
};

struct Own {
  template <typename T>
  struct Args {
    T* y;
    std::int64_t twice;
  };
  template <typename T>
  static Args<T> bind(const NamedArrays& arrays, const std::int64_t* size) {
    return {arrays.get<T>("y"), 2 * size[0]};
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(arguments)

BOOST_AUTO_TEST_CASE(are_the_arrays_by_name_and_then_the_size) {
  std::int32_t places[1];
  double x[1], y[1];
  const std::int64_t size[] = {5, 6, 7};
  const Arrays arrays({{{.name = "y", .dtype = Dtype::f64}, y},
                       {{.name = "places", .dtype = Dtype::i32}, places},
                       {{.name = "x", .dtype = Dtype::f64}, x}});
  const auto p = arguments_of<Derived, double>(arrays, size);
  BOOST_TEST((p.places == places && p.x == x && p.y == y));
  BOOST_TEST(p.other_layout == nullptr);  // nobody asked for it
  BOOST_TEST((p.rows == 5 && p.cols == 6 && p.radius == 7));
  BOOST_CHECK_THROW((arguments_of<Derived, float>(arrays, size)),
                    std::logic_error);
  const auto own = arguments_of<Own, double>(arrays, size);
  BOOST_TEST((own.y == y && own.twice == 10));
}

BOOST_AUTO_TEST_SUITE_END()
