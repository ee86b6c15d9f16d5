// `parlab export`: records for other programs.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace parlab {

// All records as tidy CSV. Returns the warnings.
std::vector<std::string> export_records(const std::vector<std::string>& paths,
                                        std::ostream& out);

}  // namespace parlab
