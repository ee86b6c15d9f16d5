// What `fused` and those on its ground launch.
#include "../fused.cuh"

template struct AtaxFused<file_hash("fused.cuh"), float>;
template struct AtaxFused<file_hash("fused.cuh"), double>;
