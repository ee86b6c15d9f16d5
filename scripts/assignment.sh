#!/bin/bash -p
# Makes the hand-out of an assignment: scripts/assignment.sh WORKLOAD KERNELS FOLDER [COURSE]. KERNELS: names
# of variants in cuda/WORKLOAD, such as naive,coalesced. Each becomes a file with its idea as a comment and
# its launch, in which the bodies of the kernels are left to write. FOLDER must not exist yet. With a COURSE
# (a name in src/grade/courses, or a file like those) it is one file with the functions of the course, one for
# each of KERNELS if their names have a free part.
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "${0%/*}/environment.sh"
go_to_base
workload=${1:-} kernels=${2:-} folder=${3:-} course=${4:-}
fail() {
  echo "assignment: $*" >&2
  exit 2
}
[[ -f src/workloads/$workload.cpp ]] || fail "WORKLOAD=$workload: there is no such workload"
[[ -n $folder && ! -e $folder ]] || fail "'$folder' is there already: name a new folder, OUT=..."
IFS=, read -ra names <<<"$kernels"
head=
if [[ -n $course ]]; then
  [[ $course == */* || $course == *.* ]] || course=src/grade/courses/$course.cu
  [[ -f $course ]] || fail "COURSE: there is no $course"
  head=$(sed -n "s|^// declares $workload: ||p" "$course")
  [[ -n $head ]] || fail "COURSE: $course declares no function for $workload"
  [[ $head != *NAME* || -n $kernels ]] || fail "KERNELS: what stands for NAME in $head"
  [[ $head == *NAME* ]] || names=(solution)
fi
[[ -n $course$kernels ]] || fail "KERNELS: name some of $(basename -s .cu -a cuda/"$workload"/*.cu | paste -sd ,)"
for name in "${names[@]}"; do
  [[ -z $course ]] || break
  [[ $name =~ ^[a-z0-9_]+$ && -f cuda/$workload/$name.cu ]] ||
    fail "KERNELS: there is no cuda/$workload/$name.cu"
  if ! grep -q '__global__' "cuda/$workload/$name.cu" || grep -q '#include "[a-z_]*\.cuh"' "cuda/$workload/$name.cu"; then
    fail "KERNELS: cuda/$workload/$name.cu shares its kernels with other files: choose one that stands alone"
  fi
done

# Keeps everything except the bodies of __global__ functions, and __device__ functions and constants, which
# are part of an answer.
without_bodies() {
  awk '
    function braces(text,   opened, closed) {
      opened = gsub(/{/, "{", text); closed = gsub(/}/, "}", text)
      return opened - closed
    }
    # A template line belongs to the function after it.
    /^template </ { held = held $0 "\n"; next }
    state == "" && /__device__/ && !/__global__/ { held = ""; state = "device"; depth = 0; seen = 0 }
    state == "" && /__global__/ { state = "head" }
    state == "device" {
      if (/{/) seen = 1
      depth += braces($0)
      if ((seen && depth == 0) || (!seen && /;/)) state = ""
      next
    }
    { printf "%s", held; held = "" }
    state == "head" {
      print
      if (/{/) {
        print "  // To be written: see the idea above."
        depth = braces($0); state = "body"
        if (depth == 0) state = ""
      }
      next
    }
    state == "body" {
      depth += braces($0)
      if (depth == 0) { print "}"; state = "" }
      next
    }
    { print }' "$1"
}

mkdir -p "$folder/cuda/$workload" "$folder/framework/serial"
for name in "${names[@]}"; do
  if [[ -n $course ]]; then
    # Each kernel is a file in the form in which it is handed in.
    printf '%s\n\n%s {\n  // To be written.\n}\n' "$(sed -n 2p "$course")" "${head//NAME/$name}"
  else
    without_bodies "cuda/$workload/$name.cu"
  fi >"$folder/cuda/$workload/$name.cu"
done
[[ -z $course ]] || cp "$course" "$folder/course.cu"
cp -a Makefile VERSION LICENSE src docs "$folder/framework"
cp -a "serial/$workload" "$folder/framework/serial"
mkdir -p "$folder/framework/scripts"
cp -a scripts/*.sh scripts/*.awk scripts/make "$folder/framework/scripts"
cat >"$folder/Makefile" <<END
# make check: which kernels are right, and which are missing. No GPU is needed.
KERNELS := \$(wildcard cuda/$workload/*.cu)
PROGRAM := framework/bin/parlab-emulated

.PHONY: check framework
check: framework
	@missing=0; for k in \$(KERNELS); do \\
	  if grep -q 'To be written' \$\$k; then echo "\$\$k: not written yet"; missing=1; \\
	  else \$(PROGRAM) grade $workload --check \$\$k ${course:+--course ./course.cu} || missing=1; fi; done; exit \$\$missing
framework:
	@\$(MAKE) -C framework --silent NVCC= bin/parlab-emulated build/grade/emulated.link
END
cat >"$folder/README.md" <<END
# Assignment: $workload

Write the bodies of the functions in \`cuda/$workload/\`; each file says its idea at the top.
${course:+\`course.cu\` says how they are called. }\`framework/src/workloads/$workload.hpp\` says what the arguments are,
\`framework/serial/$workload\` has the computation in its plainest form, and \`framework/docs/how-to/adding-a-kernel.md\` what a kernel may rely on.

\`make check\` builds the framework (some minutes, once), executes each kernel by emulation, without a
GPU, and says what is wrong: which element, which block and thread, which line.
END
echo "$folder: the hand-out; 'make check' there says what is missing"
