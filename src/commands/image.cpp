// `parlab convsep --image FILE --filter FILTER --output FILE`: runs a variant
// on a real image.

#include <filesystem>

#include "cli/run_request.hpp"
#include "commands/emulate.hpp"
#include "core/file.hpp"
#include "image/filter.hpp"
#include "machine/topology.hpp"
#include "render/formats.hpp"

namespace parlab {
namespace {

Options image_options() {
  return Options{{.flag = "image", .argument = "FILE"},
                 {.flag = "filter", .argument = "FILTER"},
                 {.flag = "output", .argument = "FILE"}} +
         run_options({"kernel", "backend", "variant", "dtype", "emulate"}) +
         format_option("table, json") + problem_options();
}

std::string required(const Arguments& arguments, const std::string& flag,
                     const std::string& example) {
  if (const auto* setting = arguments.find(flag)) return setting->text;
  throw UsageError("an image needs --" + flag + " " + example);
}

// output: the file written; empty if none was.
Document document_of_image(const std::string& input, const Image& image,
                           const std::string& filter, std::int64_t radius,
                           const Variant& variant, Dtype dtype,
                           const Filtered& filtered,
                           const std::string& output) {
  Document document;
  const auto say = [&](const Text& text) { document.add(remark(text)); };
  const auto& detail = filtered.detail;
  say(input + ": " + Text(image.rows) + " x " + image.cols +
      (image.channels == 3 ? ", colour" : ", grey") + " up to " +
      std::to_string(image.most));
  say(filter + ": radius " + Text(radius));
  say(variant.full_name() + " in " + Text(dtype) + ": " +
      (filtered.emulated ? "executed by emulation, " : "") + filtered.verdict +
      (detail ? ": " + Text(detail) : Text()));
  if (!output.empty()) say(output + ": written");
  document.add(Table{
      .key = "image",
      .columns =
          keyed({"image", "rows", "columns", "channels", "filter", "radius",
                 "variant", "dtype", "verdict", "detail", "output"}),
      .rows = {row_of({input, image.rows, image.cols, image.channels, filter,
                       radius, variant.full_name(), dtype, filtered.verdict,
                       detail, output})}});
  return document;
}

// Throws UsageError if another workload is to filter one.
bool asks_for_image(const Arguments& arguments) {
  if (arguments.find("image") == nullptr && arguments.find("filter") == nullptr)
    return false;
  if (arguments.workload != nullptr &&
      arguments.workload->name() == filtering_workload) {
    return true;
  }
  throw UsageError("--image and --filter: only " +
                   std::string(filtering_workload) + " filters images");
}

// Only these forms are written.
void require_form(const std::string& output) {
  const auto form = std::filesystem::path(output).extension();
  if (form.empty() || form == ".pgm" || form == ".ppm" || form == ".pnm")
    return;
  throw UsageError("--output " + output + ": write FILE.pgm or FILE.ppm");
}

// Writes the filtered image if the result is right, and prints the verdict.
int filter_an_image(const Arguments& arguments, const Streams& streams) {
  const auto input = required(arguments, "image", "FILE, or generated:512x512");
  const auto filter = required(arguments, "filter",
                               "box:RADIUS, gaussian:DEVIATION or file:PATH");
  const auto output = required(arguments, "output", "FILE");
  require_form(output);
  const auto format = format_of(arguments, {"table", "json"});
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
  const bool passed = filtered.verdict == Verdict::passed;
  if (passed) write_file(output, format_image(filtered.image));
  streams.print(
      document_of_image(input, image, filter, std::ssize(weights) / 2, variant,
                        dtype, filtered, passed ? output : ""),
      format);
  return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}

const CommandRegistration image_command({.name = "image",
                                         .options = image_options,
                                         .run = filter_an_image,
                                         .hidden = true,
                                         .takes_run = asks_for_image,
                                         .warns = true});

}  // namespace
}  // namespace parlab
