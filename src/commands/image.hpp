// `parlab convsep --image FILE --filter FILTER --output FILE`: a
// variant on a real image.
#pragma once

#include <iosfwd>

#include "cli/request.hpp"

namespace parlab {

// Writes the filtered image when the result is right, and says the
// verdict. Returns the exit status. Throws UsageError when a file or
// the filter makes no sense.
int filter_an_image(const Request& request, std::ostream& out);

}  // namespace parlab
