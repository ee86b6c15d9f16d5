// What was measured earlier, as a table or for other programs.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/record_filter.hpp"

namespace parlab {

// The points of record files, each as it was printed when measured,
// without the records that the filter does not let pass; speedups stay
// those over the serial variant, shown or not. Returns the warnings;
// that nothing is left is one.
std::vector<std::string> show_records(const std::vector<std::string>& paths,
                                      const RecordFilter& filter,
                                      const std::string& format,
                                      std::ostream& out);

}  // namespace parlab
