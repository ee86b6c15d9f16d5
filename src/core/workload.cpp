#include "core/workload.hpp"

namespace parlab {

Size complete_size(const Workload& workload,
                   const std::vector<std::int64_t>& typed) {
  const auto parameters = workload.parameters();
  const bool all =
      !parameters.empty() && typed.size() == workload.dimensions().size();
  const auto extents = all ? typed.size() - parameters.size() : typed.size();
  Size size = workload.complete(
      {typed.begin(), typed.begin() + static_cast<std::ptrdiff_t>(extents)});
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    size.push_back(all ? typed[extents + i] : parameters[i].fallback);
    if (!parameters[i].allows(size.back())) {
      throw UsageError(parameters[i].name + " " + std::to_string(size.back()) +
                       " is not allowed: " + parameters[i].allowed());
    }
  }
  return size;
}

std::size_t count_extents(const Workload& workload) {
  return workload.dimensions().size() - workload.parameters().size();
}

std::string size_text(const Workload& workload, const Size& size) {
  const auto parameters = workload.parameters();
  const auto extents = count_extents(workload);
  std::string text = to_string(
      Size(size.begin(), size.begin() + static_cast<std::ptrdiff_t>(extents)));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto value = size[extents + i];
    if (value != 0 || parameters[i].fallback != 0)
      text += " " + parameters[i].name + "=" + std::to_string(value);
  }
  return text;
}

}  // namespace parlab
