// What to say to the user about the BLAS of this host: see host/blas.hpp.
#pragma once

#include <string>

namespace parlab {

// What to do where the one that is loaded does not use what this CPU has;
// empty where it does, or none is loaded.
std::string blas_advice();

}  // namespace parlab
