// The scan of CUB, the library that NVIDIA's own software uses: decoupled
// look-back in one pass, after a launch that resets the states of the tiles.
#include <cub/device/device_scan.cuh>
#include <string>

#include "core/types.hpp"
#include "facts/cause.hpp"
#include "gpu/gpu.hpp"
#include "workloads/scan.hpp"

using namespace parlab;

const Register<Scan, int, float, double> variant(
    {
        .rung = 100,
        .idea = "DeviceScan::InclusiveSum of CUB",
    },
    []<typename T>(Gpu& gpu, const Scan::Args<T>& p, const Tunables&) {
      const auto stream = static_cast<cudaStream_t>(gpu.stream());
      std::size_t bytes = 0;
      auto status =
          cub::DeviceScan::InclusiveSum(nullptr, bytes, p.x, p.y, p.n, stream);
      if (status == cudaSuccess) {
        void* scratch =
            gpu.scratch<std::byte>(static_cast<std::int64_t>(bytes));
        status = cub::DeviceScan::InclusiveSum(scratch, bytes, p.x, p.y, p.n,
                                               stream);
      }
      if (status != cudaSuccess) {
        throw PointError(Verdict::launch_failed,
                         std::string("cub::DeviceScan::InclusiveSum failed: ") +
                             cudaGetErrorString(status));
      }
    });
