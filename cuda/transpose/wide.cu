// Words of 16 bytes all the way, with 64 bytes of each thread under way at
// once. A thread reads a square of elements: one word from each of as many rows
// as a word has elements. It turns the square in its registers and puts words
// of the transposed tile into shared memory, where another thread fetches them
// for b. A swizzle, an exclusive or with the row's number, replaces padding:
// the words of a row stay aligned, and eight neighbouring lanes use all banks
// in either direction.
//
// Rows whose length is no multiple of 16 bytes do not all begin at a word. A
// warp reads or writes such rows element by element, 128 neighbouring bytes at
// a time. Reads depend on the columns, writes on the rows, so each chooses for
// itself. Matrices with few tiles get smaller ones, so that all multiprocessors
// have some; so do matrices of doubles.
#include "wide.cuh"

const Register<Transpose, float, double> variant(
    {
        .rung = 3,
        .idea = "16-byte words turned in registers, several of them on their "
                "way; any size",
    },
    []<typename T>(Gpu& gpu, const Transpose::Args<T>& p, const Tunables&) {
      launch_wide(gpu, p);
    });
