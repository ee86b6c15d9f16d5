#include "places/emulation/planted.hpp"
#include "facts/cause.hpp"

#include <numeric>

namespace planted {

using parlab::LaunchConfig;

std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

Run launch(void (*kernel)(const float*, float*, int)) {
  return [=](const Bench& b) {
    b.gpu.launch(b.config(), kernel, b.in, b.out, b.n);
  };
}

Run launch(void (*kernel)(const float*, float*, unsigned*, int)) {
  return [=](const Bench& b) {
    b.gpu.launch(b.config(), kernel, b.in, b.out,
                 b.gpu.zeroed_scratch<unsigned>(1), b.n);
  };
}

Run launch(void (*kernel)(const float*, float*, float*, int)) {
  return [=](const Bench& b) {
    b.gpu.launch(b.config(), kernel, b.in, b.gpu.scratch<float>(b.n), b.out,
                 b.n);
  };
}

Run launch(void (*kernel)(const float*, float*, unsigned*, float*, int)) {
  return [=](const Bench& b) {
    auto* const middle = b.gpu.scratch<float>(b.n);
    auto* const zero = b.gpu.zeroed_scratch<unsigned>(1);
    b.gpu.launch(b.config(), kernel, b.in, middle, zero, b.out, b.n);
  };
}

Run launch(Run host_code) {
  return host_code;
}

Run cooperative(void (*kernel)(const float*, float*, float*, int)) {
  return [=](const Bench& b) {
    LaunchConfig config = b.config();
    config.cooperative = true;
    b.gpu.launch(config, kernel, b.in, b.gpu.scratch<float>(b.n), b.out, b.n);
  };
}

double run(parlab::EmulatedGpu& gpu, const Case& one) {
  using parlab::emulation::Kind;
  const auto bytes = static_cast<std::size_t>(one.n) * sizeof(float);
  const auto in = gpu.allocate("in", bytes, Kind::input);
  const auto out = gpu.allocate("out", bytes, Kind::output);
  auto* const a = reinterpret_cast<float*>(in->data);
  auto* const y = reinterpret_cast<float*>(out->data);
  for (int i = 0; i < one.n; ++i)
    a[i] = static_cast<float>(i % 4);
  gpu.clear(y, bytes);
  gpu.begin_run();
  gpu.run_host_code([&] { one.run({gpu, a, y, one.n, one.block}); });
  if (const auto damage = gpu.scratch_damage())
    throw parlab::PointError(parlab::Verdict::wrong_result, damage);
  return std::accumulate(y, y + one.n, 0.0);
}

}  // namespace planted
