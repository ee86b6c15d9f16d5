// A GPU that is lost during a sweep. Linked after all other tests (see the
// Makefile): some drivers give a process no new context after one has died, and
// later tests find no GPU.
#include <boost/test/unit_test.hpp>
#include <map>
#include <string>

#include "gpu/gpu.hpp"
#include "places/gpu_usable.hpp"
#include "places/honest.cuh"
#include "support.hpp"
#include "workloads/dmv.hpp"

using namespace parlab;
using namespace parlab::testing;

namespace {

using Args = Dmv::Args<float>;

__global__ void store(float* where, float value) {
  *where = value;
}

const Register<Dmv, float> invalid_address(
    {},
    [](Gpu& gpu, const Args&, const Tunables&) {
      gpu.launch({}, store, reinterpret_cast<float*>(64), 1.0f);
    },
    "cuda/unusable_gpu/invalid_address.cu", "");

const Register<Dmv, float> survives(
    {},
    [](Gpu& gpu, const Args& p, const Tunables&) {
      gpu.launch({.grid = {ceil_div(p.rows, 64)}, .block = {64}}, honest, p.a,
                 p.x, p.y, p.rows, p.cols);
    },
    "cuda/unusable_gpu/survives.cu", "");

}  // namespace

BOOST_AUTO_TEST_SUITE(unusable_gpu, *boost::unit_test::precondition(gpu_usable))

BOOST_AUTO_TEST_CASE(a_dead_context_does_not_end_the_sweep) {
  Plan plan = plan_for(
      "dmv", variant_called("unusable_gpu/cuda/invalid_address"), {40, 40});
  plan.variants.push_back(&variant_called("unusable_gpu/cuda/survives"));
  // serial
  plan.variants.push_back(Registry::instance().variants("dmv").front());

  std::map<std::string, Record> records;
  for (const auto& record : sweep(plan))
    records.emplace(record.variant, record);
  BOOST_REQUIRE_EQUAL(records.size(), 3U);
  BOOST_TEST(!records.at("invalid_address").timed());
  BOOST_TEST(to_string(records.at("invalid_address").verdict) != "passed");

  const Record& next = records.at("survives");
  const bool lost = next.verdict == Verdict::no_device &&
                    to_string(next.detail).find("lost") != std::string::npos;
  if (!lost) BOOST_TEST(to_string(next.verdict) == "passed", described(next));
  const Record& last = records.at(plan.variants.back()->name);
  BOOST_TEST(to_string(last.verdict) == "passed", described(last));
}

BOOST_AUTO_TEST_SUITE_END()
