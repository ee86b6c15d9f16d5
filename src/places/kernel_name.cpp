#include "places/kernel_name.hpp"

#include <boost/algorithm/string/erase.hpp>
#include <boost/core/demangle.hpp>
#include <string_view>

namespace parlab {

std::string plain_kernel_name(const std::string& symbol) {
  std::string name = boost::core::demangle(symbol.c_str());
  name.erase(std::min(name.rfind('('), name.size()));
  for (const std::string_view around :
       {"void ", "(anonymous namespace)::", "parlab::"})
    boost::erase_all(name, around);
  return name;
}

}  // namespace parlab
