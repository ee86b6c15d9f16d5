#!/bin/bash -p
# Prints a hash of a variant's source: of its file and of all files that it includes by a path from its own
# folder (a tile.cuh that several rungs share) or from the framework's headers (src/gpu, src/host,
# src/workloads). A record made from another hash is stale. Comments and spaces do not count, because
# measurements do not depend on them; nor do files that only emulation reads (src/gpu/emulated.hpp). A source
# that was rewritten but does the same keeps its old hash: scripts/same-sources.list has it.
# scripts/source-hash.sh FILE [--own | --asks]; --own: without that list; --asks: the hash and, if the file or
# one beside it depends on the emulation, the word "asks".
# shellcheck source=scripts/environment.sh
source "${0%/*}/environment.sh"
set -euo pipefail
files=() asks=

# Reads lines without other programs, because make asks for each object.
add() {
  local file=$1 name line lines
  for name in "${files[@]}"; do
    [[ $name -ef $file ]] && return
  done
  files+=("$file")
  mapfile -t lines <"$file"
  for line in "${lines[@]}"; do
    if [[ $file != src/* && $line =~ PARLAB_EMULATED|__NVCC__|__CUDACC__|__SANITIZE_THREAD__ ]]; then asks=' asks'; fi
    [[ $line == *'#'*include*'"'* && $line =~ ^\ *#\ *include\ \"([^\"]+)\" ]] || continue
    name=${BASH_REMATCH[1]}
    if [[ -f ${file%/*}/$name ]]; then
      add "${file%/*}/$name"
    elif [[ $name =~ ^(gpu|host|workloads)/ && -f src/$name && $name != gpu/emulated.hpp ]]; then
      add "src/$name"
    fi
  done
}

add "$1"
# A comment that contains a quote counts, because it might be a string.
hash=$(sed -E 's:(^|[[:space:]])//[^"]*$::' "${files[@]}" | tr -d '[:space:]' | sha1sum)
hash=${hash%% *}
list=${BASH_SOURCE%/*}/same-sources.list
if [[ ${2:-} != --own && -f $list && $'\n'$(<"$list") =~ $'\n'$hash\ ([0-9a-f]*)\  ]]; then hash=${BASH_REMATCH[1]}; fi
[[ ${2:-} == --asks ]] || asks=
echo "$hash$asks"
