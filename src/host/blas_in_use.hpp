// Names the BLAS that this host uses, for records and users. The calls are in
// host/blas.hpp.
#pragma once

#include <string>

#include "facts/cause.hpp"

namespace parlab {

// Whether a name from Blas::loaded() is that of the library in use here. Also
// true if no library could be used instead. Old records do not name the CPU
// type for which OpenBLAS computed.
bool is_blas_in_use(const std::string& name);

// Advice if the loaded BLAS does not use the instructions of this CPU; empty if
// it does or none is loaded.
Detail blas_advice();

// Makes the threads of the loaded BLAS wait for work, as after a call. nullptr
// if none is loaded; defined even if the library is not linked.
inline void (*wake_blas)(int threads) = nullptr;

}  // namespace parlab
