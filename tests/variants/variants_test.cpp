// Every variant of every workload, at odd sizes, in every dtype, with many
// values of its tunables, compared with both oracles: on the GPU in the nvcc
// build if there is one, by emulation otherwise.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <set>

#include "support.hpp"
#include "text.hpp"

using namespace parlab;
using testing::contains, testing::plan_for, testing::described,
    testing::right_or_no_gpu, testing::variant_called;
namespace fs = std::filesystem;

namespace {

const std::vector<std::int64_t> extents{1, 2, 3, 31, 33};

// The largest problem for the GPU, which may be emulated under sanitizers: 1000
// x 1000 for a matrix and a vector, 90 x 90 x 90 for a matrix product.
constexpr double flops_at_most = 2e6;

// values to try, for each tunable
using Values = std::map<std::string, std::vector<std::int64_t>>;

// Emulation is slow, so the dtypes take turns there, each at every other
// rectangle.
#ifdef PARLAB_EMULATED
constexpr bool meets(std::size_t dtype, std::size_t rectangle) {
  return (dtype + rectangle) % 2 == 0;
}
#else
constexpr bool meets(std::size_t, std::size_t) {
  return true;
}
#endif

// Squares of the odd extents, and rectangles both ways, in any number of
// dimensions; the parameters take a few values in turn. dtype: its index among
// those of the workload.
std::vector<Size> odd_sizes(const Workload& workload, std::size_t dtype) {
  const auto parameters = workload.parameters();
  const auto dimensions = workload.dimensions().size() - parameters.size();
  std::vector<Size> sizes;
  for (const auto extent : extents)
    sizes.emplace_back(dimensions, extent);
  // several blocks each way
  sizes.emplace_back(dimensions, dimensions > 1 ? 129 : 1025);
  std::size_t rectangle = 0;
  for (std::size_t longest = 0; dimensions > 1 && longest < dimensions;
       ++longest) {
    for (const auto& [narrow, wide] :
         {std::pair{1, 300}, {3, 257}, {33, 130}}) {
      if (!meets(dtype, rectangle++)) continue;
      Size size(dimensions, narrow);
      size[longest] = wide;
      sizes.push_back(size);
    }
  }
  for (const auto& parameter : parameters) {
    const std::int64_t values[] = {parameter.fallback, parameter.min + 1,
                                   parameter.min};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const auto value = values[i % 3];
      sizes[i].push_back(parameter.allows(value) ? value : parameter.fallback);
    }
  }
  return sizes;
}

bool is_square(const Workload& workload, const Size& size,
               std::int64_t extent) {
  const auto parameters =
      static_cast<std::ptrdiff_t>(workload.parameters().size());
  return std::all_of(size.begin(), size.end() - parameters,
                     [&](auto n) { return n == extent; });
}

// The ends of the range, the fallback, and odd and even values between, if they
// are allowed.
std::vector<std::int64_t> values_to_try(const Tunable& tunable, bool thorough) {
  if (tunable.name == "gpus") {
    if (thorough) return {1, 2, 3, 8};
#ifdef PARLAB_EMULATED
    return {2};
#else
    return {1, 2};  // a machine may have a single one
#endif
  }
  const bool is_threads = tunable.name == "threads";
  std::set<std::int64_t> values;
  const std::vector<std::int64_t> candidates =
      thorough
          ? std::vector<std::int64_t>{tunable.min, 2,   3,    7,          8,
                                      16,          31,  32,   33,         96,
                                      256,         500, 1024, tunable.max}
          : std::vector<std::int64_t>{33, 64};
  for (const auto value : candidates) {
    // More threads than a machine has CPUs only wait for each other.
    if (tunable.allows(value) && (!is_threads || value <= 4))
      values.insert(value);
  }
  const auto always = is_threads ? 1 : tunable.fallback;
  if (tunable.allows(always)) values.insert(always);
  return {values.begin(), values.end()};
}

// Every combination of the values, unless there are too many. Then, if
// `thorough`, one tunable at a time with the others at their fallback, and
// otherwise only the fallbacks.
std::vector<Values> choices(const Variant& variant, bool thorough) {
  const std::size_t most = thorough ? 200 : 30;
  Values all;
  std::size_t count = 1;
  for (const auto& tunable : variant.tunables) {
    all[tunable.name] = values_to_try(tunable, thorough);
    count *= std::max<std::size_t>(1, all[tunable.name].size());
  }
  if (count <= most) return {all};
  if (!thorough) return {{}};
  std::vector<Values> one_by_one;
  for (const auto& one : all)
    one_by_one.push_back({one});
  return one_by_one;
}

// The variants to run at this size, by the values of their tunables: all that
// share a plan share the oracle of a problem.
std::map<Values, std::vector<const Variant*>> groups(const Workload& workload,
                                                     const Size& size,
                                                     Dtype dtype) {
  std::map<Values, std::vector<const Variant*>> found;
  for (const auto* variant : Registry::instance().variants(workload.name())) {
    // A variant that another test only describes.
    if (!variant->run_gpu && !variant->run_host && !variant->run_streams &&
        !variant->run_gpus) {
      continue;
    }
    if (std::count(variant->dtypes.begin(), variant->dtypes.end(), dtype) == 0)
      continue;
    if (variant->needs_gpu() &&
        workload.work(size, dtype).flops > flops_at_most)
      continue;
    // All values of the tunables at one small size, a few at the others.
    const bool thorough = dtype == Dtype::f32 && is_square(workload, size, 33);
    for (const auto& tunables : choices(*variant, thorough))
      found[tunables].push_back(variant);
  }
  return found;
}

// A variant with this name needs hardware that emulation or an older GPU lacks.
bool lacks_hardware(const std::string& name) {
  static const std::set<std::string> all{
      "covariance/cuda/fp16x3",  "matmul/cuda/bf16x6",
      "matmul/cuda/bulk_copies", "matmul/cuda/clusters",
      "matmul/cuda/fp16x3",      "matmul/cuda/overlapped",
      "matmul/cuda/specialised", "matmul/cuda/warpgroup_products"};
  return all.contains(name);
}

// A variant may be refused with values of its tunables that are too large for
// any device.
bool is_too_large(const Record& record, const Variant& variant) {
  const bool chosen =
      std::any_of(variant.tunables.begin(), variant.tunables.end(),
                  [&](const Tunable& tunable) {
                    return record.tunables[tunable.name] != tunable.fallback;
                  });
  static const std::vector<std::string> reasons{"cannot launch",
                                                "threads per block",
                                                "fit a block",
                                                "bytes of shared memory",
                                                "registers or shared memory",
                                                "no block of",
                                                "too large for this kernel",
                                                "a team of",
                                                "this machine has"};
  return chosen && std::any_of(reasons.begin(), reasons.end(),
                               [&](const std::string& reason) {
                                 return contains(record.detail, reason);
                               });
}

bool fine(const Record& record, const Variant& variant) {
  if (record.verdict != Verdict::not_supported) return right_or_no_gpu(record);
  return lacks_hardware(record.full_name()) ||
         contains(record.detail, "compute capability 9.0") ||
         is_too_large(record, variant);
}

// The files of the tree that each contain a variant of this program.
std::set<std::string> files_of(const std::string& workload) {
  std::set<std::string> files;
  for (const std::string backend : {"serial", "openmp", "blas", "cuda"}) {
    const fs::path folder = fs::path(backend) / workload;
    if (!fs::exists(folder)) continue;
    for (const auto& entry : fs::directory_iterator(folder)) {
      const auto suffix = entry.path().extension();
#ifdef PARLAB_EMULATED
      const bool kernel = suffix == ".cu" && backend == "cuda";
#else
      const bool kernel = suffix == ".cu";
#endif
      if (kernel || suffix == ".cpp") files.insert(entry.path().string());
    }
  }
  return files;
}

void verify_all_of(const std::string& name) {
  const auto& workload = *Registry::instance().workload(name);
  const auto dtypes = workload.dtypes();
  std::set<std::string> verified;
  for (std::size_t number = 0; number < dtypes.size(); ++number) {
    const auto dtype = dtypes[number];
    for (const auto& size : odd_sizes(workload, number)) {
      for (const auto& [tunables, variants] : groups(workload, size, dtype)) {
        Plan plan = plan_for(name, *variants.front(), size, dtype);
        plan.variants = variants;
        plan.verify_only = true;
        plan.tunables = tunables;
        for (const auto& record : testing::sweep(plan)) {
          const auto& variant = variant_called(record.full_name());
          BOOST_TEST(fine(record, variant), described(record));
          if (right_or_no_gpu(record) || lacks_hardware(record.full_name()))
            verified.insert(variant.source);
        }
      }
    }
  }
  // A kernel that is missing, or that every plan left out, is no success.
  BOOST_TEST(verified == files_of(name), boost::test_tools::per_element());
}

// A case for each workload, by its name, so that they can run side by side.
bool add_cases() {
  namespace unit_test = boost::unit_test;
  for (const auto& entry : fs::directory_iterator("src/workloads")) {
    if (entry.path().extension() != ".cpp") continue;
    const auto name = entry.path().stem().string();
    unit_test::framework::current_auto_test_suite().add(
        unit_test::make_test_case([name] { verify_all_of(name); }, name,
                                  __FILE__, __LINE__));
  }
  return true;
}

}  // namespace

// Every variant is right at odd sizes with all values of its tunables.
BOOST_AUTO_TEST_SUITE(variants)

const bool added = add_cases();

BOOST_AUTO_TEST_SUITE_END()
