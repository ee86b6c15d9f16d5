// The launches of `streamed` and of the variants built on it.
#include "../streamed.cuh"

template struct Conv2dStreamed<file_hash("streamed.cuh"), float>;
template struct Conv2dStreamed<file_hash("streamed.cuh"), double>;
