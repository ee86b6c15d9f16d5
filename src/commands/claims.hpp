// The claims of the source reports, judged by stored records, as output.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace parlab {

// Every claim of the reports for each machine in these record files or
// folders: as text of 100 columns, grouped by report (format "table"),
// or as one JSON object per line ("json"). Returns the warnings of the
// loading. Throws UsageError on another format.
std::vector<std::string> print_claims(const std::vector<std::string>& paths,
                                      const std::string& format,
                                      std::ostream& out);

}  // namespace parlab
