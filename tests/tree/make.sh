#!/bin/bash
# What is promised of make: help, nothing to do the second time, several goals, no surprises.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

help_lists() {
  local target
  for target in report check build figures format lint install clean help cslab-dmv; do
    own_make help | grep -qE "^ +make $target +[a-z]" || { echo "not listed: $target"; return 1; }
  done
}
expect "make help lists every target with a line" help_lists

builds_again() {
  own_make bin/parlab-emulated >/dev/null && own_make -n bin/parlab-emulated | grep -E ' -c | -o '
}
expect "a second make has nothing to compile or link" eval '! builds_again'

# shellcheck disable=SC2034 # used in a test that is a string
commit=$(sed -n 's/.*PARLAB_COMMIT "\(.*\)"/\1/p' build/build_info.hpp)
expect "--version says the version of the file VERSION, and the commit" \
  eval 'bin/parlab-emulated --version | grep -qF "parlab $(cat VERSION), commit $commit"'

# In a copy, for it changes files.
copy_tree
(
  cd "$tree" || exit
  compiled() { own_make -n bin/parlab-emulated | grep -oE '[^ ]+ -o [^ ]+\.o' | cut -d' ' -f1 | sort; }
  expect "a copied tree has nothing to do" test -z "$(compiled)"
  touch src/host/host.hpp
  users=$(grep -rlE 'host/host.hpp' src serial openmp cuda blas --include='*.c*' | wc -l)
  count=$(compiled | wc -l)
  all=$(find build/host build/emulated -name '*.o' | wc -l)
  expect "a changed header recompiles its users ($count of $all objects)" \
    test "$count" -ge "$users" -a "$count" -lt "$all"
  touch -d '2001-01-01' src/host/host.hpp
  COMMIT=another
  expect "another commit recompiles the facts of a run alone" \
    eval 'test -n "$(compiled)" && ! compiled | grep -vE "^src/core/build.cpp|^tests"'
  # Other settings make other flags, and with them everything anew: not in the tree of the tests.
  expect "NVCC= plans no nvcc" eval '! own_make -n -B NVCC= build | grep -w nvcc'
  exit "$((failures > 0))"
) || failures=1

folder=$(mktemp -d)
printf '#include "core/register.hpp"\nint a;\n' >"$folder/alone.cu"
printf '#include "tile.cuh"\n' >"$folder/user.cu"
printf '#include "deep.cuh"\n#include "tile.cuh"\n' >"$folder/tile.cuh"
echo 'int b;' >"$folder/deep.cuh"
hash_of() { scripts/source-hash.sh "$folder/$1"; }
expect "a variant without headers of its own has the hash of its file" \
  test "$(hash_of alone.cu)" = "$(sha1sum <"$folder/alone.cu" | cut -d ' ' -f 1)"
before="$(hash_of user.cu) $(hash_of alone.cu)"
echo 'int c;' >"$folder/deep.cuh"
expect "a change in a header that a header includes is another variant" \
  test "$(hash_of user.cu)" != "${before% *}"
expect "a change in a header is nothing to those who do not include it" \
  test "$(hash_of alone.cu)" = "${before#* }"
rm -r "$folder"

expect "NO_INSTALL=1 with nothing missing says nothing" \
  eval 'test -z "$(NO_INSTALL=1 scripts/install.sh build figures check 2>&1)"'
no_gnuplot_says_so() {
  local folder status
  folder=$(mktemp -d)
  ln -s "$(command -v bash)" "$(command -v dpkg-query)" "$folder"
  PATH=$folder NO_INSTALL=1 "$BASH" scripts/install.sh figures 2>"$folder/says"
  status=$?
  grep -q gnuplot "$folder/says" && test $status = 1
  status=$?
  rm -r "$folder"
  return $status
}
expect "NO_INSTALL=1 names what is missing, and fails" no_gnuplot_says_so
expect "install.sh refuses an unknown group" eval 'scripts/install.sh nonsense 2>&1 | grep -q build'
end_tests
