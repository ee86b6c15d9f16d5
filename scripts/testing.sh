#!/bin/bash -p
# For tests/*.sh: source it from the repository root.
# shellcheck source=scripts/environment.sh
source scripts/environment.sh

# expect WHAT COMMAND...: reports whether the command succeeds, and shows its output if not.
failures=0
expect() {
  local what=$1 output
  shift
  if output=$("$@" 2>&1); then
    echo "passed: $what"
  else
    echo "failed: $what"
    echo "$output" | tail -5 | sed 's/^/    /'
    failures=$((failures + 1))
  fi
}

# has_words WORDS [FILE]: whether a text, `out` or the input (-), has the words, which line breaks may part.
has_words() { cat -- "${2:-out}" | tr -s ' \n' ' ' | grep -E -- "$1" >/dev/null; }

# lines FILE...: the lines of record files, packed or not.
lines() { zstdcat -f -- "$@"; }

# A separate make, independent of the one that started the test.
own_make() { env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make "$@"; }

# copy_tree: copies the sources and their build into a new folder, $tree, in which nothing is out of date. It
# is deleted after the test.
copy_tree() {
  tree=$(mktemp -d)
  trap 'rm -rf "$tree"' EXIT
  cp -a Makefile VERSION src serial openmp cuda blas scripts tests "$tree"
  mkdir -p "$tree/results" "$tree/build/check"
  cp -a results/published "$tree/results"
  cp -a bin "$tree"
  cp -a build/units build/host build/emulated build/grade build/*.flags build/*.list build/*.hpp "$tree/build"
  find build/cuda -name '*.ptxas' -exec cp -a --parents -t "$tree" {} + 2>/dev/null
  # The copy has no history: without this, the file that states the commit would be made again.
  COMMIT=$(sed -n 's/.*PARLAB_COMMIT "\(.*\)"/\1/p' build/build_info.hpp)
  export COMMIT
}

end_tests() { exit "$((failures > 0))"; }
