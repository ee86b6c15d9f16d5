// The macros for error checks that programs use from the header of this name in
// NVIDIA's samples. Rewritten from scratch.
#pragma once
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

inline void check(cudaError_t error, const char* call, const char* file,
                  int line) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, call,
               cudaGetErrorString(error));
  std::exit(EXIT_FAILURE);
}
#define checkCudaErrors(call) check((call), #call, __FILE__, __LINE__)
#define getLastCudaError(message) \
  check(cudaGetLastError(), message, __FILE__, __LINE__)
#define gpuErrchk(call) checkCudaErrors(call)

inline int findCudaDevice(int = 0, const char** = nullptr) {
  return 0;
}
inline int ftoi(float value) {
  return static_cast<int>(value >= 0 ? value + 0.5f : value - 0.5f);
}
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
