#!/bin/bash
# Prints a hash of a variant's source: of its file and of what it includes by a path from its own
# folder (a tile.cuh that several rungs share). A record made from another hash is stale.
set -euo pipefail
files=()

add() {
  local file=$1 name
  for name in "${files[@]}"; do
    [[ $name -ef $file ]] && return
  done
  files+=("$file")
  while read -r name; do
    [[ ! -f ${file%/*}/$name ]] || add "${file%/*}/$name"
  done < <(sed -nE 's/^ *# *include "([^"]+)".*/\1/p' "$file")
}

add "$1"
cat "${files[@]}" | sha1sum | cut -d ' ' -f 1
