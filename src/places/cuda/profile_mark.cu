// A file of its own: all that drives the GPU beside it is compiled in one pass.
#include "places/cuda/profile_mark.hpp"

namespace parlab {
namespace {

__global__ void execution_begins() {}

}  // namespace

void mark_execution(int number, cudaStream_t stream) {
  execution_begins<<<number + 1, 1, 0, stream>>>();
}

}  // namespace parlab
