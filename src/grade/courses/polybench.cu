// clang-format off
// PolyBench's functions, with their arrays as pointers.
//
// map: conv2d double conv2D|kernel_conv2d
// declares conv2d: void conv2D(int ni, int nj, DATA_TYPE* A, DATA_TYPE* B)
// map: atax double kernel_atax|atax
// declares atax: void kernel_atax(int m, int n, DATA_TYPE* A, DATA_TYPE* x, DATA_TYPE* y, DATA_TYPE* tmp)
// headers: polybench.h 2DCONV.h atax.h polybenchUtilFuncts.h
//
// A is ni x nj, or m x n, row-major: pointers of the device in a .cu file, of the host in a .cpp file,
// already allocated and filled, tmp too. The function launches its own kernels.
#include "workloads/atax.hpp"
#include "workloads/conv2d.hpp"

using DATA_TYPE = PARLAB_TYPE;

#include PARLAB_HANDED_IN

#if PARLAB_WORKLOAD_conv2d
const parlab::Register<parlab::Conv2d, DATA_TYPE> parlab_variant(
    {.idea = PARLAB_FUNCTION_NAME},
    []<typename T>(parlab::PARLAB_MACHINE&, const parlab::Conv2d::Args<T>& p,
                   const parlab::Tunables&) {
      PARLAB_FUNCTION(static_cast<int>(p.rows), static_cast<int>(p.cols), const_cast<T*>(p.a), p.b);
    });
#else
const parlab::Register<parlab::Atax, DATA_TYPE> parlab_variant(
    {.idea = PARLAB_FUNCTION_NAME},
    []<typename T>(parlab::PARLAB_MACHINE& machine, const parlab::Atax::Args<T>& p,
                   const parlab::Tunables&) {
      PARLAB_FUNCTION(static_cast<int>(p.rows), static_cast<int>(p.cols), const_cast<T*>(p.a),
                      const_cast<T*>(p.x), p.y, machine.template scratch<T>(p.rows));
    });
#endif
