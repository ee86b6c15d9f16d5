// `parlab convsep --image FILE --filter FILTER --output FILE`: a variant on a
// real image.
#include <ostream>

#include "cli/run_options.hpp"
#include "cli/run_request.hpp"
#include "commands/emulate.hpp"
#include "image/filter.hpp"
#include "machine/topology.hpp"
#include "render/words.hpp"

namespace parlab {
namespace {

Options image_options() {
  return Options{{.flag = "image", .argument = "FILE"},
                 {.flag = "filter", .argument = "FILTER"},
                 {.flag = "output", .argument = "FILE"}} +
         run_options({"kernel", "backend", "variant", "dtype", "emulate"}) +
         problem_options();
}

std::string required(const Arguments& arguments,
                     const std::string& flag,
                     const std::string& example) {
  if (const auto* setting = arguments.find(flag)) return setting->text;
  throw UsageError("an image needs --" + flag + " " + example);
}

// Writes the filtered image when the result is right, and says the verdict.
int filter_an_image(const Arguments& arguments, const Streams& streams) {
  if (arguments.workload == nullptr ||
      arguments.workload->name() != filtering_workload) {
    throw UsageError("--image and --filter: only " +
                     std::string(filtering_workload) + " filters images");
  }
  const auto input = required(arguments, "image", "FILE, or generated:512x512");
  const auto filter = required(arguments, "filter",
                               "box:RADIUS, gaussian:DEVIATION or file:PATH");
  const auto output = required(arguments, "output", "FILE");
  const auto request = read_filtering(arguments);
  streams.warn(request.warnings);
  emulate_if_needed(request, arguments.words);
  const auto weights = parse_filter(filter);
  const auto image = read_image(input);
  const Variant& variant = *request.plan.variants.front();
  const Dtype dtype = request.plan.dtypes.front();
  auto tunables = configurations(request.plan, variant).front();
  if (const auto threads = tunables.find("threads");
      threads != tunables.end()) {
    if (threads->second == 0) threads->second = physical_cores();
  }
  const auto filtered = filter_image(image, weights, variant, dtype, tunables);
  streams.out << input << ": " << image.rows << " x " << image.cols
              << (image.channels == 3 ? ", colour" : ", grey") << " up to "
              << image.most << '\n'
              << filter << ": radius " << weights.size() / 2 << '\n'
              << variant.full_name() << " in " << to_string(dtype) << ": "
              << (filtered.emulated ? "executed by emulation, " : "")
              << to_string(filtered.verdict) << (filtered.detail ? ": " : "")
              << words(filtered.detail) << '\n';
  if (filtered.verdict != Verdict::passed) return EXIT_FAILURE;
  write_image(filtered.image, output);
  streams.out << output << ": written\n";
  return EXIT_SUCCESS;
}

const CommandRegistration image_command({.name = "image",
                                         .options = image_options,
                                         .run = filter_an_image,
                                         .hidden = true,
                                         .takes_run =
                                             [](const Arguments& arguments) {
                                               return arguments.find("image") !=
                                                          nullptr ||
                                                      arguments.find(
                                                          "filter") != nullptr;
                                             },
                                         .warns = true});

}  // namespace
}  // namespace parlab
