// What `fused` and those on its ground launch.
#include "../fused.cuh"

template struct ConvsepFused<file_hash("fused.cuh"), float>;
template struct ConvsepFused<file_hash("fused.cuh"), double>;
