// What `streamed` and those on its ground launch.
#include "../streamed.cuh"

template struct Conv2dStreamed<file_hash("streamed.cuh"), float>;
template struct Conv2dStreamed<file_hash("streamed.cuh"), double>;
