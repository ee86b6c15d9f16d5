#!/bin/bash -p
# make's promises: help, nothing to do the second time, several goals, no surprises.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

help_lists() {
  local target help
  help=$(own_make help)
  for target in report check check-quick all build figures format lint install deps clean help cslab-dmv; do
    grep -qE "^ +make $target +[a-z]" <<<"$help" || { echo "not listed: $target"; return 1; }
  done
}
expect "make help lists every target with a line" help_lists
expect "... of a terminal's width" test "$(own_make help | awk 'length > 80' | wc -l)" = 0

# shellcheck disable=SC2034 # used in a test that is a string
commit=$(sed -n 's/.*PARLAB_COMMIT "\(.*\)"/\1/p' build/build_info.hpp)
expect "--version says the version of the file VERSION, and the commit" \
  eval 'bin/parlab-emulated --version | grep -qF "parlab $(cat VERSION), commit $commit"'

# In a copy, because it changes files.
copy_tree
(
  cd "$tree" || exit
  compiled() { own_make -n bin/parlab-emulated | grep -oE '[^ ]+ -o [^ ]+\.o' | cut -d' ' -f1 | sort; }
  expect "a copied tree has nothing to compile" test -z "$(compiled)"
  builds_again() { own_make -n bin/parlab-emulated | grep -E ' -c | -o '; }
  own_make bin/parlab-emulated >out 2>&1
  expect "a second make has nothing to compile or link" eval '! builds_again'
  touch src/host/host.hpp
  users=$(find build/host build/emulated -name '*.d' -exec grep -lF ' src/host/host.hpp' {} + | while read -r list; do
    source=${list#build/*/} source=${source%.d}
    [[ $source != units/* && ! -e $source ]] || echo "$source" # one that is gone has left its list
  done | wc -l)
  count=$(compiled | wc -l)
  all=$(find build/host build/emulated -name '*.o' | wc -l)
  expect "a changed header recompiles its users ($count of $all objects)" \
    test "$count" = "$users" -a "$count" -lt "$all" -a "$count" -gt 9
  touch -d '2001-01-01' src/host/host.hpp
  COMMIT=another
  expect "another commit recompiles the facts of a run alone" \
    eval 'test -n "$(compiled)" && ! compiled | grep -vE "^src/core/build.cpp|^tests"'
  # Other settings change the flags and rebuild everything, so not in the tree of the tests.
  everything() { find . -type f -printf '%p %s %T@\n' | sort; }
  before=$(everything)
  planned=$(own_make -n NVCC= MARCH=x86-64 CXXFLAGS=-O2 build 2>&1)
  expect "NVCC= plans no nvcc" eval '! grep -w nvcc <<<"$planned"'
  expect "make -n with other settings plans everything anew" test "$(grep -c -- -march=x86-64 <<<"$planned")" -gt 99
  expect "CXXFLAGS of one's own are added to what the build needs" \
    eval '! grep " -c " <<<"$planned" | grep -v -e "-Isrc.* -O2 "'
  own_make -n NVCC= check-quick >/dev/null 2>&1
  expect "a compiler may be of several words, behind a launcher" \
    test "$(own_make -s NVCC= CXX='ccache g++ -m64' print-COMPILER)" = "g++ -m64"
  expect "make -n writes nothing, nor does make print-X" test "$(everything)" = "$before"
  expect "an unknown workload is refused before anything is built" \
    eval '! own_make measure WORKLOAD=nope >said 2>&1 && grep -q "workload nope is unknown" said && test "$(wc -l <said)" = 2; rm said'
  for name in "mine 2.cu" größe.cu; do
    touch "cuda/dmv/$name" "cuda/dmv/.#$name" # the other is an editor's
    expect "a variant called $name has to be renamed" eval '! own_make -n bin/parlab-emulated 2>said && grep -qF "$name: rename it" said'
    rm "cuda/dmv/$name"
  done
  expect "what editors leave is no variant" own_make -n bin/parlab-emulated
  expect "make -R, without variables of its own, knows the compiler" eval 'own_make -rR -s NVCC= print-CXX | grep -q .'
  for asked in -j1 j1 kj1 '-k -j 1' --jobs=1; do
    expect "MAKEFLAGS='$asked' is obeyed" eval 'MAKEFLAGS=$asked make -s NVCC= print-MAKEFLAGS | grep -qw -- -j1'
  done
  exit "$((failures > 0))"
) || failures=1

# In another copy, whose experiments do nothing; the first of them ends with $STATUS.
(
  copy_tree
  cd "$tree" || exit
  bin/parlab-emulated dmv 64 --backend serial --iterations 2 --results results/here/cslab-dmv.jsonl >out 2>&1
  bin/parlab-emulated vector_sum 64 --backend serial --iterations 2 --results results/here/vector-sum.jsonl >out 2>&1
  first='' count=0
  for steps in scripts/*/steps.sh; do
    first=${first:-$steps} count=$((count + 1))
    printf '#!/bin/bash\n# A stub.\necho "ran $0"\n[[ $0 != %s ]] || exit "$STATUS"\n' "$first" >"$steps"
  done
  # run STATUS TARGET: the status of make, how many experiments it ran, and pages it wrote
  run() {
    rm -rf plots
    STATUS=$1 own_make NVCC= GNUPLOT= NO_INSTALL=1 MACHINE=here "$2" >out 2>&1
    echo "$? $(grep -c '^ran ' out) $(find plots -path '*/here/index.html' 2>/dev/null | wc -l)"
  }
  for target in report energy counters; do
    [[ $target != counters ]] || count=2 # those that have records
    expect "make $target goes on behind a point that fails, draws, and fails" test "$(run 1 $target)" = "2 $count 1"
    expect "without one it ends well" test "$(run 0 $target)" = "0 $count 1"
    expect "at wrong arguments it stops" test "$(run 2 $target)" = "2 1 0"
  done
  exit "$((failures > 0))"
) || failures=1

# An installed program works from its prefix and needs nothing of this tree. It is built in the copy, so that
# programs which other tests run at the same time are not linked again. One user installs, with another user's
# files and their own umask; another user runs it.
prefix=$(mktemp -d)
mkdir -p "$prefix"/{elsewhere,home} "$tree/scripts/small"
chmod 755 "$prefix"
cp -a docs LICENSE "$tree"
cp -a scripts/cslab-dmv/{1-openmp-time.gp,views.sql,tables.sql} "$tree/scripts/small"
cat >"$tree/scripts/small/steps.sh" <<'STEPS'
#!/bin/bash -p
source "${0%/*}/../experiment.sh"
open_experiment small
step "threads" dmv 64 --backend serial,openmp --threads 1,2 --iterations 3
close_experiment
STEPS
chmod 700 "$tree/scripts/small/steps.sh"
user=()
if ((EUID == 0)); then
  user=(setpriv --reuid 12345 --regid 12345 --clear-groups)
  chown -R 12345 "$tree"/{scripts,docs,bin} "$prefix"/{elsewhere,home}
fi
rm -f "$tree/bin/parlab"
there="$prefix/a place"
expect "make install, where a space is in the name" eval '(umask 077; own_make -C "$tree" NVCC= install PREFIX="$there")'
expect "everything is there for everybody, and the installer's own" \
  test -z "$(find "$there" ! -type l '(' ! -uid "$EUID" -o ! -perm -444 -o -perm /022 ')')"
touch "$prefix/installed"
as_user() { (cd "$prefix/elsewhere" && env -i PATH="$there/bin:$PATH" HOME="$prefix/home" "${user[@]}" "$@"); }
share=$prefix/home/.local/share/parlab
expect "the installed program runs by the names of its workloads" \
  eval 'as_user dmv 64 --backend serial --iterations 3 | grep -q serial/plain'
expect "it emulates" eval 'as_user parlab dmv 64 --variant cuda/naive | grep -q passed'
expect "it knows the published tables" \
  eval '(cd "$prefix/elsewhere" && "$there/bin/parlab" claims "$OLDPWD/results/nvidia-h200" | grep -q C6)'
expect "an experiment, its figures and pages are made without make: $share" \
  eval 'as_user parlab-experiment small && test -s "$share"/plots/*/small-1-openmp-time.svg -a -s "$share/plots/index.html"'
expect "the installed program finds these records" eval 'as_user parlab show | grep -q openmp/rows'
cp cuda/dmv/naive.cu "$prefix/elsewhere/mine.cu" && chmod 644 "$prefix/elsewhere/mine.cu"
expect "it checks a submission" eval 'as_user parlab grade dmv --check mine.cu | grep -q passed'
expect "nothing was written where it is installed" test -z "$(find "$there" -newer "$prefix/installed")"
expect "nor where it was started" test "$(ls "$prefix/elsewhere")" = mine.cu
rm -r "$prefix"
expect "without the toolkit there is bin/parlab" eval '"$tree/bin/parlab" --version | grep -q parlab'
rm -f "$tree/bin/parlab"
expect "with the toolkit and no GPU, make report asks for the emulation" \
  eval 'own_make -C "$tree" NVCC=/bin/true GPU_ARCH= print-ENOUGH | grep -qw build-emulated'
expect "... and has a bin/parlab then" \
  eval 'own_make -C "$tree" NVCC=/bin/true GPU_ARCH= some-parlab && "$tree/bin/parlab" --version | grep -q parlab'

# Any BLAS with the CBLAS interface, by its name in the records. with_blas SONAME: the verdict and the library
# in the record of a matrix-vector product.
measured=$(mktemp -d) # with the ceilings, for all of these
with_blas() {
  rm -f "$measured/blas.jsonl"
  PARLAB_BLAS=$1 bin/parlab-emulated dmv 64 --backend blas --iterations 3 --format csv --results "$measured/blas.jsonl" >/dev/null 2>&1
  grep -oE '"verdict":"[a-z_]*"|"library":"[^"]*"' "$measured/blas.jsonl"
}
for soname in libopenblas.so.0 libblis.so.4; do
  if PATH=$PATH:/sbin ldconfig -p | grep -qF "$soname"; then
    name=$([[ $soname == *openblas* ]] && echo OpenBLAS || echo BLIS)
    expect "$name passes, and the record says so" \
      eval 'with_blas $soname | xargs | grep -qE "verdict:passed.*library:$name [0-9.]+"'
  fi
done
# OpenBLAS on a CPU that it does not know and takes for an old one, if it has kernels for several.
on_core() { # CORE: the same command as before, perhaps
  OPENBLAS_CORETYPE=$1 bin/parlab-emulated dmv 64 --backend blas --iterations 3 --format csv --results "$measured/cores.jsonl" 2>&1
}
on_core Prescott >"$measured/said"
if grep -qw avx2 /proc/cpuinfo && grep -q 'OpenBLAS [0-9.]* for Prescott' "$measured/cores.jsonl"; then
  expect "who runs an OpenBLAS that takes the CPU for an old one is told" grep -q OPENBLAS_CORETYPE= "$measured/said"
  on_core Prescott >"$measured/said"
  expect "who resumes is told, too" grep -q OPENBLAS_CORETYPE= "$measured/said"
  expect "and nothing is measured again" test "$(grep -c '"type":"record"' "$measured/cores.jsonl")" = 1
  on_core Haswell >"$measured/said"
  expect "with other kernels of the library it is" grep -q 'OpenBLAS [0-9.]* for Haswell' "$measured/cores.jsonl"
fi
# A library whose own threads spin after each call, on the CPUs of the variant that is timed next.
spinning=$(mktemp -d)
fake_blas() { cc -std=gnu99 -O2 -shared -fPIC -DPARALLEL="$1" -o "$2" tests/places/spinning_blas.c -lpthread; }
fake_blas 1 "$spinning/blas.so"
fake_blas 0 "$spinning/serial.so"
PARLAB_BLAS=$spinning/blas.so bin/parlab-emulated dmv 700 --backend openmp,blas --threads 1,2 --time-limit 0.2 \
  --format csv --results "$measured/r.jsonl" >/dev/null 2>&1
expect "threads of a library are not taken for those of a variant" \
  eval '! grep -o "\"verdict\":\"[a-oq-z].*" "$measured/r.jsonl" && grep -q "\"backend\":\"blas\"" "$measured/r.jsonl"'
# Inputs rewritten by one thread or, if they are large, by all of them.
for size in 700 5000; do
  CALLS=$spinning/calls-$size PARLAB_BLAS=$spinning/blas.so bin/parlab-emulated dmv $size --dtype float --cache hot \
    --backend blas --threads 2 --iterations 60 --format csv --results "$measured/beside.jsonl" >/dev/null 2>&1
  expect "hardly a call of a library of $size has threads of others beside it" \
    eval '(($(tr -cd . <"$spinning/calls-$size" | wc -c) > 60 && $(tr -cd ! <"$spinning/calls-$size" | wc -c) < 12))'
done
expect "records say that it has threads of its own" grep -qE '"library":"OpenBLAS.* with pthreads"' "$measured/r.jsonl"
expect "records say that a library computes on one thread" \
  eval 'with_blas $spinning/serial.so | grep -q "OpenBLAS.* without threads"'
expect "a library without the interface is not_supported" eval 'with_blas libm.so.6 | grep -q not_supported'
rm -r "$spinning" "$measured"

folder=$(mktemp -d)
printf '#include "core/register.hpp"\nint a;\n' >"$folder/alone.cu"
printf '#include "tile.cuh"\n' >"$folder/user.cu"
printf '#include "deep.cuh"\n#include "tile.cuh"\n' >"$folder/tile.cuh"
echo 'int b;' >"$folder/deep.cuh"
hash_of() { scripts/source-hash.sh "$folder/$1"; }
before="$(hash_of user.cu) $(hash_of alone.cu)"
printf '// What it is.\n#include "core/register.hpp"\nint  a;  // more of it\n' >"$folder/alone.cu"
expect "comments and spaces make no other variant" test "$(hash_of alone.cu)" = "${before#* }"
printf '#include "core/register.hpp"\nint a;\nconst char* b = " // c";\n' >"$folder/alone.cu"
string=$(hash_of alone.cu)
printf '#include "core/register.hpp"\nint a;\nconst char* b = " // d";\n' >"$folder/alone.cu"
expect "what looks like a comment in a string does" test "$(hash_of alone.cu)" != "$string"
printf '#include "core/register.hpp"\nint a;\n' >"$folder/alone.cu"
echo 'int c;' >"$folder/deep.cuh"
expect "a change in a header that a header includes is another variant" \
  test "$(hash_of user.cu)" != "${before% *}"
expect "a change in a header is nothing to those who do not include it" \
  test "$(hash_of alone.cu)" = "${before#* }"
rm -r "$folder"
outdated=()
while read -r new _ file; do
  [[ $(scripts/source-hash.sh "$file" --own) == "$new" ]] || outdated+=("$file")
done <scripts/same-sources.list
expect "what is listed as written anew is as it was listed: ${outdated[*]:-}" test ${#outdated[@]} = 0

expect "NO_INSTALL=1 with nothing missing says nothing" \
  eval 'test -z "$(NO_INSTALL=1 scripts/install.sh build figures check 2>&1)"'
# With an almost empty PATH.
poor=$(mktemp -d)
for program in bash g++ as ld; do ln -s "$(command -v $program)" "$poor"; done
says() { PATH=$poor NO_INSTALL=1 "$BASH" scripts/install.sh "$@" 2>&1; }
expect "without gnuplot figures are left out, with a line, and all else goes on" \
  eval 'says figures | grep "left out: figures" | grep -q gnuplot && says figures'
expect "without make nothing can be built, and that fails" eval 'says build | grep -q "missing: make" && ! says build'
rm "$poor/g++"
# With the current PATH; otherwise a ccache in it would find this compiler again.
printf '#!%s\n[[ "$*" != *-lboost_context* ]] && PATH=%q exec %q "$@"\n' "$BASH" "$PATH" "$(command -v g++)" >"$poor/g++"
chmod +x "$poor/g++"
expect "a library whose headers alone are there is missing" \
  eval 'says build | grep -q "missing: libboost_context (package libboost-context-dev" && \
        ! says build | grep -q "missing: libboost_program_options"'
rm "$poor/g++"
expect "without a compiler its name, and all that nobody can look for, is said" \
  eval 'says build | grep -q "missing: g++" && says build | grep -q "missing: hwloc.h"'
rm -r "$poor"
expect "a compiler with options is no missing one" \
  eval 'test -z "$(CXX="g++ -m64" NO_INSTALL=1 scripts/install.sh build 2>&1)"'
expect "make 4.2 knows the rules: none makes several targets at once" eval '! grep -n "&:" Makefile scripts/make/*.mk'
names() { sed -n "/^declare -A $1=(/,/^)/p" scripts/install.sh | grep -oE '\[[a-z_]+\]' | sort; }
expect "what has a package in Debian has one in Fedora" \
  eval 'test "$(names debian | wc -l)" -ge 15 && cmp <(names debian) <(names fedora)'
expect "install.sh refuses an unknown group" eval 'scripts/install.sh nonsense 2>&1 | grep -q build'
end_tests
