// `parlab grade`: kernels that others handed in, as a table, a CSV and pages.
#pragma once

#include <iosfwd>

#include "cli/request.hpp"

namespace parlab {

// Exit status: 0; with --check 1 when the file is not right. Throws UsageError
// when there is nothing to grade or the request makes no sense.
int grade_submissions(const Request& request,
                      std::ostream& out,
                      std::ostream& messages);

}  // namespace parlab
