// geam of cuBLAS: C = alpha op(A) + beta op(B), with alpha 1 and beta 0. cuBLAS
// thinks in columns: a, row-major, is to it a column-major matrix of cols x
// rows, and its transpose, column-major, is b as it has to be.
#include "gpu/cublas.hpp"
#include "workloads/transpose.hpp"

using namespace parlab;

namespace {

// The calls that transposing takes, with a handle of their own.
class Geam {
 public:
  Geam() : library_("libcublas.so." + std::to_string(CUBLAS_VER_MAJOR)) {
    // The headers map the plain names to these by macros.
    library_.resolve(status_string_, "cublasGetStatusString");
    library_.resolve(create_, "cublasCreate_v2");
    library_.resolve(set_stream_, "cublasSetStream_v2");
    library_.resolve(std::get<Call<float>>(calls_), "cublasSgeam_64");
    library_.resolve(std::get<Call<double>>(calls_), "cublasDgeam_64");
    check(create_(&handle_), "cublasCreate");
  }

  template <typename T>
  void transpose(Gpu& gpu, const Transpose::Args<T>& p) const {
    check(set_stream_(handle_, static_cast<cudaStream_t>(gpu.stream())),
          "cublasSetStream");
    const T one = 1, zero = 0;
    check(std::get<Call<T>>(calls_)(handle_, CUBLAS_OP_T, CUBLAS_OP_N, p.rows,
                                    p.cols, &one, p.a, p.cols, &zero, p.b,
                                    p.rows, p.b, p.rows),
          "cublas geam");
  }

 private:
  template <typename T>
  using Call = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t,
                                  cublasOperation_t, std::int64_t, std::int64_t,
                                  const T*, const T*, std::int64_t, const T*,
                                  const T*, std::int64_t, T*, std::int64_t);

  void check(cublasStatus_t status, const char* call) const {
    cublas_check(status, call, status_string_);
  }

  SharedLibrary library_;
  cublasHandle_t handle_ = nullptr;
  decltype(cublasGetStatusString)* status_string_ = nullptr;
  decltype(cublasCreate_v2)* create_ = nullptr;
  decltype(cublasSetStream_v2)* set_stream_ = nullptr;
  std::tuple<Call<float>, Call<double>> calls_;
};

}  // namespace

const Register<Transpose, float, double> variant(
    {
        .rung = 100,
        .idea = "geam of cuBLAS",
    },
    []<typename T>(Gpu& gpu, const Transpose::Args<T>& p, const Tunables&) {
      gpu.attached<Geam>().transpose(gpu, p);
    });
