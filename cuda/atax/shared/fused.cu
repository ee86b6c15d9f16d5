// The launches of `fused` and of the variants built on it.
#include "../fused.cuh"

template struct AtaxFused<file_hash("fused.cuh"), float>;
template struct AtaxFused<file_hash("fused.cuh"), double>;
