// The sum of CUB, the library that NVIDIA's own software uses: one launch if
// one block can take it all, otherwise two. The second pass adds the blocks'
// sums in a fixed order.
#include <cub/device/device_reduce.cuh>
#include <string>

#include "core/types.hpp"
#include "facts/cause.hpp"
#include "gpu/gpu.hpp"
#include "workloads/vector_sum.hpp"

using namespace parlab;

const Register<VectorSum, int, float, double> variant(
    {
        .rung = 100,
        .idea = "DeviceReduce::Sum of CUB",
    },
    []<typename T>(Gpu& gpu, const VectorSum::Args<T>& p, const Tunables&) {
      const auto stream = static_cast<cudaStream_t>(gpu.stream());
      std::size_t bytes = 0;
      auto status =
          cub::DeviceReduce::Sum(nullptr, bytes, p.x, p.sum, p.n, stream);
      if (status == cudaSuccess) {
        void* scratch =
            gpu.scratch<std::byte>(static_cast<std::int64_t>(bytes));
        status =
            cub::DeviceReduce::Sum(scratch, bytes, p.x, p.sum, p.n, stream);
      }
      if (status != cudaSuccess) {
        throw PointError(Verdict::launch_failed,
                         std::string("cub::DeviceReduce::Sum failed: ") +
                             cudaGetErrorString(status));
      }
    });
