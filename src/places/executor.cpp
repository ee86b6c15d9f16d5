#include "places/executor.hpp"

#include <algorithm>
#include <iterator>

#include "verify/problem.hpp"

namespace parlab {

Arrays declared_by(const Variant& variant, const Arrays& arrays) {
  std::vector<Array> declared;
  std::copy_if(arrays.begin(), arrays.end(), std::back_inserter(declared),
               [&](const Array& array) {
                 return variant.reads(array.spec) || variant.writes(array.spec);
               });
  return Arrays(std::move(declared));
}

Counted count_once(Executor& executor, const Workload& workload,
                   const Call& call, const GpuShape& gpu) {
  Problem problem(workload, call.size, call.dtype, {call.variant});
  problem.fill(InputKind::uniform);
  executor.load(problem.inputs(), problem.outputs());
  auto counted = executor.count(call, gpu);
  executor.release();
  return counted;
}

std::unique_ptr<Executor> make_executor(Target target, int device) {
  return target == Target::host ? make_host_executor()
                                : make_gpu_executor(target, device);
}

}  // namespace parlab
