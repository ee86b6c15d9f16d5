#include "grade/protocol.hpp"

#include <algorithm>

#include "core/name.hpp"
#include "machine/topology.hpp"
#include "verify/guard.hpp"

namespace parlab::grade {
namespace {

bool is_written(const Array& array) {
  return array.spec.role == Role::output;
}

void require_name(const std::string& name) {
  if (!is_name(name)) throw Malformed("a name");
}

}  // namespace

void put_outputs(Message& message, const Arrays& outputs) {
  message.put(static_cast<std::uint64_t>(
      std::count_if(outputs.begin(), outputs.end(), is_written)));
  for (const auto& array : outputs) {
    if (is_written(array))
      message.put(array.spec.name).put_bytes(array.data, array.spec.bytes());
  }
}

std::uint64_t fingerprint_of(const Arrays& outputs) {
  std::uint64_t sum = 0;
  for (const auto& array : outputs) {
    if (is_written(array))
      sum = 31 * sum +
            fingerprint(array.data, array.spec.bytes(), physical_cores());
  }
  return sum;
}

void get_outputs(Message& message, const Arrays& into) {
  for (auto left = message.get<std::uint64_t>(); left > 0; --left) {
    const auto name = message.get<std::string>();
    const auto found =
        std::find_if(into.begin(), into.end(), [&](const Array& array) {
          return array.spec.name == name && is_written(array);
        });
    if (found == into.end()) throw Malformed("an array");
    message.get_bytes(found->data, found->spec.bytes());
  }
}

LaunchShape plausible(LaunchShape shape) {
  if (!(shape.occupancy >= 0 && shape.occupancy <= 1)) shape.occupancy = 0;
  shape.limited_by = printable(shape.limited_by).substr(0, 100);
  return shape;
}

Counted plausible(Counted counted) {
  for (auto& line : counted.lines) {
    line.file = printable(line.file).substr(0, 300);
    line.array = printable(line.array).substr(0, 100);
    for (auto* count :
         {&line.bytes, &line.requests, &line.lanes, &line.moved, &line.fewest,
          &line.at_one_word, &line.different, &line.from_l2})
      *count = std::max<std::int64_t>(*count, 0);
  }
  return counted;
}

Detail cleaned(Detail detail) {
  for (auto& argument : detail.arguments) {
    if (auto* text = std::get_if<std::string>(&argument))
      *text = printable(*text);
  }
  for (auto& more : detail.further)
    more = cleaned(std::move(more));
  return detail;
}

Variant get_variant(Message& message) {
  auto variant = message.get<Variant>();
  variant.idea = printable(variant.idea).substr(0, 300);
  variant.hardware = printable(variant.hardware).substr(0, 100);
  if (variant.multiple_of < 1) throw Malformed("a divisor");
  for (const auto& tunable : variant.tunables)
    require_name(tunable.name);
  for (const auto* names : {&variant.inputs, &variant.outputs})
    std::for_each(names->begin(), names->end(), require_name);
  return variant;
}

}  // namespace parlab::grade
