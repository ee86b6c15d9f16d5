#include "image/filter.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>

#include "core/numbers.hpp"
#include "facts/cause.hpp"
#include "places/executor.hpp"
#include "verify/problem.hpp"
#include "workloads/convsep.hpp"

namespace parlab {
namespace {

constexpr int most_radius = Convsep::max_radius,
              most_deviation = most_radius / 3;
// Below this, the neighbours' weights vanish beside the middle one.
constexpr double least_deviation = 0.1;

double number_in(const std::string& text, const std::string& argument,
                 double most) {
  std::size_t end = 0;
  double value = -1;
  try {
    value = std::stod(argument, &end);
  } catch (const std::exception&) {
    end = 0;
  }
  if (end == 0 || end != argument.size() || !(value >= 0 && value <= most)) {
    throw UsageError("filter " + text + ": the number must be from 0 to " +
                     std::to_string(static_cast<int>(most)));
  }
  return value;
}

std::vector<double> weights_in(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw UsageError("filter file:" + path + ": it cannot be read");
  std::vector<double> weights;
  for (double weight = 0; file >> weight;)
    weights.push_back(weight);
  if (!file.eof())
    throw UsageError("filter file:" + path +
                     ": it has something other than numbers");
  if (weights.size() % 2 == 0 || weights.size() > Convsep::max_taps) {
    throw UsageError("filter file:" + path + ": it has " +
                     std::to_string(weights.size()) +
                     " weights; an odd number up to " +
                     std::to_string(Convsep::max_taps) + " is needed");
  }
  return weights;
}

// One channel as a variant's input, between guards.
template <typename T>
void fill(const Arrays& inputs, const Image& image, int channel,
          const std::vector<double>& weights) {
  const auto cols = image.cols,
             radius = static_cast<std::int64_t>(weights.size() / 2);
  T *a = inputs.get<T>("a"), *padded = inputs.get<T>("a_padded"),
    *w = inputs.get<T>("w");
  const auto pitch = cols + 2 * radius;
  if (padded != nullptr) std::fill_n(padded, image.rows * pitch, T{0});
  for (std::int64_t i = 0; i < image.rows * cols; ++i) {
    a[i] = static_cast<T>(image.samples[i * image.channels + channel]);
    if (padded != nullptr) padded[i / cols * pitch + radius + i % cols] = a[i];
  }
  std::ranges::transform(weights, w,
                         [](double x) { return static_cast<T>(x); });
}

}  // namespace

std::vector<double> parse_filter(const std::string& text) {
  const auto colon = std::min(text.find(':'), text.size());
  const auto kind = text.substr(0, colon),
             argument = text.substr(std::min(colon + 1, text.size()));
  if (kind == "file") return weights_in(argument);
  std::vector<double> weights;
  if (kind == "box") {
    const double radius = number_in(text, argument, most_radius);
    if (radius != std::floor(radius))
      throw UsageError("filter " + text + ": a radius is whole");
    weights.assign(2 * static_cast<std::size_t>(radius) + 1, 1);
  } else if (kind == "gaussian") {
    const double deviation = number_in(text, argument, most_deviation);
    if (deviation > 0 && deviation < least_deviation) {
      throw UsageError("filter " + text + ": a deviation below " +
                       significant(least_deviation, 1, 1) +
                       " leaves the image as it is; write 0");
    }
    const int radius = static_cast<int>(std::ceil(3 * deviation));
    for (int k = -radius; k <= radius; ++k) {
      weights.push_back(
          radius == 0 ? 1 : std::exp(-k * k / (2 * deviation * deviation)));
    }
  } else {
    throw UsageError("filter " + text +
                     ": write box:RADIUS, gaussian:DEVIATION or file:PATH");
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (auto& weight : weights)
    weight /= sum;
  return weights;
}

Filtered filter_image(const Image& image, const std::vector<double>& weights,
                      const Variant& variant, Dtype dtype,
                      const TunableValues& tunables) {
  const auto& workload = *Registry::instance().workload(variant.workload);
  const Size size{image.rows, image.cols,
                  static_cast<std::int64_t>(weights.size() / 2)};
  Filtered filtered{.image = image, .verdict = Verdict::passed};
  if (variant.needs_team()) {
    throw UsageError(variant.full_name() +
                     ": an image is filtered on one GPU, or on the CPU");
  }
  try {
    const auto place = make_executor(variant.target);
    filtered.emulated = !place->can_time();
    auto inputs = arrays_needed(workload, size, dtype, {&variant}),
         outputs = inputs;
    std::erase_if(inputs, [](const ArraySpec& array) {
      return array.role != Role::input;
    });
    std::erase_if(outputs, [](const ArraySpec& array) {
      return array.role != Role::output;
    });
    const HostArrays memory(inputs);
    for (int channel = 0; channel < image.channels; ++channel) {
      dispatch<float, double>(dtype, [&]<typename T>(T) {
        fill<T>(memory.view(), image, channel, weights);
        place->load(memory.view(), outputs);
        const auto checked =
            place->run_checked({&variant, size, dtype, tunables});
        filtered.detail = checked.damage;
        const auto oracle =
            workload.oracle(memory.view(), size, dtype, InputKind::uniform,
                            variant.arithmetic_in(dtype));
        if (const auto wrong = oracle->check(checked.outputs);
            wrong && !filtered.detail) {
          filtered.detail = detail_of(*wrong);
        }
        const T* b = checked.outputs.template get<const T>("b");
        for (std::int64_t i = 0; i < image.rows * image.cols; ++i) {
          const double value =
              std::clamp(static_cast<double>(b[i]), 0.0, image.most * 1.0);
          // NaN, which no right result has, becomes black.
          filtered.image.samples[i * image.channels + channel] =
              static_cast<std::uint16_t>(value > 0 ? std::lround(value) : 0);
        }
      });
      if (!filtered.detail) continue;
      filtered.verdict = Verdict::wrong_result;
      break;
    }
    place->release();
  } catch (const PointError& error) {
    filtered.verdict = error.verdict;
    filtered.detail = error.detail;
  }
  return filtered;
}

}  // namespace parlab
