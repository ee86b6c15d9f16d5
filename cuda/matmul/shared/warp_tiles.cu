// The launches of `warp_tiles` and of the variants built on it.
#include "../warp_tiles.cuh"

template struct WarpTiles<file_hash("warp_tiles.cuh"), float>;
template struct WarpTiles<file_hash("warp_tiles.cuh"), double>;
template struct WarpTiles<file_hash("warp_tiles.cuh"), int>;
