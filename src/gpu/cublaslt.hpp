// cuBLASLt, loaded on its first call: the part of cuBLAS that lets its caller
// choose among its kernels.
#pragma once

#include <cublasLt.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>

#include "gpu/cublas.hpp"

namespace parlab {

// Products on the tensor cores with sums in float, by the fastest of the
// kernels that the library's heuristics propose. They are tried at the first
// product of a kind, which is never timed.
class CublasLt {
 public:
  // Throws PointError(not_supported) when the library is not installed.
  static CublasLt& on(Gpu& gpu) { return gpu.attached<CublasLt>(); }

  // C = A B, with A m x k and B k x n, all column-major without gaps; floats
  // are rounded to TF32.
  template <typename T>
  void gemm(Gpu& gpu, std::int64_t m, std::int64_t n, std::int64_t k,
            const T* a, const T* b, float* c) {
    const Call call = {.a = a,
                       .b = b,
                       .c = c,
                       .workspace = gpu.scratch<unsigned char>(workspace_bytes),
                       .stream = static_cast<cudaStream_t>(gpu.stream())};
    const Plan& plan =
        plan_for({factor_type<T>, tensor_compute_type<T>, m, n, k}, call);
    check(run(plan, plan.kernel, call), "cublasLtMatmul");
  }

  CublasLt() : library_("libcublasLt.so." + std::to_string(CUBLAS_VER_MAJOR)) {
    library_.resolve(status_string_, "cublasLtGetStatusString");
    library_.resolve(create_, "cublasLtCreate");
    library_.resolve(create_product_, "cublasLtMatmulDescCreate");
    library_.resolve(create_layout_, "cublasLtMatrixLayoutCreate");
    library_.resolve(create_preference_, "cublasLtMatmulPreferenceCreate");
    library_.resolve(set_preference_, "cublasLtMatmulPreferenceSetAttribute");
    library_.resolve(destroy_preference_, "cublasLtMatmulPreferenceDestroy");
    library_.resolve(propose_, "cublasLtMatmulAlgoGetHeuristic");
    library_.resolve(multiply_, "cublasLtMatmul");
    check(create_(&handle_), "cublasLtCreate");
  }

 private:
  // the library's recommendation for Hopper
  static constexpr std::size_t workspace_bytes = 32 << 20;
  static constexpr float enough_ms = 50;  // time for choosing

  // A product of one kind. It lives as long as the Gpu, and so does the handle.
  struct Plan {
    cublasLtMatmulDesc_t product = nullptr;
    cublasLtMatrixLayout_t a = nullptr, b = nullptr, c = nullptr;
    cublasLtMatmulAlgo_t kernel = {};
  };
  struct Call {
    const void* a;
    const void* b;
    float* c;
    void* workspace;
    cudaStream_t stream;
  };

  struct Product {
    cudaDataType_t factor;
    cublasComputeType_t compute;
    std::int64_t m, n, k;
    auto operator<=>(const Product&) const = default;
  };

  const Plan& plan_for(const Product& product, const Call& call) {
    const auto [at, is_new] = plans_.try_emplace(product);
    Plan& plan = at->second;
    if (!is_new) return plan;
    const auto layout = [&](cublasLtMatrixLayout_t& matrix, cudaDataType_t type,
                            std::int64_t rows, std::int64_t cols) {
      check(create_layout_(&matrix, type, static_cast<std::uint64_t>(rows),
                           static_cast<std::uint64_t>(cols), rows),
            "cublasLtMatrixLayoutCreate");
    };
    const auto [factor, compute, m, n, k] = product;
    try {
      check(create_product_(&plan.product, compute, CUDA_R_32F),
            "cublasLtMatmulDescCreate");
      layout(plan.a, factor, m, k);
      layout(plan.b, factor, k, n);
      layout(plan.c, CUDA_R_32F, m, n);
      plan.kernel = fastest(plan, call);
    } catch (...) {
      plans_.erase(at);
      throw;
    }
    return plan;
  }

  cublasLtMatmulAlgo_t fastest(const Plan& plan, const Call& call) {
    cublasLtMatmulPreference_t preference;
    check(create_preference_(&preference), "cublasLtMatmulPreferenceCreate");
    check(set_preference_(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                          &workspace_bytes, sizeof workspace_bytes),
          "cublasLtMatmulPreferenceSetAttribute");
    constexpr int most = 16;
    cublasLtMatmulHeuristicResult_t proposed[most];
    int count = 0;
    check(propose_(handle_, plan.product, plan.a, plan.b, plan.c, plan.c,
                   preference, most, proposed, &count),
          "cublasLtMatmulAlgoGetHeuristic");
    destroy_preference_(preference);
    int best = -1;
    float least[most], spent = 0;
    // Try the kernels in turn, and small products often, because a busy host
    // may delay any launch.
    for (int round = 0; round == 0 || (round < 20 && spent < enough_ms);
         ++round) {
      for (int i = 0; i < count; ++i) {
        const auto& kernel = proposed[i].algo;
        if (round == 0) {
          least[i] = std::numeric_limits<float>::infinity();
          if (run(plan, kernel, call) != CUBLAS_STATUS_SUCCESS) continue;
        } else if (std::isinf(least[i])) {
          continue;
        }
        const float time = milliseconds(call.stream, [&] {
          for (int r = 0; r < 3; ++r)
            run(plan, kernel, call);
        });
        spent += time;
        least[i] = std::min(least[i], time);
        if (best < 0 || least[i] < least[best]) best = i;
      }
    }
    if (best < 0) {
      throw PointError(Verdict::not_supported,
                       {.cause = Cause::no_kernel_for_product});
    }
    return proposed[best].algo;
  }

  template <typename F>
  static float milliseconds(cudaStream_t stream, F f) {
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin, stream);
    f();
    cudaEventRecord(end, stream);
    const cudaError_t status = cudaEventSynchronize(end);
    float time = 0;
    cudaEventElapsedTime(&time, begin, end);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    if (status != cudaSuccess) {
      throw PointError(Verdict::launch_failed,
                       {.cause = Cause::cuda_failed,
                        .arguments = {"trying out kernels of cuBLASLt",
                                      cudaGetErrorString(status)}});
    }
    return time;
  }

  cublasStatus_t run(const Plan& plan, const cublasLtMatmulAlgo_t& kernel,
                     const Call& call) {
    const float one = 1, zero = 0;
    return multiply_(handle_, plan.product, &one, call.a, plan.a, call.b,
                     plan.b, &zero, call.c, plan.c, call.c, plan.c, &kernel,
                     call.workspace, workspace_bytes, call.stream);
  }

  void check(cublasStatus_t status, const char* call) const {
    cublas_check(status, call, status_string_);
  }

  SharedLibrary library_;
  cublasLtHandle_t handle_ = nullptr;
  std::map<Product, Plan> plans_;
  decltype(cublasLtGetStatusString)* status_string_ = nullptr;
  decltype(cublasLtCreate)* create_ = nullptr;
  decltype(cublasLtMatmulDescCreate)* create_product_ = nullptr;
  decltype(cublasLtMatrixLayoutCreate)* create_layout_ = nullptr;
  decltype(cublasLtMatmulPreferenceCreate)* create_preference_ = nullptr;
  decltype(cublasLtMatmulPreferenceSetAttribute)* set_preference_ = nullptr;
  decltype(cublasLtMatmulPreferenceDestroy)* destroy_preference_ = nullptr;
  decltype(cublasLtMatmulAlgoGetHeuristic)* propose_ = nullptr;
  decltype(cublasLtMatmul)* multiply_ = nullptr;
};

}  // namespace parlab
