#include "places/executor.hpp"

#include <algorithm>
#include <iterator>

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
  switch (target) {
    case Target::gpu:
      return make_gpu_executor(device);
    case Target::streams:
      return make_streams_executor(device);
    case Target::team:
      return make_team_executor();
    default:
      return make_host_executor();
  }
}

}  // namespace parlab
