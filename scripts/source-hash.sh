#!/bin/bash -p
# Prints a hash of a variant's source: of its file and of all files that it includes by a path from its own
# folder (a tile.cuh that several rungs share) or from the framework's headers (src/gpu, src/host,
# src/workloads). A record made from another hash is stale. Comments and spaces do not count, because
# measurements do not depend on them; nor do files that only emulation reads (src/gpu/emulated.hpp). A source
# that was rewritten but does the same keeps its old hash: scripts/same-sources.list has it.
# scripts/source-hash.sh FILE [--own]; --own: without that list. With --asks it prints which files beside it
# depend on the emulation, and no hash.
# shellcheck source=scripts/environment.sh
source "${0%/*}/environment.sh"
set -euo pipefail
files=()

add() {
  local file=$1 name
  for name in "${files[@]}"; do
    [[ $name -ef $file ]] && return
  done
  files+=("$file")
  while read -r name; do
    if [[ -f ${file%/*}/$name ]]; then
      add "${file%/*}/$name"
    elif [[ $name =~ ^(gpu|host|workloads)/ && -f src/$name && $name != gpu/emulated.hpp ]]; then
      add "src/$name"
    fi
  done < <(sed -nE 's/^ *# *include "([^"]+)".*/\1/p' "$file")
}

add "$1"
if [[ ${2:-} == --asks ]]; then
  printf '%s\n' "${files[@]}" | grep -v '^src/' |
    xargs -r grep -lE 'PARLAB_EMULATED|__NVCC__|__CUDACC__|__SANITIZE_THREAD__' || true
  exit 0
fi
# A comment that contains a quote counts, because it might be a string.
hash=$(sed -E 's:(^|[[:space:]])//[^"]*$::' "${files[@]}" | tr -d '[:space:]' | sha1sum | cut -d ' ' -f 1)
list=${BASH_SOURCE%/*}/same-sources.list
[[ ${2:-} == --own || ! -f $list ]] || same=$(sed -n "s/^$hash \([0-9a-f]*\) .*/\1/p" "$list")
echo "${same:-$hash}"
