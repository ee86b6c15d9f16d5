#include "commands/image.hpp"

#include <ostream>

#include "image/filter.hpp"
#include "machine/topology.hpp"

namespace parlab {

int filter_an_image(const Request& request, std::ostream& out) {
  const auto weights = parse_filter(request.image.filter);
  const auto image = read_image(request.image.input);
  const Variant& variant = *request.plan.variants.front();
  const Dtype dtype = request.plan.dtypes.front();
  auto tunables = configurations(request.plan, variant).front();
  if (const auto threads = tunables.find("threads");
      threads != tunables.end()) {
    if (threads->second == 0) threads->second = physical_cores();
  }
  const auto filtered = filter_image(image, weights, variant, dtype, tunables);
  out << request.image.input << ": " << image.rows << " x " << image.cols
      << (image.channels == 3 ? ", colour" : ", grey") << " up to "
      << image.most << '\n'
      << request.image.filter << ": radius " << weights.size() / 2 << '\n'
      << variant.full_name() << " in " << to_string(dtype) << ": "
      << (filtered.emulated ? "executed by emulation, " : "")
      << to_string(filtered.verdict) << (filtered.detail.empty() ? "" : ": ")
      << filtered.detail << '\n';
  if (filtered.verdict != Verdict::passed) return EXIT_FAILURE;
  write_image(filtered.image, request.image.output);
  out << request.image.output << ": written\n";
  return EXIT_SUCCESS;
}

}  // namespace parlab
