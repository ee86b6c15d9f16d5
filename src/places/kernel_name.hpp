// The name of a kernel, for messages.
#pragma once

#include <string>

namespace parlab {

// "dmv_naive<float>" for "void (anonymous namespace)::dmv_naive<float>(float
// const*, long)", or for its symbol: the name as in the source, without
// parameters and enclosing namespaces.
std::string plain_kernel_name(const std::string& symbol);

}  // namespace parlab
