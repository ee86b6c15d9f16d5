#!/bin/bash -p
# Checks what a change may have broken: builds what it touches and runs the tests of the affected modules, which
# takes about a minute. The first time it builds all tests. The change is what is not committed, or else the
# last commit, or all since SINCE if that is set. Only changed kernels are compiled for the GPU. The rest is
# `make check`.
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "${0%/*}/environment.sh"
go_to_base

[[ -z ${SINCE:-} ]] || git rev-parse --verify "$SINCE^{commit}" >/dev/null || exit 2
# parlab's own files, with names that make can build: hand-outs and submissions may lie beside them.
ours() { grep -zE '^(src|serial|openmp|blas|cuda|tests|scripts|\.ci)/[[:alnum:]_./+-]+$' | sort -zu; }
mapfile -d '' changed < <({
  git diff -z --name-only --diff-filter=d "${SINCE:-HEAD}"
  git ls-files -z --others --exclude-standard
} 2>/dev/null | ours)
((${#changed[@]})) || mapfile -d '' changed < <(git diff -z --name-only --diff-filter=d HEAD~1 2>/dev/null | ours)
((${#changed[@]})) || echo "no commit here to compare with (SINCE names one): what stands on its own is tested, the rest by make check"

suites_of() { # FILE...
  grep -hoP 'BOOST_(AUTO|FIXTURE)_TEST_SUITE\(\K\w+' "$@" 2>/dev/null | sed 's/^/suite /' || true
}
# Suites that take half a minute or more run only if their own file changed, and in `make check`.
short_suites_of() {
  suites_of "$@" | grep -vwE 'variants|matmul|covariance|precision|cheats|gpu_cheats|cheats_of_teams|teams_of_gpus' || true
}
variants_of() { # FILE: the variant in it, or those that include it, as the compiler found
  case $1 in
    */shared/*.cu) variants_of "${1/shared\/}h" ;; # what those launch that include the .cuh
    *.cpp | *.cu) echo "variant $1" ;;
    *) find build/host build/emulated -name '*.d' -exec grep -lw "$(basename "$1")" {} + 2>/dev/null |
      sed -nE 's,^build/(host|emulated)/((serial|openmp|blas|cuda)/[^/]*/[^/]*)\.d$,variant \2,p' || true ;;
  esac
}
touched_by() { # FILE: a line for each suite, variant, script of tests/tree, kernel and source
  local room name
  IFS=/ read -r _ room name <<<"$1"
  case $1 in
    src/workloads/*)
      short_suites_of "tests/$room/${name%.*}_test.cpp"
      echo "suite precision" # the declaration must refuse narrower arithmetic
      for variant in serial/"${name%.*}"/*.cpp; do variants_of "$variant"; done
      ;;
    src/places/emulation/*) short_suites_of tests/places/emulation/*.cpp ;;
    src/sweep/*) short_suites_of tests/{sweep,places}/*.cpp ;;
    src/*/*) short_suites_of tests/"$room"/*.cpp ;;
    tests/tree/*.sh) echo "shell $(basename "$1" .sh)" ;;
    tests/*/*.cpp) suites_of "$1" ;;
    tests/*/*.cu) short_suites_of "${1%/*}"/*.cpp ;;
    scripts/*/claims.cpp) suites_of tests/claims/*.cpp ;;
    serial/* | openmp/* | blas/* | cuda/*) variants_of "$1" ;;
  esac
  case $1 in
    src/cli/* | src/commands/*) echo "shell words" ;;
    cuda/*.cu | blas/*.cu) echo "kernel build/cuda/$1.o" ;;
  esac
  case $1 in
    *.cpp | *.hpp | *.cu | *.cuh) echo "source $1" ;;
    *.sh) echo "script $1" ;;
  esac
}
touched=$(
  echo "shell layers"
  for file in "${changed[@]}"; do touched_by "$file"; done
)
touched=$(sort -u <<<"$touched")
all() { sed -n "s/^$1 //p" <<<"$touched"; } # KIND

targets=()
[[ -z $(make -s print-NVCC) ]] || mapfile -t targets < <(all kernel)
[[ -z $(all suite) ]] || targets+=(build/check/run-tests)
[[ -z $(all variant) && $(all shell) == layers ]] || targets+=(bin/parlab-emulated)
((${#targets[@]} == 0)) || make "${targets[@]}"

results=build/check/quick
rm -rf "$results"
piece() { # NAME COMMAND...
  BUILD=build scripts/check-piece.sh "$results/$1" "${@:2}"
}
run_variant() { # BACKEND/WORKLOAD/NAME.cu
  local backend workload name
  IFS=/ read -r backend workload name <<<"$1"
  [[ $backend/$name != blas/*.cu ]] || return 0 # the vendor's: nothing of it is emulated
  # Sizes at which kernels go wrong: smaller than a block, not a multiple of one; emulation adds a rectangle.
  piece "$workload-$backend-${name%.*}" bin/parlab-emulated "$workload" 1,31,33,257 \
    --variant "$backend/${name%.*}" --emulate --iterations 2
}
export -f piece run_variant
export results
{
  all shell | sed 's,.*,piece & tests/tree/&.sh,'
  all suite | sed 's,.*,piece & build/check/run-tests --run_test=&,'
  all variant | sed 's/^/run_variant /'
  [[ -z $(all source) ]] || echo "piece format clang-format --dry-run -Werror $(all source | paste -sd ' ')"
  [[ -z $(all script) ]] || echo "piece shellcheck shellcheck -x --severity=warning $(all script | paste -sd ' ')"
} | xargs -d '\n' -P "$(cpus)" -I{} bash -c '{}' || true
scripts/sum-checks.sh "$results"
