// The plain double loop: rows of a are read one after another, and columns of b
// are written. Each store of a column goes to another cache line. The next row
// needs the same lines again, but if the matrix is large they are gone by then.
#include "host/host.hpp"
#include "workloads/transpose.hpp"

using namespace parlab;

namespace {

template <typename T>
void transpose_plain(const T* a, T* b, std::int64_t rows, std::int64_t cols) {
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t col = 0; col < cols; ++col)
      b[col * rows + row] = a[row * cols + col];
  }
}

}  // namespace

const Register<Transpose, float, double> variant(
    {
        .idea = "the plain double loop",
    },
    []<typename T>(Host&, const Transpose::Args<T>& p, const Tunables&) {
      transpose_plain(p.a, p.b, p.rows, p.cols);
    });
