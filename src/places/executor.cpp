#include "places/executor.hpp"

#include <algorithm>
#include <iterator>

#include "places/gpu_executor.hpp"

namespace parlab {

Arrays declared_by(const Variant& variant, const Arrays& arrays) {
  std::vector<Array> declared;
  std::copy_if(arrays.begin(), arrays.end(), std::back_inserter(declared),
               [&](const Array& array) {
                 return variant.reads(array.spec) || variant.writes(array.spec);
               });
  return Arrays(std::move(declared));
}

std::unique_ptr<Executor> make_executor(Target target, int device) {
  return target == Target::host ? make_host_executor()
                                : make_gpu_executor(target, device);
}

}  // namespace parlab
