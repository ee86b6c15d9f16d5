// What the reports printed, as far as a rule computes with it; from the CSV files in
// results/published, and tested against them.
#pragma once

#include <array>
#include <cstdint>

namespace parlab::published {

struct Vs {
  std::int64_t n;
  double serial_s, cuda_s;
};
// patras-cuda-convolution.csv
inline constexpr std::array<Vs, 6> convolution{{{4096, 0.387760, 0.062},
                                                {5000, 0.583060, 0.094},
                                                {6000, 1.1013223, 0.125},
                                                {7000, 1.515584, 0.161},
                                                {8000, 2.514449, 0.236},
                                                {9000, 3.448880, 0.266}}};
// patras-cuda-device-limits.csv: compute capability 2.1
inline constexpr int registers_per_multiprocessor = 32768, warps_per_multiprocessor = 48;

struct Cached {
  std::int64_t n;
  double normal_s, no_l1_s, streaming_s;  // default, dlcm_cg, dlcm_cs_dscm_wt
};
// separable-convolution-nontiled-cache.csv
inline constexpr std::array<Cached, 8> nontiled{{{64, 0.000022, 0.000026, 0.000021},
                                                 {128, 0.000029, 0.000035, 0.000048},
                                                 {256, 0.000065, 0.000109, 0.000174},
                                                 {512, 0.000237, 0.000412, 0.000593},
                                                 {1024, 0.000971, 0.001748, 0.003047},
                                                 {2048, 0.005957, 0.006355, 0.021371},
                                                 {4096, 0.01682, 0.026898, 0.050627},
                                                 {8192, 0.060491, 0.100153, 0.16653}}};
// separable-convolution-tile-sizes.csv
struct Tiles {
  int block, w1, h1, w2, h2;
  double time_s;
};
inline constexpr std::array<Tiles, 9> tiles{{{32, 32, 32, 32, 32, 0.030857},
                                             {32, 64, 64, 64, 64, 0.023221},
                                             {16, 16, 16, 16, 16, 0.024366},
                                             {16, 32, 32, 32, 32, 0.032905},
                                             {16, 64, 64, 64, 64, 0.035246},
                                             {16, 64, 16, 16, 64, 0.025193},
                                             {16, 128, 16, 16, 128, 0.024573},
                                             {16, 256, 16, 16, 256, 0.027638},
                                             {16, 16, 16, 16, 128, 0.021172}}};

struct Serial {
  int k;  // n / 1024
  double time_s, gflops;
};
// cslab-dmv-serial.csv
inline constexpr std::array<Serial, 7> dmv_serial{{{1, 0.119, 1.743},
                                                   {2, 0.496, 1.607},
                                                   {4, 1.810, 1.597},
                                                   {7, 5.493, 1.777},
                                                   {8, 7.103, 1.842},
                                                   {14, 21.432, 1.842},
                                                   {16, 27.986, 1.876}}};

// vector-sum-times.csv, -transactions.csv and -occupancy.csv: one launch shape.
struct Shape {
  std::int64_t n;
  bool brw;
  int blocks, block;
  double time_ms, accesses_per_transaction, measured_occupancy_percent;
};
inline constexpr std::array<Shape, 32> vector_sum{
    {{32768, false, 1024, 32, 0.144495, 2.95, 57.49},
     {32768, false, 256, 128, 0.154879, 2.99, 56.86},
     {32768, false, 128, 256, 0.171771, 2.99, 55.19},
     {32768, false, 32, 1024, 0.242505, 3.00, 53.27},
     {65536, false, 2048, 32, 0.166182, 4.43, 48.79},
     {65536, false, 512, 128, 0.298887, 2.99, 57.82},
     {65536, false, 256, 256, 0.336022, 2.99, 57.61},
     {65536, false, 64, 1024, 0.440053, 3.00, 56.97},
     {131072, false, 4096, 32, 0.304642, 4.43, 61.97},
     {131072, false, 1024, 128, 0.589871, 2.99, 58.83},
     {131072, false, 512, 256, 0.659726, 2.99, 58.80},
     {131072, false, 128, 1024, 0.873064, 3.00, 57.59},
     {262144, false, 8192, 32, 0.601541, 4.43, 64.26},
     {262144, false, 2048, 128, 0.761356, 4.48, 49.11},
     {262144, false, 1024, 256, 1.303582, 2.99, 59.65},
     {262144, false, 256, 1024, 1.729406, 3.00, 58.10},
     {32768, true, 512, 32, 0.034159, 4.06, 52.67},
     {32768, true, 128, 128, 0.028448, 4.59, 50.67},
     {32768, true, 64, 256, 0.028335, 4.69, 50.80},
     {32768, true, 16, 1024, 0.033791, 4.77, 45.44},
     {65536, true, 1024, 32, 0.058174, 4.06, 55.41},
     {65536, true, 256, 128, 0.046846, 4.59, 54.49},
     {65536, true, 128, 256, 0.04707, 4.69, 53.82},
     {65536, true, 32, 1024, 0.05763, 4.77, 49.65},
     {131072, true, 2048, 32, 0.070654, 6.09, 47.52},
     {131072, true, 512, 128, 0.082574, 4.59, 55.63},
     {131072, true, 256, 256, 0.08339, 4.69, 55.62},
     {131072, true, 64, 1024, 0.100428, 4.77, 54.70},
     {262144, true, 4096, 32, 0.131356, 6.09, 60.79},
     {262144, true, 1024, 128, 0.155756, 4.59, 57.36},
     {262144, true, 512, 256, 0.156364, 4.69, 57.15},
     {262144, true, 128, 1024, 0.194122, 4.77, 56.24}}};

// tiled-matmul-times.csv
struct Tile {
  std::int64_t n;
  double normal_ms, granularity_ms;
};
inline constexpr std::array<Tile, 2> tiled_matmul{
    {{1000, 55.3245, 46.3241}, {2000, 382.7642, 261.4366}}};

}  // namespace parlab::published
