// Active warps of a multiprocessor against block size, computed by the
// toolkit's occupancy header: for machines without a GPU. Arguments: registers
// per thread, dynamic shared bytes for each thread of the block. Output:
// block size and active warps, one pair per line.
#include <cuda_occupancy.h>

#include <cstdio>
#include <cstdlib>

namespace {

// An H200 (compute capability 9.0), as cudaGetDeviceProperties describes it.
cudaOccDeviceProp h200() {
  cudaOccDeviceProp device;
  device.computeMajor = 9;
  device.computeMinor = 0;
  device.maxThreadsPerBlock = 1024;
  device.maxThreadsPerMultiprocessor = 2048;
  device.regsPerBlock = 65536;
  device.regsPerMultiprocessor = 65536;
  device.warpSize = 32;
  device.sharedMemPerBlock = 48 << 10;
  device.sharedMemPerMultiprocessor = 228 << 10;
  device.numSms = 132;
  device.sharedMemPerBlockOptin = 227 << 10;
  device.reservedSharedMemPerBlock = 1 << 10;
  return device;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr,
                 "usage: occupancy REGISTERS SHARED_BYTES_PER_THREAD\n");
    return 2;
  }
  const cudaOccDeviceProp device = h200();
  cudaOccFuncAttributes kernel;
  kernel.maxThreadsPerBlock = 1024;
  kernel.numRegs = std::atoi(argv[1]);
  kernel.maxDynamicSharedSizeBytes = 48 << 10;
  const cudaOccDeviceState state;
  for (int block = 16; block <= 512; block += 16) {
    cudaOccResult result;
    const auto shared =
        static_cast<size_t>(block) * std::strtoul(argv[2], nullptr, 10);
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel,
                                                &state, block,
                                                shared) != CUDA_OCC_SUCCESS) {
      std::fprintf(stderr,
                   "occupancy: the header refuses blocks of %d threads\n",
                   block);
      return 1;
    }
    std::printf("%d\t%d\n", block,
                result.activeBlocksPerMultiprocessor * ((block + 31) / 32));
  }
}
