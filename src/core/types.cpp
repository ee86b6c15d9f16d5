#include "core/types.hpp"

#include "core/text.hpp"

namespace parlab {

void refuse_value(const EnumTable& table, int value) {
  throw std::logic_error(std::string(table.what) + " number " +
                         std::to_string(value) + " has no name");
}

void refuse_name(const EnumTable& table, std::string_view name) {
  std::string text = table.what;
  text += " '" + std::string(name) + "' is unknown: use ";
  for (int i = 0; i < table.count; ++i) {
    if (i > 0) text += i + 1 < table.count ? ", " : " or ";
    text += table.names[i];
  }
  throw UsageError(text);
}

void refuse(Dtype dtype) {
  throw std::logic_error("dtype number " +
                         std::to_string(static_cast<int>(dtype)) +
                         " is not handled here");
}

std::size_t bytes_of(Dtype dtype) {
  return dispatch_all(dtype, [](auto zero) { return sizeof(zero); });
}

std::string to_string(const Size& size) {
  return join(size, "x", [](auto extent) { return std::to_string(extent); });
}

std::int64_t TunableValues::operator[](const char* name) const {
  const auto found = find(name);
  if (found == end()) {
    throw std::logic_error("the variant did not declare the tunable " +
                           std::string(name) + ": name it in .tunables");
  }
  return found->second;
}

std::string to_string(const TunableValues& tunables) {
  return join(tunables, " ", [](const auto& one) {
    return one.first + "=" + std::to_string(one.second);
  });
}

bool Tunable::allows(std::int64_t value) const {
  if (value < min || value > max || value % multiple_of != 0) return false;
  return !power_of_two || (value & (value - 1)) == 0;
}

std::string Tunable::allowed() const {
  std::string text = std::to_string(min) + " to " + std::to_string(max);
  if (power_of_two) return text + ", a power of two";
  if (multiple_of > 1) text += ", a multiple of " + std::to_string(multiple_of);
  return text;
}

}  // namespace parlab
