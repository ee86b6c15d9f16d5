// Variants that declare to split floats into narrower parts are as accurate as
// float: for all inputs, their largest error is at most twice that of a loop in
// float or of cuBLAS. Emulation runs none of them; there the test shows that
// the rule refuses TF32.

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numbers>

#include "core/random.hpp"
#include "facts/cause.hpp"
#include "support.hpp"
#include "verify/host_arrays.hpp"

using namespace parlab;
using testing::described, testing::plan_to_verify, testing::right_or_no_gpu,
    testing::variant_called;

namespace {

enum class Inputs { uniform, normal, wide, apart };

const char* name(Inputs inputs) {
  return inputs == Inputs::uniform  ? "uniform"
         : inputs == Inputs::normal ? "normal"
         : inputs == Inputs::wide   ? "wide"
                                    : "apart";
}

// apart: exponents from -12 to 12; wide: the same, but most products of a sum
// are zero.
float element(Inputs inputs, std::uint64_t stream, std::int64_t at,
              std::int64_t k) {
  const auto i = static_cast<std::uint64_t>(at);
  switch (inputs) {
    case Inputs::uniform:
      return random_uniform<float>(stream, i);
    case Inputs::normal: {  // by the method of Box and Muller, 1958
      const double radius =
          std::sqrt(-2 * std::log((random_uniform<double>(stream, i) + 1) / 2));
      return static_cast<float>(
          radius *
          std::cos(std::numbers::pi * random_uniform<double>(stream + 10, i)));
    }
    case Inputs::wide:
      if (stream == 1 && !FewTerms(k).has(5, i)) return 0;
      return random_wide<float>(stream, i);
    case Inputs::apart:
      return random_wide<float>(stream, i);
  }
  return 0;
}

bool splits(const Variant& variant) {
  const auto arithmetic = variant.arithmetic_in(Dtype::f32);
  return arithmetic == Arithmetic::bf16x6 || arithmetic == Arithmetic::bf16x9 ||
         arithmetic == Arithmetic::fp16x3;
}

// Variants that split, cuBLAS in float, and one that computes in TF32.
std::vector<const Variant*> on_gpu() {
  std::vector<const Variant*> found;
  for (const auto* variant : Registry::instance().variants("matmul")) {
    if (!variant->run_gpu || !variant->has(Dtype::f32)) continue;
    if (splits(*variant) || variant->name == "cublas" ||
        variant->name == "warp_products") {
      found.push_back(variant);
    }
  }
  return found;
}

struct Errors {
  double of_float = 0, of_tf32 = 0;
  std::map<std::string, double> of_splitting;
};

// c += a b, with a of m x k and b of k x n.
void multiply(const float* a, const float* b, float* c, const Size& size) {
  const auto m = size[0], k = size[1], n = size[2];
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t l = 0; l < k; ++l) {
      for (std::int64_t j = 0; j < n; ++j)
        c[i * n + j] += a[i * k + l] * b[l * n + j];
    }
  }
}

// The largest errors of a product m x k x n, relative to the bound of float.
Errors errors_of(Executor& gpu, const Size& size, Inputs inputs) {
  const auto* workload = Registry::instance().workload("matmul");
  const auto m = size[0], k = size[1], n = size[2];
  std::vector<ArraySpec> given, wanted;
  for (const auto& spec : workload->arrays(size, Dtype::f32)) {
    (spec.role == Role::input ? given : wanted).push_back(spec);
  }
  const HostArrays arrays(given), results(wanted);
  auto* const a = arrays.view().get<float>("a");
  auto* const b = arrays.view().get<float>("b");
  fill_parallel(a, m * k, [&](auto i) { return element(inputs, 1, i, k); });
  fill_parallel(b, k * n, [&](auto i) { return element(inputs, 2, i, k); });
  const auto oracle = workload->oracle(arrays.view(), size, Dtype::f32,
                                       InputKind::uniform, Arithmetic::ieee);
  const auto error = [&](const Arrays& outputs) {
    return oracle->largest_error(outputs)->of_bound;
  };
  Errors errors;
  auto* const c = results.view().get<float>("c");
  std::fill(c, c + m * n, 0.0f);
  multiply(a, b, c, size);
  errors.of_float = error(results.view());
  gpu.load(arrays.view(), wanted);
  for (const auto* variant : on_gpu()) {
    try {
      const auto checked = gpu.run_checked({variant, size, Dtype::f32, {}});
      const double largest = error(checked.outputs);
      if (variant->name == "cublas") {
        errors.of_float = std::max(errors.of_float, largest);
      } else if (variant->name == "warp_products") {
        errors.of_tf32 = largest;
      } else {
        errors.of_splitting[variant->full_name()] = largest;
      }
    } catch (const PointError& reason) {
      BOOST_TEST((reason.verdict == Verdict::not_supported), reason.what());
    }
  }
  gpu.release();
  return errors;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(accuracy)

BOOST_AUTO_TEST_CASE(splitting_errs_no_more_than_twice_as_much_as_float) {
  std::unique_ptr<Executor> gpu;
  try {
    gpu = make_executor(Target::gpu);
  } catch (const PointError& none) {  // a build for GPUs on a machine without
                                      // one
    BOOST_TEST((none.verdict == Verdict::no_device), none.what());
    return;
  }
  const bool emulated = !gpu->can_time();
  const std::int64_t edge = emulated ? 24 : 100;
  const auto lengths =
      emulated ? std::vector<std::int64_t>{40, 300}
               : std::vector<std::int64_t>{1,   2,   5,   15,   16,   17,   100,
                                           255, 256, 511, 1024, 4096, 16384};
  for (const auto k : lengths) {
    for (const auto inputs :
         {Inputs::uniform, Inputs::normal, Inputs::wide, Inputs::apart}) {
      const auto errors = errors_of(*gpu, {edge, k, edge}, inputs);
      BOOST_TEST(errors.of_tf32 > 2 * errors.of_float,
                 "TF32 passes, " << name(inputs) << ", k = " << k);
      for (const auto& [variant, error] : errors.of_splitting) {
        BOOST_TEST(error <= 2 * errors.of_float,
                   variant << ", " << name(inputs) << ", k = " << k << ": "
                           << error << " of the bound, float "
                           << errors.of_float);
      }
    }
  }
}

// Devices compute products with long sums. Emulation would take an hour for
// these, so it has shorter ones with equally even inputs.
BOOST_AUTO_TEST_CASE(residues_are_as_accurate_as_doubles) {
  const auto demand_right = [](const std::string& workload, const Size& size,
                               const char* least) {
    const auto& variant = variant_called(workload + "/cuda/residues");
    Plan plan = plan_to_verify(variant, size, Dtype::f64);
    plan.tunables = {{least, {512}}};
    testing::expect_right(plan);
  };
  demand_right("matmul", {130, 520, 131}, "least_k");
  demand_right("matmul", {257, 515, 128}, "least_k");
  demand_right("covariance", {520, 300, 0}, "least_m");
}

// Few tiles, long sums: several blocks share a tile.
BOOST_AUTO_TEST_CASE(blocks_share_the_tiles_of_deep_products) {
  for (const auto& [name, dtype] : {std::pair{"warp_tiles", Dtype::f32},
                                    {"warp_tiles", Dtype::i32},
                                    {"tensor", Dtype::f64}}) {
    const auto& variant = variant_called(std::string("matmul/cuda/") + name);
    for (const Size& size :
         {Size{5, 2100, 7}, {36, 1300, 68}, {70, 1031, 33}}) {
      for (const auto& record :
           testing::sweep(plan_to_verify(variant, size, dtype))) {
        BOOST_TEST(right_or_no_gpu(record), described(record));
        // A single tile is certain to be shared.
        if (size[0] == 5 && record.launch.known())
          BOOST_TEST(record.launch.grid[1] > 1, described(record));
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
