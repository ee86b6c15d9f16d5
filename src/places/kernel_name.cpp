#include "places/kernel_name.hpp"

#include <string_view>

namespace parlab {

std::string plain_kernel_name(const std::string& demangled) {
  std::string name = demangled.substr(0, demangled.rfind('('));
  for (const std::string_view around :
       {"void ", "(anonymous namespace)::", "parlab::"}) {
    for (std::size_t at; (at = name.find(around)) != std::string::npos;) {
      name.erase(at, around.size());
    }
  }
  return name;
}

}  // namespace parlab
