#include "image/filter.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <numeric>
#include <sstream>

#include "core/random.hpp"
#include "core/text.hpp"
#include "places/executor.hpp"
#include "verify/problem.hpp"
#include "workloads/convsep.hpp"

namespace parlab {
namespace {

constexpr std::int64_t most_samples = std::int64_t{1} << 30;
constexpr std::size_t longest_header = 64 << 10;

class Parser {
 public:
  Parser(const std::string& bytes, const std::string& name)
      : bytes_(bytes), name_(name) {}

  Image parse() {
    Image image = header();
    const auto count =
        static_cast<std::size_t>(image.rows * image.cols * image.channels);
    is_binary() ? binary(image, count) : ascii(image, count);
    return image;
  }

  // The most bytes that an image with this header has: in text five digits and
  // a space per sample, doubled for comments and more space.
  std::size_t most_bytes() {
    const Image image = header();
    const auto count =
        static_cast<std::size_t>(image.rows * image.cols * image.channels);
    return is_binary() ? at_ + 1 + count * (image.most < 256 ? 1 : 2)
                       : at_ + 12 * count;
  }

 private:
  bool is_binary() const { return bytes_[1] == '5' || bytes_[1] == '6'; }

  // Reads the header only; at_ is then behind it.
  Image header() {
    Image image;
    const auto magic = bytes_.substr(0, 2);
    if (magic != "P2" && magic != "P3" && magic != "P5" && magic != "P6")
      fail("is no PGM or PPM image: it must begin with P2, P3, P5 or P6");
    at_ = 2;
    image.channels = magic == "P3" || magic == "P6" ? 3 : 1;
    image.cols = number("the width", 1, most_samples);
    image.rows = number("the height", 1, most_samples);
    image.most = static_cast<int>(number("the largest value", 1, 65535));
    if (image.rows > most_samples / image.cols / image.channels) {
      fail("claims " + std::to_string(image.cols) + " x " +
           std::to_string(image.rows) + " pixels: more than parlab takes");
    }
    return image;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw UsageError("image " + name_ + " " + what);
  }
  void too_short(std::size_t count) const {
    fail("is cut off: its header promises " + std::to_string(count) +
         " samples, " +
         std::to_string(bytes_.size() - std::min(at_, bytes_.size())) +
         " bytes are left for them");
  }

  static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

  // Skips white space and comments, which go from # to the end of the line.
  std::int64_t number(const char* what, std::int64_t min, std::int64_t max) {
    while (at_ < bytes_.size() &&
           (is_space(bytes_[at_]) || bytes_[at_] == '#')) {
      if (bytes_[at_++] != '#') continue;
      while (at_ < bytes_.size() && bytes_[at_] != '\n' && bytes_[at_] != '\r')
        ++at_;
    }
    const auto begin = at_;
    std::int64_t value = 0;
    for (; at_ < bytes_.size() && bytes_[at_] >= '0' && bytes_[at_] <= '9';
         ++at_) {
      value = std::min<std::int64_t>(value * 10 + (bytes_[at_] - '0'),
                                     most_samples + 1);
    }
    const bool ended =
        at_ == bytes_.size() || is_space(bytes_[at_]) || bytes_[at_] == '#';
    if (at_ == begin || !ended) {
      fail(std::string("has no number where ") + what + " should be, at byte " +
           std::to_string(begin));
    }
    if (value < min || value > max) {
      fail(std::string("has ") +
           bytes_.substr(begin, std::min<std::size_t>(at_ - begin, 20)) +
           " for " + what + ": allowed are " + std::to_string(min) + " to " +
           std::to_string(max));
    }
    return value;
  }

  // One byte of white space, then the samples, which have two bytes each, the
  // high one first, if one is not enough.
  void binary(Image& image, std::size_t count) {
    ++at_;
    const std::size_t width = image.most < 256 ? 1 : 2;
    if (at_ > bytes_.size() || bytes_.size() - at_ < count * width)
      too_short(count);
    image.samples.resize(count);
    for (std::size_t i = 0; i < count; ++i, at_ += width) {
      int value = static_cast<unsigned char>(bytes_[at_]);
      if (width == 2)
        value = value * 256 + static_cast<unsigned char>(bytes_[at_ + 1]);
      if (value > image.most) {
        fail("has a sample of " + std::to_string(value) + " at byte " +
             std::to_string(at_) + ", its largest value is " +
             std::to_string(image.most));
      }
      image.samples[i] = static_cast<std::uint16_t>(value);
    }
  }

  void ascii(Image& image, std::size_t count) {
    // Each sample takes at least a digit and a space, so nothing is allocated
    // for samples that cannot be there.
    if (bytes_.size() - at_ < 2 * count - 1) too_short(count);
    image.samples.resize(count);
    for (auto& sample : image.samples)
      sample = static_cast<std::uint16_t>(number("a sample", 0, image.most));
  }

  const std::string& bytes_;
  const std::string& name_;
  std::size_t at_ = 0;
};

// In [0, 1): random at whole numbers, smooth between them.
double noise(double y, double x, std::uint64_t stream) {
  const auto corner = [&](double row, double col) {
    const auto i = static_cast<std::uint64_t>(row * 4096 + col);
    return static_cast<double>(random_bits(stream, i) >> 40) * 0x1p-24;
  };
  const double row = std::floor(y), col = std::floor(x);
  const auto ease = [](double t) { return t * t * (3 - 2 * t); };
  const double down = ease(y - row), across = ease(x - col);
  const auto blend = [](double a, double b, double t) {
    return a + (b - a) * t;
  };
  return blend(blend(corner(row, col), corner(row, col + 1), across),
               blend(corner(row + 1, col), corner(row + 1, col + 1), across),
               down);
}

// Sky with a sun, ridges in front of each other, grain on all of it.
Image landscape(std::int64_t rows, std::int64_t cols) {
  Image image{rows, cols, 1, 255, std::vector<std::uint16_t>(rows * cols)};
  fill_parallel(image.samples.data(), rows * cols, [&](std::int64_t i) {
    const std::int64_t row = i / cols, col = i % cols;
    const double y = static_cast<double>(row) / static_cast<double>(rows);
    const double x = static_cast<double>(col) / static_cast<double>(cols);
    double light = 0.85 - 0.5 * y + 0.15 * noise(6 * y, 4 * x, 1);
    const double shape = static_cast<double>(cols) / static_cast<double>(rows);
    if (std::hypot(y - 0.2, (x - 0.7) * shape) < 0.08) light = 1;
    for (int ridge = 0; ridge < 4; ++ridge) {
      const double height = 0.4 + 0.15 * ridge -
                            0.12 * noise(ridge, (4 + 5 * ridge) * x, 2) -
                            0.03 * noise(ridge, 40 * x, 3);
      if (y > height)
        light = 0.5 - 0.12 * ridge + 0.15 * noise(90 * y, 60 * x, 4);
    }
    light += 0.03 * (noise(y * 400, x * 400, 5) - 0.5);
    return static_cast<std::uint16_t>(
        std::lround(255 * std::clamp(light, 0.0, 1.0)));
  });
  return image;
}

Image generated(const std::string& path, const std::string& size) {
  std::int64_t rows = 0, cols = 0;
  char between = 0, behind = 0;
  std::istringstream in(size);
  if (!(in >> rows >> between >> cols) || between != 'x' || in >> behind ||
      rows < 1 || cols < 1 || rows > most_samples / cols) {
    throw UsageError("image " + path +
                     ": write generated:ROWSxCOLS, such as generated:512x512");
  }
  return landscape(rows, cols);
}

// Appends the rest of the file to `bytes`, up to `size` bytes in all.
std::string read_on(std::istream& file, std::string bytes, std::size_t size) {
  constexpr std::size_t piece = std::size_t{1} << 20;
  while (bytes.size() < size && file) {
    const auto before = bytes.size();
    bytes.resize(std::min(size, before + piece));
    file.read(bytes.data() + before,
              static_cast<std::streamsize>(bytes.size() - before));
    bytes.resize(before + static_cast<std::size_t>(file.gcount()));
  }
  return bytes;
}

constexpr int most_radius = Convsep::max_radius,
              most_deviation = most_radius / 3;
// Below this, the neighbours' weights vanish beside the middle one.
constexpr double least_deviation = 0.1;

double number_of(const std::string& text, const std::string& argument,
                 double most) {
  const auto value = number_in<double>(argument);
  if (value && *value >= 0 && *value <= most) return *value;
  throw UsageError("filter " + text + ": the number must be from 0 to " +
                   std::to_string(static_cast<int>(most)));
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

Image parse_image(const std::string& bytes, const std::string& name) {
  return Parser(bytes, name).parse();
}

std::string format_image(const Image& image) {
  std::string text = (image.channels == 3 ? "P6\n" : "P5\n") +
                     std::to_string(image.cols) + " " +
                     std::to_string(image.rows) + "\n" +
                     std::to_string(image.most) + "\n";
  for (const auto sample : image.samples) {
    if (image.most > 255) text += static_cast<char>(sample >> 8);
    text += static_cast<char>(sample & 255);
  }
  return text;
}

Image read_image(const std::string& path) {
  const std::string prefix = "generated:";
  if (path.starts_with(prefix))
    return generated(path, path.substr(prefix.size()));
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw UsageError("image " + path +
                     " cannot be read: " + std::strerror(errno));
  // The header is read first: it says how far to read, even from a pipe or an
  // endless device.
  auto bytes = read_on(file, {}, longest_header);
  if (bytes.empty())
    throw UsageError("image " + path + " cannot be read, or is empty");
  const auto most = Parser(bytes, path).most_bytes();
  bytes = read_on(file, std::move(bytes), most);
  return parse_image(bytes, path);
}

std::vector<double> parse_filter(const std::string& text) {
  const auto colon = std::min(text.find(':'), text.size());
  const auto kind = text.substr(0, colon),
             argument = text.substr(std::min(colon + 1, text.size()));
  if (kind == "file") return weights_in(argument);
  std::vector<double> weights;
  if (kind == "box") {
    const double radius = number_of(text, argument, most_radius);
    if (radius != std::floor(radius))
      throw UsageError("filter " + text + ": a radius is whole");
    weights.assign(2 * static_cast<std::size_t>(radius) + 1, 1);
  } else if (kind == "gaussian") {
    const double deviation = number_of(text, argument, most_deviation);
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
    const Problem problem(workload, size, dtype, {&variant});
    for (int channel = 0; channel < image.channels; ++channel) {
      dispatch<float, double>(dtype, [&]<typename T>(T) {
        fill<T>(problem.inputs(), image, channel, weights);
        place->load(problem.inputs(), problem.outputs());
        const auto checked =
            place->run_checked({&variant, size, dtype, tunables});
        filtered.detail = checked.damage;
        const auto oracle =
            workload.oracle(problem.inputs(), size, dtype, InputKind::uniform,
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
