#!/bin/bash -p
# Files as students write them, handed in without a GPU: constructs of textbooks, samples and forums are
# accepted, mistakes are named by their cause, and anything that only a GPU can judge costs no points.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

parlab=$PWD/bin/parlab-emulated
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit
mkdir class
declare -A expected advised

# hand VERDICT ADVICE NAME TOP KERNEL HOST: hands in a file for dmv in float. ADVICE: a part of its page's
# advice, or of its verdict's words; TOP: code placed before everything; KERNEL: a whole kernel or more; HOST:
# the callable's body, empty for a plain launch of rows_of.
hand() {
  local described="{.rung = 50, .idea = \"$3\"}"
  local launch='gpu.launch({.grid = {ceil_div(p.rows, 64)}, .block = {64}}, rows_of, p.a, p.x, p.y, p.rows, p.cols);'
  expected[$3]=$1 advised[$3]=$2
  cat >"class/$3.cu" <<END
$4
#include "gpu/gpu.hpp"
#include "workloads/dmv.hpp"
using namespace parlab;
namespace {
$5
}  // namespace
const Register<Dmv, float> variant(${7-$described},
    []<typename T>(Gpu& gpu, const Dmv::Args<T>& p, const Tunables&) {
      ${6:-$launch}
    });
END
}
# rows [TYPE OF A [BEFORE [SUM]]]: a kernel of one thread per row.
rows() {
  printf '__global__ void rows_of(%s a, %s x, float* y, int rows, int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  %s
  if (row >= rows) return;
  float sum = 0;
  for (int col = 0; col < cols; ++col) %s
  y[row] = sum;
}\n' "${1:-const float*}" "${1:-const float*}" "${2:-}" "${3:-sum += a[row * cols + col] * x[col];}"
}

# ---- right ------------------------------------------------------------------
hand passed '' angle_brackets '' "$(rows)" \
  'rows_of<<<(p.rows + 63) / 64, 64>>>(p.a, p.x, p.y, p.rows, p.cols);'
hand passed '' own_memory '#include <cuda.h>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include "helper_cuda.h"' "$(rows 'float*')" 'float* d_x;
      checkCudaErrors(cudaMalloc((void**)&d_x, p.cols * sizeof(float)));
      checkCudaErrors(cudaMemcpy(d_x, p.x, p.cols * sizeof(float), cudaMemcpyDeviceToDevice));
      const dim3 block(64), grid((p.rows + block.x - 1) / block.x);
      rows_of<<<grid, block, 0, 0>>>(p.a, d_x, p.y, p.rows, p.cols);
      getLastCudaError("rows_of");
      checkCudaErrors(cudaDeviceSynchronize());
      checkCudaErrors(cudaFree(d_x));'
hand passed '' plain_pointers '' "$(rows 'float*')" ''
hand passed '' dim3_launch '' "$(rows)" 'const dim3 block(64), grid((p.rows + 63) / 64);
      gpu.launch({.grid = grid, .block = block}, rows_of, p.a, p.x, p.y, p.rows, p.cols);'
hand passed '' written_tile '#include <cooperative_groups.h>' 'namespace cg = cooperative_groups;
__global__ void rows_of(const float* a, const float* x, float* y, int rows, int cols) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  const int row = blockIdx.x * 2 + tile.meta_group_rank();
  if (row >= rows) return;
  float sum = 0;
  for (int col = tile.thread_rank(); col < cols; col += tile.size()) sum += a[row * cols + col] * x[col];
  for (int by = 16; by > 0; by /= 2) sum += tile.shfl_down(sum, by);
  if (tile.thread_rank() == 0) y[row] = sum;
}' 'rows_of<<<(p.rows + 1) / 2, 64>>>(p.a, p.x, p.y, p.rows, p.cols);'
hand passed '' early_return '' '__global__ void rows_of(const float* a, const float* x, float* y, int rows, int cols) {
  __shared__ float sums[64];
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  sums[threadIdx.x] = 0;
  for (int col = 0; col < cols; ++col) sums[threadIdx.x] += a[row * cols + col] * x[col];
  __syncthreads();
  y[row] = sums[threadIdx.x];
}' ''
hand passed '' own_atomic '' '#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600
#error "emulation has a device of compute capability 9.0"
#endif
__device__ void add(float* where, float more) {
  int* const word = (int*)where;
  int old = *word, assumed;
  do {
    assumed = old;
    old = atomicCAS(word, assumed, __float_as_int(more + __int_as_float(assumed)));
  } while (assumed != old);
}
__global__ void rows_of(const float* a, const float* x, float* y, int rows, int cols) {
  const int row = blockIdx.x;
  for (int col = threadIdx.x; col < cols; col += blockDim.x) add(&y[row], a[row * cols + col] * x[col]);
}' 'cudaMemset(p.y, 0, p.rows * sizeof(float));
      rows_of<<<p.rows, 32>>>(p.a, p.x, p.y, p.rows, p.cols);'
hand passed '' one_from_constant '' "__constant__ float one[2];
$(rows 'const float*' '' 'sum += one[1] * a[row * cols + col] * x[col];')" 'const float host[] = {0, 1};
      cudaMemcpyToSymbol(one, host, sizeof host);
      rows_of<<<(p.rows + 63) / 64, 64>>>(p.a, p.x, p.y, p.rows, p.cols);'
hand passed '' half_by_name '#include <cuda_fp16.h>' "$(rows 'const float*' '' 'sum += a[row * cols + col] * x[col];
  half zero = __float2half(0.0f);
  zero += zero * half(2);
  sum += __half2float(zero);')" ''

# ---- submissions that only a GPU can judge ----------------------------------
hand unverified 'where there is a GPU' ptx '' "$(rows 'const float*' 'unsigned lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  if (lane > 31) return;')" ''
hand unverified 'where there is a GPU' block_reduce '#include <cub/cub.cuh>' "$(rows)" ''

# ---- wrong ------------------------------------------------------------------
hand wrong_result 'multiple of 16 bytes' misaligned '' '__global__ void rows_of(const float* a, const float* x, float* y, int rows, int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  int col = 0;
  for (; col + 2 <= cols; col += 2) {
    const float2 left = *(const float2*)(a + row * cols + col);
    sum += left.x * x[col] + left.y * x[col + 1];
  }
  if (col < cols) sum += a[row * cols + col] * x[col];
  y[row] = sum;
}' ''
hand wrong_result 'clear it before' unwritten '' '__global__ void rows_of(const float* a, const float* x, float* y, int rows, int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows)
    for (int col = 0; col < cols; ++col) y[row] += a[row * cols + col] * x[col];
}' ''
hand wrong_result '__syncwarp()' volatile_warp '' '__global__ void rows_of(const float* a, const float* x, float* y, int rows, int cols) {
  __shared__ volatile float sums[32];
  const int row = blockIdx.x, me = threadIdx.x;
  float own = 0;
  for (int col = me; col < cols; col += 32) own += a[row * cols + col] * x[col];
  sums[me] = own;
  if (me < 16) sums[me] = sums[me] + sums[me + 16];
  if (me < 8) sums[me] = sums[me] + sums[me + 8];
  if (me < 4) sums[me] = sums[me] + sums[me + 4];
  if (me < 2) sums[me] = sums[me] + sums[me + 2];
  if (me == 0) y[row] = sums[0] + sums[1];
}' 'rows_of<<<p.rows, 32>>>(p.a, p.x, p.y, p.rows, p.cols);'
hand wrong_result 'its first execution was right' keeps_a_sum '' "__device__ float kept;
$(rows 'const float*' '' 'sum += a[row * cols + col] * x[col];
  if (row == 0) sum = kept += sum;')" ''
hand launch_failed 'unless they have ended' barrier_in_a_branch '' "$(rows 'const float*' 'if (threadIdx.x < 16) __syncthreads();')" ''
hand launch_failed 'in the GPU&#39;s memory already' from_host_kind '' "$(rows)" 'float* d_a;
      cudaMalloc(&d_a, p.rows * p.cols * sizeof(float));
      cudaMemcpy(d_a, p.a, p.rows * p.cols * sizeof(float), cudaMemcpyHostToDevice);
      rows_of<<<(p.rows + 63) / 64, 64>>>(d_a, p.x, p.y, p.rows, p.cols);'
hand wrong_result 'Inputs must stay' writes_its_input '' "$(rows 'float*' 'if (row < cols) x[row] += 1;')" ''
hand not_supported 'in that order' members_in_order '' "$(rows)" '' '{.idea = "mine", .rung = 50}'
hand not_supported 'one argument for each parameter' arguments_missing '' "$(rows)" \
  'gpu.launch({.grid = {ceil_div(p.rows, 64)}, .block = {64}}, rows_of, p.a, p.x, p.y, p.rows);'
hand not_supported '__shfl_down_sync(0xffffffff' old_shuffle '' "$(rows 'const float*' 'if (__shfl_down(row, 1) < 0) return;')" ''
hand not_supported 'at its end' registration '' "$(rows)" ''
sed -i '/^const Register/,$d' class/registration.cu

"$parlab" grade dmv class --seed 5 --sizes 64,33x70 --hidden 65 >out 2>errors
for student in "${!expected[@]}"; do
  line=$(grep -E "^$student," grades/dmv/grades.csv)
  expect "$student: ${expected[$student]} (${line:0:200})" grep -qE "^[^,]*,[^,]*,${expected[$student]}," <<<"$line"
  [[ -z ${advised[$student]} ]] ||
    expect "$student is told: ${advised[$student]}" \
      grep -qF -- "${advised[$student]}" <(sed 's/<wbr>//g' "grades/dmv/students/$student.html")
done
expect "nobody loses points to what emulation lacks" grep -qE '^ptx,,unverified,' grades/dmv/grades.csv
expect "an alignment error names array, byte and type" \
  grep -qE '^misaligned,.*takes byte [0-9]+ of a for a .*float2.*multiple of 8' grades/dmv/grades.csv
expect "an error of the framework's headers names the line of the student" \
  grep -qE '^arguments_missing,.*arguments_missing.cu:[0-9]+:[0-9]+: error: launch\(\) has more or fewer' grades/dmv/grades.csv
expect "a launch in angle brackets has the name of its kernel, and lines keep their numbers" eval \
  "grep -E '^volatile_warp,' grades/dmv/grades.csv | grep -qE 'line 1[0-9] of volatile_warp.cu.*in kernel rows_of'"

# ---- a file alone -----------------------------------------------------------
told() { # FILE WORDS
  "$parlab" grade dmv --check --execution-limit 1 --sizes 64 --hidden 65 "$1" >out 2>errors
  expect "$1 is told: $2 ($(tr -s ' \n' ' ' <out | head -c 300))" has_words "$2"
}
hand '' '' spins '' "$(rows 'const float*' 'int k = row % 8; while (k < 9) k = (k + 1) % 9;' 'sum += k * x[col];')" ''
told class/spins.cu 'timed_out.* at line [0-9]+ of spins.cu'
cat >asserts.cpp <<'END'
#include <cassert>
#include "host/host.hpp"
#include "workloads/dmv.hpp"
using namespace parlab;
const Register<Dmv, float> variant({.idea = "asserts"},
    []<typename T>(Host&, const Dmv::Args<T>& p, const Tunables&) { assert(p.cols == 3); });
END
told asserts.cpp 'launch_failed.* assertion .p.cols == 3. fails.* at line 6 of asserts.cpp'
sed 's/asserts/past/; /cassert/d; s/assert(.*/multiply(p); });/; s/^using.*/&\
static void multiply(const Dmv::Args<float>\& p) {\
  for (int i = 0; i < p.rows; ++i) {\
    p.y[i] = 0;\
    for (int j = 0; j <= p.cols; ++j) p.y[i] += p.a[i * p.cols + j] * p.x[j];\
  }\
}/' asserts.cpp >past.cpp
told past.cpp 'wrong_result.* So large a number lies outside the arrays'
echo 'void product(float*) {}' >alone.cpp
for asked in 'matmul --course cslab alone.cpp:--course .*cslab.*no function for matmul, only dmv_gpu' \
  '--course polybench alone.cpp:a function of the course polybench, conv2D'; do
  # shellcheck disable=SC2016,SC2086 # words, for eval
  expect "a course that does not fit: ${asked%%:*}" eval '! "$parlab" grade ${asked%%:*} 2>errors && grep -q -- "${asked#*:}" errors'
done
end_tests
