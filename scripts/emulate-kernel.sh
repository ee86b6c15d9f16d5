#!/bin/bash -p
# Compiles a CUDA file for emulation: scripts/emulate-kernel.sh SOURCE OBJECT COMPILER OPTION... A file that
# does not compile is left out of the program: no object is made, a line says why, and the compiler's full
# output is kept beside the object's place.
# shellcheck source=scripts/environment.sh
source "${0%/*}/environment.sh"
# shellcheck source=scripts/launches.sh
source "${0%/*}/launches.sh"
set -uo pipefail
source=$1 object=$2
shift 2
log=${object%.o}.log

rewrite_launches "$source" "${object%.o}-rewritten.cu"
if ! "$@" "${beside[@]}" -x c++ -c "$rewritten" -o "$object" 2>"$log"; then
  rm -f "$object"
  first=$(grep -m 1 -E 'error: |error$' "$log" || head -1 "$log")
  # in one piece, because other jobs of make write meanwhile
  printf '%s\n%s\n' "$source is left out of the emulated program (all messages: $log):" "$first"
  exit 0
fi
cat "$log" >&2
rm -f "$log"
[[ $source != cuda/* || $source == */shared/* ]] || grep -q 8Register "$object" ||
  echo "$source has no Register<...>: no variant comes of it"

# A main() of the file's own is not called. The runtime sees what kernels copy, clear and allocate by calls.
# Arrays that they declare as extern __shared__, under any name, are one array of the runtime's; std:: has
# variables of threads, too.
objcopy --redefine-sym memcpy=parlab_memcpy --redefine-sym memmove=parlab_memmove \
  --redefine-sym memset=parlab_memset --redefine-sym malloc=parlab_malloc \
  --redefine-sym _Znwm=parlab_new --redefine-sym _Znam=parlab_new_array --redefine-sym main=own_main "$object" || exit
readelf --symbols --wide "$object" | awk '$4 == "TLS" && $7 == "UND" && $8 !~ /^(parlab_|_ZSt)/ { print $8 }' | sort -u |
  while read -r symbol; do
    objcopy --redefine-sym "$symbol=parlab_dynamic_shared" "$object" || exit
  done
