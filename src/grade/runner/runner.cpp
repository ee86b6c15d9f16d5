// The program of one submission. It is linked from the framework below
// src/sweep, without the workloads, and from the submission: another process
// decides what is right.
#include "grade/serve.hpp"

// The submission's static objects may throw.
[[gnu::constructor(101)]] static void begin() {
  parlab::grade::tell_of_exceptions();
}

int main(int argc, char** argv) {
  parlab::grade::serve(argc > 1 ? argv[1] : "");
}
