#!/bin/bash
# What a change may have broken, in a minute or so: builds what it touches and runs the tests of the
# rooms that it is in. The change is what is not committed, or else the last commit; since SINCE, when
# that is set. Nothing is compiled for the GPU but the kernels that changed. The rest is `make check`.
set -euo pipefail
cd "$(dirname "$0")/.."

# These take half a minute and more: they run when their own file changed, and in `make check`.
long=(variants matmul covariance precision cheats gpu_cheats cheats_of_teams teams_of_gpus)

mapfile -t changed < <({
  git diff --name-only --diff-filter=d "${SINCE:-HEAD}"
  git ls-files --others --exclude-standard
} | sort -u)
((${#changed[@]})) || mapfile -t changed < <(git diff --name-only --diff-filter=d HEAD~1)

suites=() variants=() sources=() scripts=() kernels=() shell=(layers)
suites_of() { # FILE...
  grep -hoP 'BOOST_(AUTO|FIXTURE)_TEST_SUITE\(\K\w+' "$@" 2>/dev/null || true
}
short_suites_of() { suites_of "$@" | grep -vxF "$(printf '%s\n' "${long[@]}")" || true; }
variants_of() { # FILE: the variant in it, or those that include it
  local file=$1
  case $file in
    *.cpp | *.cu) echo "$file" ;;
    *) find build/host build/emulated -name '*.d' -path '*/*.c*' -exec grep -lF " $file" {} + 2>/dev/null |
      sed -nE 's,^build/(host|emulated)/(.*)\.d$,\2,p' || true ;;
  esac | grep -E '^(serial|openmp|blas|cuda)/' || true
}

for file in "${changed[@]}"; do
  case $file in
    *.cpp | *.hpp | *.cu | *.cuh) sources+=("$file") ;;
    *.sh) scripts+=("$file") ;;
  esac
  IFS=/ read -r top room name <<<"$file"
  case $file in
    src/workloads/*)
      mapfile -t -O ${#suites[@]} suites < <(short_suites_of "tests/$room/${name%.*}_test.cpp")
      mapfile -t -O ${#variants[@]} variants < <(ls serial/"${name%.*}"/*.cpp)
      ;;
    src/places/emulation/*) mapfile -t -O ${#suites[@]} suites < <(short_suites_of tests/places/emulation/*.cpp) ;;
    src/sweep/*) mapfile -t -O ${#suites[@]} suites < <(short_suites_of tests/{sweep,places}/*.cpp) ;;
    src/*/*) mapfile -t -O ${#suites[@]} suites < <(short_suites_of tests/"$room"/*.cpp) ;;
    tests/*/*.cpp) mapfile -t -O ${#suites[@]} suites < <(suites_of "$file") ;;
    tests/*/*.cu | tests/*.[ch]pp) mapfile -t -O ${#suites[@]} suites < <(short_suites_of "${file%/*}"/*.cpp) ;;
    scripts/*/claims.cpp) mapfile -t -O ${#suites[@]} suites < <(suites_of tests/claims/*.cpp) ;;
    tests/tree/*.sh) shell+=("$(basename "$file" .sh)") ;;
    serial/* | openmp/* | blas/* | cuda/*) mapfile -t -O ${#variants[@]} variants < <(variants_of "$file") ;;
  esac
  case $file in src/cli/* | src/commands/*) shell+=(words) ;; esac
  case $top in cuda | blas) [[ $file != *.cu ]] || kernels+=("build/cuda/$file.o") ;; esac
done
mapfile -t suites < <(printf '%s\n' ${suites[@]+"${suites[@]}"} | sort -u | sed '/^$/d')
mapfile -t variants < <(printf '%s\n' ${variants[@]+"${variants[@]}"} | sort -u | sed '/^$/d')
mapfile -t shell < <(printf '%s\n' "${shell[@]}" | sort -u)

targets=()
[[ -z $(make -s print-NVCC) ]] || targets+=(${kernels[@]+"${kernels[@]}"})
((${#suites[@]} == 0)) || targets+=(build/check/run-tests)
[[ ${#variants[@]} == 0 && ${shell[*]} == layers ]] || targets+=(bin/parlab-emulated)
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
  # Where kernels go wrong: smaller than a block, not a multiple of one; emulation adds a rectangle.
  piece "$workload-$backend-${name%.*}" bin/parlab-emulated "$workload" 1,31,33,257 \
    --variant "$backend/${name%.*}" --emulate --iterations 2
}
pieces() {
  for s in "${shell[@]}"; do echo "piece $s tests/tree/$s.sh"; done
  for s in ${suites[@]+"${suites[@]}"}; do echo "piece $s build/check/run-tests --run_test=$s"; done
  for v in ${variants[@]+"${variants[@]}"}; do echo "run_variant $v"; done
  ((${#sources[@]} == 0)) || echo "piece format clang-format --dry-run -Werror ${sources[*]}"
  ((${#scripts[@]} == 0)) || echo "piece shellcheck shellcheck -x --severity=warning ${scripts[*]}"
}
export -f piece run_variant
export results
pieces | xargs -d '\n' -P "$(nproc)" -I{} bash -c '{}' || true
scripts/sum-checks.sh "$results"
