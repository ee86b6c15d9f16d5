// Variants whose arrays begin and end in the host's memory: the existing ones,
// in pieces of all sizes, and planted ones that fail or cheat. They run on a
// GPU if there is one, otherwise by emulation.
#include <boost/test/unit_test.hpp>

#include "gpu/streams.hpp"
#include "places/cheats.hpp"
#include "places/gpu_usable.hpp"
#include "places/honest.cuh"
#include "places/other_stream.cuh"
#include "support.hpp"
#include "workloads/dmv.hpp"

using namespace parlab;

namespace {

using Args = Dmv::Args<float>;

__global__ void put(float* where, float value) {
  *where = value;
}

void compute(Gpu& gpu, const float* a, const float* x, float* y,
             std::int64_t rows, std::int64_t cols) {
  gpu.launch({.grid = {ceil_div(rows, 64)}, .block = {64}}, honest, a, x, y,
             rows, cols);
}

// Copies arrive on stream 0, pieces of 8 rows are computed on stream 1 and go
// back on stream 2. Steps that a cheat leaves out are not waited for.
struct Pieces {
  bool wait_for_copies = true, wait_for_kernels = true, own_memory = true,
       wait_before_reuse = true;
  std::int64_t leave_out = 0, one_more = 0;  // rows at the end
};
void in_pieces(Streams& s, const Args& p, const Pieces& how) {
  constexpr std::int64_t piece = 8;
  float* const x = s[0].scratch<float>(p.cols);
  float* const a =
      s[0].scratch<float>((how.own_memory ? p.rows : piece) * p.cols);
  float* const y = s[0].scratch<float>(p.rows + 1);
  s[0].clear(y + p.rows, sizeof(float));
  s.to_device(0, x, p.x, p.cols);
  for (std::int64_t first = 0; first < p.rows; first += piece) {
    const auto rows = std::min(piece, p.rows - first);
    float* const here = how.own_memory ? a + first * p.cols : a;
    if (!how.own_memory && how.wait_before_reuse) s.wait(0, 1);
    s.to_device(0, here, p.a + first * p.cols, rows * p.cols);
    if (how.wait_for_copies) s.wait(1, 0);
    compute(s[1], here, x, y + first, rows, p.cols);
    if (how.wait_for_kernels) s.wait(2, 1);
    const bool last = first + rows == p.rows;
    s.to_host(2, p.y + first, y + first,
              rows + (last ? how.one_more - how.leave_out : 0));
  }
}

#define STREAMS_CHEAT(name, ...)                       \
  const Register<Dmv, float> name(                     \
      {.idea = #name},                                 \
      [](Streams& s, const Args& p, const Tunables&) { \
        (void)s;                                       \
        (void)p;                                       \
        __VA_ARGS__;                                   \
      },                                               \
      "cuda/streams_cheats/" #name ".cu", "")

STREAMS_CHEAT(honest_control, in_pieces(s, p, {}));
STREAMS_CHEAT(honest_in_little_memory, in_pieces(s, p, {.own_memory = false}));
STREAMS_CHEAT(leaves_out_the_last_copy, in_pieces(s, p, {.leave_out = 2}));
STREAMS_CHEAT(copies_past_the_end, in_pieces(s, p, {.one_more = 1}));
STREAMS_CHEAT(copies_into_its_input, {
  in_pieces(s, p, {});
  s.to_host(2, const_cast<float*>(p.x), s[0].scratch<float>(1), 1);
});
STREAMS_CHEAT(leaves_its_zeroed_scratch_dirty, {
  in_pieces(s, p, {});
  s[3].launch({}, put, s[3].zeroed_scratch<float>(1), 1.0f);
});
STREAMS_CHEAT(asks_for_too_many_streams, s[64]);

#ifdef PARLAB_EMULATED
STREAMS_CHEAT(does_not_wait_for_copies,
              in_pieces(s, p, {.wait_for_copies = false}));
STREAMS_CHEAT(does_not_wait_for_kernels,
              in_pieces(s, p, {.wait_for_kernels = false}));
STREAMS_CHEAT(reuses_memory_too_early,
              in_pieces(s, p,
                        {.own_memory = false, .wait_before_reuse = false}));
STREAMS_CHEAT(computes_in_host_memory,
              compute(s[0], p.a, p.x, p.y, p.rows, p.cols));
STREAMS_CHEAT(copies_the_wrong_way, s.to_device(0, p.y, p.x, 1));
STREAMS_CHEAT(copies_more_than_there_is,
              s.to_device(0, s[0].scratch<float>(p.cols + 1), p.x, p.cols + 1));
STREAMS_CHEAT(copies_more_than_it_has_room_for,
              s.to_device(0, s[0].scratch<float>(p.cols - 1), p.x, p.cols));
STREAMS_CHEAT(touches_its_arrays_on_the_host, p.y[0] = p.a[0] * p.x[0]);
#else
// Its time ends before the last rows have arrived.
STREAMS_CHEAT(leaves_the_last_copy_unjoined, {
  static OtherStream other;
  in_pieces(s, p, {.leave_out = 2});
  float* const y = s[4].scratch<float>(p.rows);
  float* const x = s[4].scratch<float>(p.cols);
  float* const a = s[4].scratch<float>(p.rows * p.cols);
  s.to_device(4, x, p.x, p.cols);
  s.to_device(4, a, p.a, p.rows * p.cols);
  compute(s[4], a, x, y, p.rows, p.cols);
  other.after(s[4]);
  spin<<<1, 1, 0, other.stream>>>(500'000LL);
  cudaMemcpyAsync(p.y + p.rows - 2, y + p.rows - 2, 2 * sizeof(float),
                  cudaMemcpyDeviceToHost, other.stream);
});
STREAMS_CHEAT(leaves_work_behind, {
  static OtherStream other;
  in_pieces(s, p, {});
  other.after(s[2]);
  spin<<<1, 1, 0, other.stream>>>(5'000'000LL);
});
// The host has finished before the first copy begins.
STREAMS_CHEAT(computes_on_the_host, {
  for (std::int64_t row = 0; row < p.rows; ++row) {
    p.y[row] = 0;
    for (std::int64_t col = 0; col < p.cols; ++col)
      p.y[row] += p.a[row * p.cols + col] * p.x[col];
  }
});
STREAMS_CHEAT(waits_for_the_device, {
  in_pieces(s, p, {});
  cudaDeviceSynchronize();
});
STREAMS_CHEAT(sleeps_on_a_stream_of_its_own, {
  in_pieces(s, p, {});
  s[5].launch({}, spin, 200'000LL);
});
#endif

Record run(const std::string& name) {
  return testing::record_of_dmv("streams_cheats/cuda/" + name, {63, 65});
}

void expect(const std::string& name, const std::string& verdict,
            const std::string& cause) {
  testing::expect_caught(run(name), verdict, cause);
}

void expect_right(const std::string& name, const Size& size, const Plan& how) {
  const auto& variant = testing::variant_called(name);
  std::size_t judged = 0;
  for (const auto dtype : variant.dtypes) {
    Plan plan = testing::plan_to_verify(variant, size, dtype);
    plan.tunables = how.tunables;
    for (const auto& record : testing::sweep(plan)) {
      testing::expect_passed(record);
      BOOST_TEST(record.from_host);
      ++judged;
    }
  }
  BOOST_TEST(judged > 0, name);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(streams,
                      *boost::unit_test::precondition(testing::gpu_usable))

BOOST_AUTO_TEST_CASE(honest_variants_pass_and_have_their_copies_in_their_time) {
  for (const char* name : {"honest_control", "honest_in_little_memory"}) {
    const Record record = run(name);
    testing::expect_passed(record);
    BOOST_TEST_CONTEXT(name) {
      BOOST_TEST(record.from_host);
      BOOST_TEST(!record.to_device_s.has_value());
      BOOST_TEST(record.launch.launches == 8);
    }
  }
}

BOOST_AUTO_TEST_CASE(wrong_results_are_caught) {
#ifdef PARLAB_EMULATED
  expect("copies_past_the_end", "launch_failed", "at_the_end to_host() writes");
  expect("copies_into_its_input", "wrong_result",
         "input_written to_host() writes");
#else
  expect("copies_past_the_end", "wrong_result", "wrote_past_end y");
  expect("copies_into_its_input", "wrong_result", "changed_input x");
#endif
  expect("leaves_out_the_last_copy", "wrong_result", "y[61]");
  expect("leaves_its_zeroed_scratch_dirty", "wrong_result", "scratch_not_zero");
  expect("asks_for_too_many_streams", "not_supported", "no_such_stream 64 63");
}

#ifdef PARLAB_EMULATED
BOOST_AUTO_TEST_CASE(what_does_not_wait_is_caught) {
  expect("does_not_wait_for_copies", "wrong_result", "race_of_streams");
  expect(
      "does_not_wait_for_kernels", "wrong_result",
      "race_of_streams to_host() reads stream 0's scratch 3[0] stream 1 wrote");
  expect("reuses_memory_too_early", "wrong_result",
         "race_of_streams to_device() writes stream 0's scratch 2[0] stream 1 "
         "read");
}

BOOST_AUTO_TEST_CASE(stray_copies_are_caught) {
  expect("computes_in_host_memory", "launch_failed", "array_of_host");
  expect("copies_the_wrong_way", "launch_failed", "memory of the device");
  expect("copies_more_than_there_is", "launch_failed",
         "at_the_end to_device() reads");
  expect("copies_more_than_it_has_room_for", "launch_failed",
         "at_the_end to_device() writes");
  expect("touches_its_arrays_on_the_host", "launch_failed", "");
}
#else
BOOST_AUTO_TEST_CASE(work_out_of_sight_is_caught) {
  testing::expect_wrong_or_at_work(run("leaves_the_last_copy_unjoined"));
  testing::expect_wrong_or_at_work(run("leaves_work_behind"));
  expect("computes_on_the_host", "wrong_result", "");
  expect("waits_for_the_device", "launch_failed", "waits_for_device");
}

BOOST_AUTO_TEST_CASE(every_stream_is_waited_for) {
  const Record record = run("sleeps_on_a_stream_of_its_own");
  BOOST_REQUIRE(!record.seconds.empty());
  BOOST_TEST(record.summary().min >= 199e-6);
}

BOOST_AUTO_TEST_CASE(the_link_is_measured) {
  const auto links = make_executor(Target::streams)->links();
  for (const auto* name :
       {link_from_host, link_to_host, link_from_and_to_host}) {
    BOOST_REQUIRE(links.count(name) == 1);
    BOOST_TEST(links.at(name) > 1e9);
  }
  BOOST_TEST(links.at(link_from_and_to_host) >= 0.9 * links.at(link_to_host));
}
#endif

// More pieces than streams, fewer, and one; numbers of rows that such pieces do
// not divide.
BOOST_AUTO_TEST_CASE(all_are_right_in_pieces_of_any_size) {
  Plan how;
  how.tunables["piece"] = {1, 4};
  how.tunables["streams"] = {1, 3, 16};
  for (const Size& size :
       {Size{1, 1}, {1, 300}, {300, 1}, {65, 33}, {200, 129}}) {
    expect_right("dmv/cuda/from_host", size, how);
  }
  for (const Size& size : {Size{1, 1}, {70, 33}, {33, 70}}) {
    expect_right("atax/cuda/from_host", size, how);
  }
  for (const std::int64_t n : {1, 1000, 20001})
    expect_right("vector_sum/cuda/from_host", {n}, how);
  for (const Size& size :
       {Size{1, 9, 3}, {40, 33, 0}, {41, 32, 2}, {30, 40, 20}}) {
    expect_right("convsep/cuda/from_host", size, how);
  }
  for (const Size& size :
       {Size{1, 9}, {3, 3}, {9, 2}, {40, 7}, {5, 300}, {129, 66}}) {
    expect_right("conv2d/cuda/from_host", size, how);
  }
}

BOOST_AUTO_TEST_CASE(products_are_right_with_any_grid_of_tiles) {
  Plan how;
  how.tunables["panels"] = {3};
  how.tunables["slices"] = {1, 3};
  how.tunables["streams"] = {3};
  for (const Size& size :
       {Size{1, 1, 1}, {130, 129, 131}, {257, 2, 129}, {3, 260, 270}}) {
    expect_right("matmul/cuda/from_host", size, how);
  }
}

BOOST_AUTO_TEST_SUITE_END()
