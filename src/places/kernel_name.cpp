#include "places/kernel_name.hpp"

#include <boost/core/demangle.hpp>
#include <string_view>

namespace parlab {

std::string plain_kernel_name(const std::string& symbol) {
  std::string name = boost::core::demangle(symbol.c_str());
  name.erase(std::min(name.rfind('('), name.size()));
  for (const std::string_view around :
       {"void ", "(anonymous namespace)::", "parlab::"}) {
    for (std::size_t at; (at = name.find(around)) != std::string::npos;) {
      name.erase(at, around.size());
    }
  }
  return name;
}

}  // namespace parlab
