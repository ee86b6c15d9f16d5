// Doubles as residues: a product of whole numbers, computed modulo some small
// numbers by products of bytes, and put together again by the Chinese remainder
// theorem. K. Ozaki, Y. Uchino and T. Imamura, Ozaki Scheme II: a GEMM-oriented
// emulation of floating-point matrix multiplication using an integer modular
// technique, 2025.
//
// Row i of A is scaled by a power of two and rounded to whole numbers so that
// its norm, the root of the sum of its squares, is at most `norm`; so is each
// column of B. No sum of products exceeds norm^2 (Cauchy and Schwarz), and 2
// norm^2 is less than the product of the moduli: residues determine the sum.
// Everything after the rounding is exact, and the sum is rounded to a double
// once. The scale follows from a sample of the line and a margin; the norm is
// checked when the whole line has been read.
//
// The rounding of an element errs by at most half a unit. With independent
// errors a sum differs by sqrt(|a|^2 + |b|^2) / sqrt(12) units, for norms |a|
// and |b|: by 2^-50.7 of |a| |b|. A chain of double sums of terms with random
// signs errs by 44 2^-53 of it. If many elements are far smaller than their row
// or column, sums may be far smaller than |a| |b|. So seven of ten elements
// have to be at least a third of the root mean square. Four of ten products are
// then at least 1/9 of
// a| |b| / k, and 11 sqrt(k) 2^-53 of the sum of the magnitudes, the bound of
// double sums, is six such deviations at k = 4096 and more beyond. Otherwise,
// or if a line is all zeros or not finite, the matrices are `uneven`.
#pragma once

#include <cmath>
#include <cstdint>
#include <iterator>

#include "gpu/bulk_copies.hpp"
#include "gpu/overlap.hpp"

using namespace parlab;

namespace {

// Coprime, and no larger than 256: residues fit a signed byte.
constexpr int moduli[] = {256, 255, 253, 251, 247, 241, 239,
                          233, 229, 227, 223, 217, 211};
constexpr int moduli_count = std::size(moduli);
constexpr std::int64_t least_products_for_residues = 4096;
// A sum of this many products of signed bytes fits an int.
constexpr std::int64_t most_byte_products = (std::int64_t{1} << 31) / (1 << 14);

// Constants of the moduli for the kernels. Long numbers have three parts,
// multiples of 1, 2^37 and 2^74: their products with bytes, and sums of 13 of
// these, are exact in double.
struct ResidueSystem {
  static constexpr int parts = 3, part_bits = 37;

  double norm;        // the largest norm of a row of A or column of B
  double per_all;     // 1 / the product of all moduli
  double all[parts];  // that product
  double modulus[moduli_count], per_modulus[moduli_count];
  double weight[moduli_count][parts];      // 1 modulo this, 0 modulo others
  std::uint32_t reciprocal[moduli_count];  // 2^39 / modulus, rounded up
};

inline ResidueSystem make_residue_system() {
  __extension__ using Wide = unsigned __int128;
  const auto split = [](Wide value, double(&parts)[ResidueSystem::parts]) {
    for (double& part : parts) {
      part = static_cast<double>(static_cast<std::uint64_t>(
          value & ((Wide{1} << ResidueSystem::part_bits) - 1)));
      value >>= ResidueSystem::part_bits;
    }
  };
  Wide all = 1;
  for (const int modulus : moduli)
    all *= modulus;

  ResidueSystem system = {};
  split(all, system.all);
  const auto product = static_cast<double>(all);
  system.per_all = 1 / product;
  // leaves a margin to half of it, so that no quotient is rounded wrongly
  system.norm = std::sqrt(product / 2) * (1 - 0x1p-10);
  for (int i = 0; i < moduli_count; ++i) {
    const auto modulus = static_cast<unsigned>(moduli[i]);
    const Wide others = all / modulus;
    Wide weight = others;
    while (weight % modulus != 1)
      weight += others;
    split(weight, system.weight[i]);
    system.modulus[i] = modulus;
    system.per_modulus[i] = 1.0 / modulus;
    system.reciprocal[i] = static_cast<std::uint32_t>(
        ((std::uint64_t{1} << 39) + modulus - 1) / modulus);
  }
  return system;
}

inline const ResidueSystem& residue_system() {
  static const ResidueSystem system = make_residue_system();
  return system;
}

// The facts about a line, a row of A or a column of B, for the kernels.
struct Line {
  double scale, back;  // powers of two: 1 / scale
  double small;        // a third of the root mean square, scaled
  double squares;      // the sum of the squares, scaled
  int large;           // elements that are not smaller than `small`
};

// The scale follows from the sum of this many squares. The real norm is rarely
// a quarter larger than the sample's: for normal elements in one case of 10^18.
constexpr int sampled = 512;
constexpr double sample_margin = 1.25;
__device__ __forceinline__ Line line_of_sample(double squares, std::int64_t k,
                                               double most) {
  // The squares have overflowed or vanished: with this scale no element
  // fits.
  const bool holds = squares > 0x1p-600 && squares < 0x1p600;
  const double mean = holds ? sqrt(squares / sampled) : 0x1p-300;
  const int exponent =
      ilogb(most / (sample_margin * mean * sqrt(static_cast<double>(k))));
  return {scalbn(1.0, exponent), scalbn(1.0, -exponent),
          scalbn(mean, exponent) / 3, 0, 0};
}

// The place of part `i` of the `of` parts that are sampled from `parts` of a
// line. It varies within the parts that it stands for.
__device__ __forceinline__ std::int64_t sampled_part(std::int64_t i, int of,
                                                     std::int64_t parts) {
  const std::int64_t stride = parts / of;
  return i * stride + i * 5 % stride;
}

__device__ __forceinline__ bool is_uneven(const Line& line, std::int64_t k,
                                          double most) {
  return !(line.squares > 0 && line.squares <= most * most) ||
         10 * std::int64_t{line.large} < 7 * k;
}

// Added to a whole double below 2^51, this moves its low bits to the end of the
// significand.
constexpr double to_low_bits = 0x1.8p52;

__device__ __forceinline__ std::uint32_t low_byte(double value) {
  return static_cast<std::uint32_t>(__double_as_longlong(value)) & 0xff;
}

// The remainders of least magnitude of four whole numbers below 2^51, a byte
// each. A quotient errs by less than 2^-9. For 255, whose remainders are 127 at
// most, that is too little to matter.
__device__ __forceinline__ std::uint32_t four_residues(
    const double* value, const ResidueSystem& system, int which) {
  std::uint32_t word = 0;
  _Pragma("unroll")
  for (int i = 0; i < 4; ++i) {
    const double times =
        fma(value[i], system.per_modulus[which], to_low_bits) - to_low_bits;
    word |= low_byte(fma(times, -system.modulus[which], value[i]) + to_low_bits)
            << 8 * i;
  }
  return word;
}

// The sum over the threads of a block, returned in all of them.
template <int threads, typename T>
__device__ __forceinline__ T sum_of_block(T mine) {
  __shared__ T of_warp[threads / 32];
  _Pragma("unroll")
  for (int offset = 16; offset > 0; offset /= 2)
    mine += __shfl_xor_sync(~0u, mine, offset);
  __syncthreads();  // the sums of the previous call have been read
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = mine;
  __syncthreads();
  T sum = 0;
  for (const T part : of_warp)
    sum += part;
  return sum;
}

// Residues of A: for each modulus m rows of `pitch` bytes. A block makes a row,
// a thread four neighbours at a time.
constexpr int row_threads = 256;
__global__ void __launch_bounds__(row_threads)
    matmul_residues_of_rows(const double* a, std::int64_t m, std::int64_t k,
                            std::int64_t pitch, ResidueSystem system,
                            Line* lines, std::uint32_t* to,
                            std::uint32_t* uneven) {
  let_next_launch_begin();
  const std::int64_t row = blockIdx.x;
  const double* const from = a + row * k;
  double squares = 0;
  for (int i = threadIdx.x; i < sampled; i += row_threads) {
    const double value =
        from[sampled_part(i / 4, sampled / 4, k / 4) * 4 + i % 4];
    squares += value * value;
  }
  Line line =
      line_of_sample(sum_of_block<row_threads>(squares), k, system.norm);

  squares = 0;
  int large = 0;
  for (std::int64_t col = threadIdx.x * 4; col < pitch;
       col += 4 * row_threads) {
    double value[4];
    _Pragma("unroll")
    for (int i = 0; i < 4; ++i) {
      value[i] = col + i < k ? rint(from[col + i] * line.scale) : 0;
      large += col + i < k && fabs(value[i]) >= line.small;
      squares += value[i] * value[i];
    }
    std::uint32_t* word = to + (row * pitch + col) / 4;
    _Pragma("unroll")
    for (int which = 0; which < moduli_count; ++which, word += m * pitch / 4)
      *word = four_residues(value, system, which);
  }
  line.squares = sum_of_block<row_threads>(squares);
  line.large = sum_of_block<row_threads>(large);
  if (threadIdx.x > 0) return;
  lines[row] = line;
  if (is_uneven(line, k, system.norm)) *uneven = 1;
}

// The scales of B's columns, 32 per block; rows are `stride` long.
__global__ void __launch_bounds__(256)
    matmul_sample_columns(const double* b, std::int64_t k, std::int64_t n,
                          std::int64_t stride, ResidueSystem system,
                          Line* lines) {
  __shared__ double part[8][32];
  let_next_launch_begin();
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::int64_t col = std::int64_t{blockIdx.x} * 32 + lane;
  double squares = 0;
  for (int i = warp; i < sampled; i += 8) {
    const double value =
        b[sampled_part(i, sampled, k) * stride + min(col, n - 1)];
    squares += value * value;
  }
  part[warp][lane] = squares;
  __syncthreads();
  if (warp > 0 || col >= n) return;
  for (int w = 1; w < 8; ++w)
    squares += part[w][lane];
  lines[col] = line_of_sample(squares, k, system.norm);
}

// Residues of B, transposed: for each modulus n rows of `pitch` bytes. A block
// makes 128 rows of 32 columns: each lane first has a column, then a word.
__global__ void __launch_bounds__(256)
    matmul_residues_of_columns(const double* b, std::int64_t k, std::int64_t n,
                               std::int64_t stride, std::int64_t pitch,
                               ResidueSystem system, Line* lines,
                               std::uint32_t* to) {
  __shared__ std::uint32_t turned[2][32][33];
  __shared__ double of_squares[32];
  __shared__ int of_large[32];
  let_next_launch_begin();
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::int64_t col0 = std::int64_t{blockIdx.x} * 32, col = col0 + lane,
                     row0 = std::int64_t{blockIdx.y} * 128 + warp * 16;
  if (warp == 0) of_squares[lane] = 0, of_large[lane] = 0;
  __syncthreads();
  wait_for_launch_before();
  const std::int64_t there = min(col, n - 1);
  const double scale = lines[there].scale, small = lines[there].small;
  double value[16], squares = 0;
  int large = 0;
  _Pragma("unroll")
  for (int i = 0; i < 16; ++i) {
    const bool inside = row0 + i < k && col < n;
    value[i] = inside ? rint(b[(row0 + i) * stride + col] * scale) : 0;
    large += inside && fabs(value[i]) >= small;
    squares += value[i] * value[i];
  }
  atomicAdd(&of_squares[lane], squares);
  atomicAdd(&of_large[lane], large);

  const std::int64_t word = std::int64_t{blockIdx.y} * 32 + lane;
  _Pragma("unroll 1")
  for (int which = 0; which < moduli_count; ++which) {
    auto& now = turned[which % 2];
    _Pragma("unroll")
    for (int w = 0; w < 4; ++w)
      now[lane][warp * 4 + w] = four_residues(value + 4 * w, system, which);
    __syncthreads();
    if (word * 4 >= pitch) continue;
    _Pragma("unroll")
    for (int c = warp; c < 32; c += 8) {
      if (col0 + c < n)
        to[(which * n + col0 + c) * (pitch / 4) + word] = now[c][lane];
    }
  }
  if (warp > 0 || col >= n) return;
  atomicAdd(&lines[col].squares, of_squares[lane]);
  atomicAdd(&lines[col].large, of_large[lane]);
}

__global__ void matmul_judge_lines(const Line* lines, std::int64_t count,
                                   std::int64_t k, double most,
                                   std::uint32_t* uneven) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  let_next_launch_begin();
  wait_for_launch_before();
  if (i < count && is_uneven(lines[i], k, most)) *uneven = 1;
}

// ---- from residues back to sums

// The sum whose residues, from 0 to modulus - 1, are in these words from bit
// `shift` on.
__device__ __forceinline__ double from_residues(
    const std::uint32_t (&word)[moduli_count], int shift,
    const ResidueSystem& system) {
  double sum[ResidueSystem::parts] = {};
  _Pragma("unroll")
  for (int i = 0; i < moduli_count; ++i) {
    const auto residue = static_cast<long long>(word[i] >> shift & 0xff);
    const double value =
        __longlong_as_double(0x4330000000000000 | residue) - 0x1p52;
    _Pragma("unroll")
    for (int part = 0; part < ResidueSystem::parts; ++part)
      sum[part] = fma(value, system.weight[i][part], sum[part]);
  }

  // The sum contains the product of all moduli a number of times too often.
  const double times =
      rint(fma(fma(sum[2], 0x1p37, sum[1]), 0x1p37, sum[0]) * system.per_all);
  _Pragma("unroll")
  for (int part = 0; part < ResidueSystem::parts; ++part)
    sum[part] = fma(-times, system.all[part], sum[part]);

  // The parts are whole and overlap by some bits: two are added, with the
  // rounding error kept, and the total is rounded once.
  const double upper = sum[2] * 0x1p37, both = upper + sum[1],
               from_upper = both - sum[1],
               lost = (upper - from_upper) + (sum[1] - (both - from_upper));
  return fma(both, 0x1p37, fma(lost, 0x1p37, sum[0]));
}

}  // namespace
