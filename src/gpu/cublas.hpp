// cuBLAS, loaded when it is first called: loading it takes a tenth of a second.
#pragma once

#include <cublas_v2.h>

#include <cstdint>
#include <string>

#include "core/types.hpp"
#include "facts/cause.hpp"
#include "gpu/gpu.hpp"
#include "gpu/shared_library.hpp"

namespace parlab {

// The calls of cuBLAS that variants use, in the library's own column-major
// terms. One handle per Gpu. It is not destroyed: the context it would
// have to speak to may be gone already.
class Cublas {
 public:
  // Bound to the stream of this Gpu. Throws PointError(not_supported)
  // when the library is not there.
  static Cublas& on(Gpu& gpu) {
    auto& library = gpu.attached<Cublas>();
    library.check(library.set_stream_(library.handle_,
                                      static_cast<cudaStream_t>(gpu.stream())),
                  "cublasSetStream");
    return library;
  }

  // y = op(A) x, A m x n and column-major with leading dimension m.
  void gemv(cublasOperation_t op,
            std::int64_t m,
            std::int64_t n,
            const float* a,
            const float* x,
            float* y) {
    const float one = 1, zero = 0;
    check(sgemv_(handle_, op, m, n, &one, a, m, x, 1, &zero, y, 1),
          "cublasSgemv");
  }
  void gemv(cublasOperation_t op,
            std::int64_t m,
            std::int64_t n,
            const double* a,
            const double* x,
            double* y) {
    const double one = 1, zero = 0;
    check(dgemv_(handle_, op, m, n, &one, a, m, x, 1, &zero, y, 1),
          "cublasDgemv");
  }

  // *result = x . y, n elements each; result is on the device.
  void dot(std::int64_t n, const float* x, const float* y, float* result) {
    const ResultOnDevice scope(*this);
    check(sdot_(handle_, n, x, 1, y, 1, result), "cublasSdot");
  }
  void dot(std::int64_t n, const double* x, const double* y, double* result) {
    const ResultOnDevice scope(*this);
    check(ddot_(handle_, n, x, 1, y, 1, result), "cublasDdot");
  }

  // C = A B, A m x k, B k x n, all column-major without gaps.
  void gemm(std::int64_t m,
            std::int64_t n,
            std::int64_t k,
            const float* a,
            const float* b,
            float* c) {
    const float one = 1, zero = 0;
    check(sgemm_(handle_, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a, m, b, k,
                 &zero, c, m),
          "cublasSgemm");
  }
  void gemm(std::int64_t m,
            std::int64_t n,
            std::int64_t k,
            const double* a,
            const double* b,
            double* c) {
    const double one = 1, zero = 0;
    check(dgemm_(handle_, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a, m, b, k,
                 &zero, c, m),
          "cublasDgemm");
  }
  // C = A A^T, A n x k, C n x n, both column-major without gaps.
  void gemm_gram(std::int64_t n, std::int64_t k, const float* a, float* c) {
    const float one = 1, zero = 0;
    check(sgemm_(handle_, CUBLAS_OP_N, CUBLAS_OP_T, n, n, k, &one, a, n, a, n,
                 &zero, c, n),
          "cublasSgemm");
  }
  void gemm_gram(std::int64_t n, std::int64_t k, const double* a, double* c) {
    const double one = 1, zero = 0;
    check(dgemm_(handle_, CUBLAS_OP_N, CUBLAS_OP_T, n, n, k, &one, a, n, a, n,
                 &zero, c, n),
          "cublasDgemm");
  }
  // The same; only one triangle of C is written.
  void syrk(cublasFillMode_t triangle,
            std::int64_t n,
            std::int64_t k,
            const float* a,
            float* c) {
    const float one = 1, zero = 0;
    check(ssyrk_(handle_, triangle, CUBLAS_OP_N, n, k, &one, a, n, &zero, c, n),
          "cublasSsyrk");
  }
  void syrk(cublasFillMode_t triangle,
            std::int64_t n,
            std::int64_t k,
            const double* a,
            double* c) {
    const double one = 1, zero = 0;
    check(dsyrk_(handle_, triangle, CUBLAS_OP_N, n, k, &one, a, n, &zero, c, n),
          "cublasDsyrk");
  }
  // C = A B on the tensor cores, sums in float.
  void gemm(std::int64_t m,
            std::int64_t n,
            std::int64_t k,
            const half* a,
            const half* b,
            float* c) {
    gemm_float_sums(CUDA_R_16F, CUBLAS_COMPUTE_32F, m, n, k, a, b, c);
  }
  void gemm(std::int64_t m,
            std::int64_t n,
            std::int64_t k,
            const bfloat16* a,
            const bfloat16* b,
            float* c) {
    gemm_float_sums(CUDA_R_16BF, CUBLAS_COMPUTE_32F, m, n, k, a, b, c);
  }
  // The same with floats, rounded to TF32.
  void gemm_tf32(std::int64_t m,
                 std::int64_t n,
                 std::int64_t k,
                 const float* a,
                 const float* b,
                 float* c) {
    gemm_float_sums(CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, m, n, k, a, b, c);
  }

  Cublas() : library_("libcublas.so." + std::to_string(CUBLAS_VER_MAJOR)) {
    // The headers map the plain names to these by macros.
    library_.resolve(status_string_, "cublasGetStatusString");
    library_.resolve(create_, "cublasCreate_v2");
    library_.resolve(set_stream_, "cublasSetStream_v2");
    library_.resolve(sgemv_, "cublasSgemv_v2_64");
    library_.resolve(dgemv_, "cublasDgemv_v2_64");
    library_.resolve(set_pointer_mode_, "cublasSetPointerMode_v2");
    library_.resolve(sdot_, "cublasSdot_v2_64");
    library_.resolve(ddot_, "cublasDdot_v2_64");
    library_.resolve(sgemm_, "cublasSgemm_v2_64");
    library_.resolve(dgemm_, "cublasDgemm_v2_64");
    library_.resolve(ssyrk_, "cublasSsyrk_v2_64");
    library_.resolve(dsyrk_, "cublasDsyrk_v2_64");
    library_.resolve(gemm_ex_, "cublasGemmEx_64");
    check(create_(&handle_), "cublasCreate");
  }

 private:
  // For one call, scalars are where the pointers to them say: on the device.
  class ResultOnDevice {
   public:
    explicit ResultOnDevice(Cublas& library) : library_(library) {
      library_.check(library_.set_pointer_mode_(library_.handle_,
                                                CUBLAS_POINTER_MODE_DEVICE),
                     "cublasSetPointerMode");
    }
    ~ResultOnDevice() {
      library_.set_pointer_mode_(library_.handle_, CUBLAS_POINTER_MODE_HOST);
    }
    ResultOnDevice(const ResultOnDevice&) = delete;
    ResultOnDevice& operator=(const ResultOnDevice&) = delete;

   private:
    Cublas& library_;
  };

  void gemm_float_sums(cudaDataType_t element,
                       cublasComputeType_t compute,
                       std::int64_t m,
                       std::int64_t n,
                       std::int64_t k,
                       const void* a,
                       const void* b,
                       float* c) {
    const float one = 1, zero = 0;
    check(gemm_ex_(handle_, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a, element,
                   m, b, element, k, &zero, c, CUDA_R_32F, m, compute,
                   CUBLAS_GEMM_DEFAULT),
          "cublasGemmEx");
  }

  void check(cublasStatus_t status, const char* call) const {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    const auto verdict =
        status == CUBLAS_STATUS_ALLOC_FAILED    ? Verdict::out_of_memory
        : status == CUBLAS_STATUS_NOT_SUPPORTED ? Verdict::not_supported
                                                : Verdict::launch_failed;
    throw PointError(verdict,
                     std::string(call) + " failed: " + status_string_(status));
  }

  SharedLibrary library_;
  cublasHandle_t handle_ = nullptr;
  decltype(cublasGetStatusString)* status_string_ = nullptr;
  decltype(cublasCreate_v2)* create_ = nullptr;
  decltype(cublasSetStream_v2)* set_stream_ = nullptr;
  decltype(cublasSgemv_v2_64)* sgemv_ = nullptr;
  decltype(cublasDgemv_v2_64)* dgemv_ = nullptr;
  decltype(cublasSetPointerMode_v2)* set_pointer_mode_ = nullptr;
  decltype(cublasSdot_v2_64)* sdot_ = nullptr;
  decltype(cublasDdot_v2_64)* ddot_ = nullptr;
  decltype(cublasSgemm_v2_64)* sgemm_ = nullptr;
  decltype(cublasDgemm_v2_64)* dgemm_ = nullptr;
  decltype(cublasSsyrk_v2_64)* ssyrk_ = nullptr;
  decltype(cublasDsyrk_v2_64)* dsyrk_ = nullptr;
  decltype(cublasGemmEx_64)* gemm_ex_ = nullptr;
};

}  // namespace parlab
