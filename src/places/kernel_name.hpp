// The name of a kernel, for messages.
#pragma once

#include <string>

namespace parlab {

// "dmv_naive<float>" for "void (anonymous namespace)::dmv_naive<float>(float
// const*, long)": as it stands in the source, without its parameters
// and the namespaces around it.
std::string plain_kernel_name(const std::string& demangled);

}  // namespace parlab
