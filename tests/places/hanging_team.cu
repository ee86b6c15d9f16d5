// A collective that one GPU does not join is ended at the time limit, and the
// next one works. Runs on machines with two GPUs and NCCL.
#ifndef PARLAB_EMULATED
#include <boost/test/unit_test.hpp>

#include "core/clock.hpp"
#include "facts/cause.hpp"
#include "places/cuda/cuda_gpus.hpp"
#include "places/cuda/gpu_timer.hpp"
#include "places/other_stream.cuh"
#include "places/presence.hpp"

using namespace parlab;

BOOST_AUTO_TEST_SUITE(hanging_team, *boost::unit_test::precondition([](auto) {
                        return gpus_present().size() > 1;
                      }))

BOOST_AUTO_TEST_CASE(a_collective_that_does_not_return_is_ended) {
  constexpr int elements = 1000;
  constexpr double limit_s = 2;
  constexpr long long absence_ns = 6'000'000'000;
  enable_peer_access({0, 1});
  CudaGpu first(0), second(1);
  CudaGpus team({&first, &second});
  GpuTimer timer({&first, &second},
                 {.abandon = [&] { team.abandon(); }, .limit_s = limit_s});
  OnEach<float> data;
  std::vector<DeviceMemory> memory;
  team.each([&](Gpu& gpu, int) {
    memory.push_back(device_memory(elements * sizeof(float), "a test"));
    data.push_back(reinterpret_cast<float*>(memory.back().get()));
    gpu.clear(data.back(), elements * sizeof(float));
  });
  const auto add_up = [&] { team.all_reduce(data, data, elements); };
  const auto nothing = [] {};
  // NCCL starts here, not while streams are held
  const auto warm_up = [&] {
    add_up();
    timer.run_held(nothing, nothing);
  };
  warm_up();
  timer.run_held(nothing, add_up);

  const auto add_up_without_the_second = [&] {
    team[1];  // this makes it the current device
    spin<<<1, 1, 0, second.cuda_stream()>>>(absence_ns);
    add_up();
  };
  const auto timed_out = [](const PointError& e) {
    return e.verdict == Verdict::timed_out &&
           e.detail.cause == Cause::team_not_done;
  };
  const double taken = seconds_of([&] {
    BOOST_CHECK_EXCEPTION(timer.run_held(nothing, add_up_without_the_second),
                          PointError, timed_out);
  });
  BOOST_TEST(taken >= limit_s);
  BOOST_TEST(taken < 30);
  BOOST_TEST(!timer.hangs());
  warm_up();
  BOOST_CHECK_NO_THROW(timer.run_held(nothing, add_up));
}

BOOST_AUTO_TEST_SUITE_END()
#endif
