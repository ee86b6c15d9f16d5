// cuBLAS, loaded on its first call, because loading it takes a tenth of a
// second.
#pragma once

#include <cublas_v2.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>

#include "core/types.hpp"
#include "facts/cause.hpp"
#include "gpu/gpu.hpp"
#include "gpu/shared_library.hpp"

namespace parlab {

// The type of a product's factors on the tensor cores; floats are rounded to
// TF32 there.
template <typename T>
constexpr cudaDataType_t factor_type =
    std::is_same_v<T, float16>    ? CUDA_R_16F
    : std::is_same_v<T, bfloat16> ? CUDA_R_16BF
                                  : CUDA_R_32F;
// Sums are in float.
template <typename T>
constexpr cublasComputeType_t tensor_compute_type =
    std::is_same_v<T, float> ? CUBLAS_COMPUTE_32F_FAST_TF32
                             : CUBLAS_COMPUTE_32F;

inline void cublas_check(cublasStatus_t status, const char* call,
                         const char* (*words_of)(cublasStatus_t)) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  const auto verdict =
      status == CUBLAS_STATUS_ALLOC_FAILED    ? Verdict::out_of_memory
      : status == CUBLAS_STATUS_NOT_SUPPORTED ? Verdict::not_supported
                                              : Verdict::launch_failed;
  throw PointError(verdict, {.cause = Cause::library_failed,
                             .arguments = {call, words_of(status)}});
}

// The cuBLAS calls that variants use, in the library's own column-major terms.
// There is one handle per Gpu. It is not destroyed, because the context that it
// would need may already be gone.
class Cublas {
 public:
  // The instance bound to this Gpu's stream. Throws PointError(not_supported)
  // when the library is not installed.
  static Cublas& on(Gpu& gpu) {
    auto& library = gpu.attached<Cublas>();
    library.check(library.set_stream_(library.handle_,
                                      static_cast<cudaStream_t>(gpu.stream())),
                  "cublasSetStream");
    return library;
  }

  // T is float or double unless stated otherwise. y = op(A) x, with A m x n and
  // column-major with leading dimension m.
  template <typename T>
  void gemv(cublasOperation_t op, std::int64_t m, std::int64_t n, const T* a,
            const T* x, T* y) {
    const T one = 1, zero = 0;
    check(of<T>().gemv(handle_, op, m, n, &one, a, m, x, 1, &zero, y, 1),
          "cublas gemv");
  }
  // *result = x . y, n elements each; result is on the device.
  template <typename T>
  void dot(std::int64_t n, const T* x, const T* y, T* result) {
    const ResultOnDevice scope(*this);
    check(of<T>().dot(handle_, n, x, 1, y, 1, result), "cublas dot");
  }
  // C = A B, with A m x k and B k x n, all column-major without gaps. Half and
  // bfloat16 use the tensor cores, with sums in float.
  template <typename T, typename Sum>
  void gemm(std::int64_t m, std::int64_t n, std::int64_t k, const T* a,
            const T* b, Sum* c) {
    if constexpr (std::is_same_v<T, Sum>) {
      const T one = 1, zero = 0;
      check(of<T>().gemm(handle_, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a, m,
                         b, k, &zero, c, m),
            "cublas gemm");
    } else {
      gemm_on_tensor_cores(m, n, k, a, b, c);
    }
  }
  // The same with floats, rounded to TF32.
  void gemm_tf32(std::int64_t m, std::int64_t n, std::int64_t k, const float* a,
                 const float* b, float* c) {
    gemm_on_tensor_cores(m, n, k, a, b, c);
  }
  // B = A^T, with A m x n and B n x m, both column-major without gaps.
  template <typename T>
  void transpose(std::int64_t m, std::int64_t n, const T* a, T* b) {
    const T one = 1, zero = 0;
    check(of<T>().geam(handle_, CUBLAS_OP_T, CUBLAS_OP_N, n, m, &one, a, m,
                       &zero, b, n, b, n),
          "cublas geam");
  }
  // C = A A^T, with A n x k and C n x n, both column-major without gaps.
  template <typename T>
  void gemm_gram(std::int64_t n, std::int64_t k, const T* a, T* c) {
    const T one = 1, zero = 0;
    check(of<T>().gemm(handle_, CUBLAS_OP_N, CUBLAS_OP_T, n, n, k, &one, a, n,
                       a, n, &zero, c, n),
          "cublas gemm");
  }
  // The same; only one triangle of C is written.
  template <typename T>
  void syrk(cublasFillMode_t triangle, std::int64_t n, std::int64_t k,
            const T* a, T* c) {
    const T one = 1, zero = 0;
    check(of<T>().syrk(handle_, triangle, CUBLAS_OP_N, n, k, &one, a, n, &zero,
                       c, n),
          "cublas syrk");
  }

  Cublas() : library_("libcublas.so." + std::to_string(CUBLAS_VER_MAJOR)) {
    // The headers map the plain names to these by macros.
    library_.resolve(status_string_, "cublasGetStatusString");
    library_.resolve(create_, "cublasCreate_v2");
    library_.resolve(set_stream_, "cublasSetStream_v2");
    library_.resolve(set_pointer_mode_, "cublasSetPointerMode_v2");
    auto& [floats, doubles] = calls_;
    library_.resolve(floats.gemv, "cublasSgemv_v2_64");
    library_.resolve(doubles.gemv, "cublasDgemv_v2_64");
    library_.resolve(floats.dot, "cublasSdot_v2_64");
    library_.resolve(doubles.dot, "cublasDdot_v2_64");
    library_.resolve(floats.gemm, "cublasSgemm_v2_64");
    library_.resolve(doubles.gemm, "cublasDgemm_v2_64");
    library_.resolve(floats.syrk, "cublasSsyrk_v2_64");
    library_.resolve(doubles.syrk, "cublasDsyrk_v2_64");
    library_.resolve(floats.geam, "cublasSgeam_64");
    library_.resolve(doubles.geam, "cublasDgeam_64");
    library_.resolve(gemm_ex_, "cublasGemmEx_64");
    check(create_(&handle_), "cublasCreate");
  }

 private:
  using Extent64 = std::int64_t;
  template <typename T>
  struct Calls {
    cublasStatus_t (*gemv)(cublasHandle_t, cublasOperation_t, Extent64,
                           Extent64, const T*, const T*, Extent64, const T*,
                           Extent64, const T*, T*, Extent64) = nullptr;
    cublasStatus_t (*dot)(cublasHandle_t, Extent64, const T*, Extent64,
                          const T*, Extent64, T*) = nullptr;
    cublasStatus_t (*gemm)(cublasHandle_t, cublasOperation_t, cublasOperation_t,
                           Extent64, Extent64, Extent64, const T*, const T*,
                           Extent64, const T*, Extent64, const T*, T*,
                           Extent64) = nullptr;
    cublasStatus_t (*syrk)(cublasHandle_t, cublasFillMode_t, cublasOperation_t,
                           Extent64, Extent64, const T*, const T*, Extent64,
                           const T*, T*, Extent64) = nullptr;
    cublasStatus_t (*geam)(cublasHandle_t, cublasOperation_t, cublasOperation_t,
                           Extent64, Extent64, const T*, const T*, Extent64,
                           const T*, const T*, Extent64, T*,
                           Extent64) = nullptr;
  };
  template <typename T>
  const Calls<T>& of() const {
    return std::get<Calls<T>>(calls_);
  }

  // For one call, scalars are read from and written to device memory.
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

  template <typename T>
  void gemm_on_tensor_cores(std::int64_t m, std::int64_t n, std::int64_t k,
                            const T* a, const T* b, float* c) {
    const float one = 1, zero = 0;
    constexpr auto factor = factor_type<T>;
    check(gemm_ex_(handle_, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a, factor,
                   m, b, factor, k, &zero, c, CUDA_R_32F, m,
                   tensor_compute_type<T>, CUBLAS_GEMM_DEFAULT),
          "cublasGemmEx");
  }

  void check(cublasStatus_t status, const char* call) const {
    cublas_check(status, call, status_string_);
  }

  SharedLibrary library_;
  cublasHandle_t handle_ = nullptr;
  decltype(cublasGetStatusString)* status_string_ = nullptr;
  decltype(cublasCreate_v2)* create_ = nullptr;
  decltype(cublasSetStream_v2)* set_stream_ = nullptr;
  decltype(cublasSetPointerMode_v2)* set_pointer_mode_ = nullptr;
  decltype(cublasGemmEx_64)* gemm_ex_ = nullptr;
  std::tuple<Calls<float>, Calls<double>> calls_;
};

}  // namespace parlab
