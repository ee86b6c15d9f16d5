// Which BLAS this host uses: what records and users are told of it. The calls
// are in host/blas.hpp.
#pragma once

#include <string>

#include "facts/cause.hpp"

namespace parlab {

// Whether a library of that name, as Blas::loaded() says it, is the one that
// is used here. True where there is none that could be used instead. Records
// of before said nothing of the CPU that OpenBLAS computes for.
bool is_blas_in_use(const std::string& name);

// Advice where the loaded BLAS does not use the instructions of this CPU; empty
// where it does, or none is loaded.
Detail blas_advice();

// Has the threads of the loaded BLAS wait for work, as behind a call. nullptr:
// none is loaded; known where the library is not linked, too.
inline void (*wake_blas)(int threads) = nullptr;

}  // namespace parlab
