#include "places/executor.hpp"

#include <algorithm>
#include <iterator>

namespace parlab {

Arrays declared_by(const Variant& variant, const Arrays& arrays) {
  std::vector<Array> declared;
  std::copy_if(arrays.begin(), arrays.end(), std::back_inserter(declared), [&](const Array& array) {
    return variant.reads(array.spec) || variant.writes(array.spec);
  });
  return Arrays(std::move(declared));
}

}  // namespace parlab
