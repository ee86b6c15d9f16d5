// The work of a team of emulated GPUs: correct transfers, and transfers with
// planted faults.
#include "places/emulation/teams.hpp"

using namespace parlab;
using teams::Bench;

namespace {

__global__ void add_one(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += 1;
}

__global__ void add_others(const float* others, float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += others[i];
}

__global__ void never_ends(volatile float* data) {
  while (data[0] >= 0)
    data[0] = 1;
}

void add_one_to(Gpu& gpu, float* data, int n) {
  gpu.launch({.grid = {ceil_div(n, 32)}, .block = {32}}, add_one, data, n);
}

// Each GPU passes its piece on to the next one, in a ring.
std::vector<Gpus::Move> ring(const Bench& b) {
  std::vector<Gpus::Move> moves;
  for (int i = 0; i < b.team.count(); ++i) {
    const int next = (i + 1) % b.team.count();
    moves.push_back(b.team.move(next, b.other[next], i, b.data[i], b.n));
  }
  return moves;
}

}  // namespace

const std::vector<teams::Case>& teams::cases() {
  static const std::vector<Case> all{
      {"all_reduce", "",
       [](const Bench& b) { b.team.all_reduce(b.data, b.other, b.n); }},
      {"all_reduce_in_place", "",
       [](const Bench& b) { b.team.all_reduce(b.data, b.data, b.n); }},
      {"broadcast", "",
       [](const Bench& b) {
         b.team.broadcast(b.team.count() - 1, b.data, b.n);
       }},
      {"ring", "", [](const Bench& b) { b.team.exchange(ring(b)); }},
      {"ring_beside_other_work", "",
       [](const Bench& b) {
         const auto own = b.team.scratch<float>(b.n);
         b.team.each(
             [&](Gpu& gpu, int i) { gpu.clear(own[i], b.n * sizeof(float)); });
         b.team.beside([&] { b.team.exchange(ring(b)); },
                       [&] {
                         b.team.each([&](Gpu& gpu, int i) {
                           add_one_to(gpu, own[i], b.n);
                         });
                       });
         b.team.each(
             [&](Gpu& gpu, int i) { add_one_to(gpu, b.other[i], b.n); });
       }},
      {"kernel_reads_another_gpu", "of GPU 0's data 1",
       [](const Bench& b) {
         b.team[1].launch({.grid = {1}, .block = {32}}, add_others, b.data[0],
                          b.data[1], b.n);
       }},
      {"kernel_writes_another_gpu", "of GPU 1's data 0",
       [](const Bench& b) { add_one_to(b.team[0], b.data[1], b.n); }},
      {"gpu_copy_to_another_gpu",
       "array_of_other_gpu writes byte 0 of GPU 1's other 0",
       [](const Bench& b) {
         b.team[0].copy(b.other[1], b.data[0], b.n * sizeof(float));
       }},
      {"kernel_without_end_on_the_last_gpu", "endless",
       [](const Bench& b) {
         const int last = b.team.count() - 1;
         b.team.each([&](Gpu& gpu, int i) {
           if (i < last) add_one_to(gpu, b.data[i], b.n);
         });
         b.team[last].launch({}, never_ends, b.data[last]);
         b.team.all_reduce(b.data, b.data, b.n);
       }},
      {"sends_what_nothing_has_written",
       "never_written exchange reads GPU 0's other[0]",
       [](const Bench& b) {
         b.team.exchange({b.team.move(1, b.data[1], 0, b.other[0], b.n)});
       }},
      {"sums_what_nothing_has_written",
       "never_written all_reduce reads GPU 0's other[0]",
       [](const Bench& b) { b.team.all_reduce(b.other, b.data, b.n); }},
      {"sends_past_the_end", "at_the_end exchange reads 164 0 GPU 0's data 160",
       [](const Bench& b) {
         b.team.exchange({b.team.move(1, b.other[1], 0, b.data[0], b.n + 1)});
       }},
      {"says_the_wrong_source",
       "memory_of_other_gpu exchange reads byte 0 of GPU 0's data 1",
       [](const Bench& b) {
         b.team.exchange({b.team.move(1, b.other[1], 1, b.data[0], b.n)});
       }},
      {"says_the_wrong_target",
       "memory_of_other_gpu exchange writes byte 0 of GPU 1's other 0",
       [](const Bench& b) {
         b.team.exchange({b.team.move(0, b.other[1], 0, b.data[0], b.n)});
       }},
      {"names_a_gpu_that_is_not_there", "no_such_gpu exchange 9",
       [](const Bench& b) {
         b.team.exchange({b.team.move(9, b.other[1], 0, b.data[0], b.n)});
       }},
      {"writes_to_an_input",
       "input_written exchange writes byte 0 of GPU 1's input",
       [](const Bench& b) {
         b.team.exchange({b.team.move(1, b.input[1], 0, b.data[0], b.n)});
       }},
      {"sends_host_memory", "memory_of_no_gpu exchange reads 160 0",
       [](const Bench& b) {
         const std::vector<float> here(static_cast<std::size_t>(b.n));
         b.team.exchange({b.team.move(1, b.other[1], 0, here.data(), b.n)});
       }},
      {"collective_without_one_gpu", "memory_of_some_gpus all_reduce 1",
       [](const Bench& b) {
         const OnEach<float> one{b.data[0]};
         b.team.all_reduce(one, one, b.n);
       }},
      {"one_move_reads_what_another_writes",
       "race_of_moves exchange reads byte 0 of GPU",
       [](const Bench& b) {
         b.team.exchange({b.team.move(1, b.data[1], 0, b.data[0], b.n),
                          b.team.move(0, b.other[0], 1, b.data[1], b.n)});
       }},
      {"work_beside_changes_what_is_sent",
       "race_beside exchange reads GPU 0's data[0] writes",
       [](const Bench& b) {
         b.team.beside([&] { b.team.exchange(ring(b)); },
                       [&] { add_one_to(b.team[0], b.data[0], b.n); });
       }},
      {"work_beside_reads_what_comes", "reads GPU 1's other[",
       [](const Bench& b) {
         b.team.beside([&] { b.team.exchange(ring(b)); },
                       [&] {
                         b.team[1].launch(
                             {.grid = {ceil_div(b.n, 32)}, .block = {32}},
                             add_others, static_cast<const float*>(b.other[1]),
                             b.data[1], b.n);
                       });
       }},
      {"work_beside_touches_where_it_goes",
       "race_beside exchange writes GPU 1's other[0] touches",
       [](const Bench& b) {
         b.team.exchange(ring(b));
         b.team.beside([&] { b.team.exchange(ring(b)); },
                       [&] { add_one_to(b.team[1], b.other[1], b.n); });
       }},
  };
  return all;
}
