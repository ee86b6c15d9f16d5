// What `warp_tiles` and those on its ground launch.
#include "../warp_tiles.cuh"

template struct WarpTiles<file_hash("warp_tiles.cuh"), float>;
template struct WarpTiles<file_hash("warp_tiles.cuh"), double>;
template struct WarpTiles<file_hash("warp_tiles.cuh"), int>;
