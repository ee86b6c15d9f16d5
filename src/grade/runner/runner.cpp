// The program of one submission. Linked from the framework below
// src/sweep, without the workloads, and from the submission: who is
// right is decided elsewhere.
#include "grade/serve.hpp"

int main(int argc, char** argv) {
  parlab::grade::serve(argc > 1 ? argv[1] : "");
}
