#!/bin/bash -p
# Layers point one way: no file of src/ includes one of a layer above its own, every folder has its layer, and
# no variant knows options, timers or records.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

# From the bottom up. A folder may include itself and those on the lines above its own.
rooms=(
  core
  facts
  render
  reference
  "workloads host gpu statistics"
  machine
  verify
  record
  places
  sweep
  "audit claims tune compare counters cluster grade image"
  "page report"
  cli
  commands
)
level() { # FOLDER
  local i
  for i in "${!rooms[@]}"; do
    [[ " ${rooms[i]} " != *" $1 "* ]] || { echo "$i"; return; }
  done
  echo unknown
}

unlisted=()
for folder in src/*/; do
  grep -qF "\`$(basename "$folder")/\`" src/README.md || unlisted+=("$folder")
done
expect "src/README.md lists every folder of src/: ${unlisted[*]:-}" test ${#unlisted[@]} = 0

unknown=() upward=()
for folder in src/*/; do
  from=$(basename "$folder")
  own=$(level "$from")
  if [[ $own == unknown ]]; then
    unknown+=("src/$from")
    continue
  fi
  while IFS=: read -r file to; do
    other=$(level "$to")
    if [[ $other == unknown ]]; then
      unknown+=("$to/ in $file")
    elif [[ $to != "$from" ]] && ((other >= own)); then
      upward+=("$file includes $to/")
    fi
  done < <(grep -roE '^ *# *include "[a-z_]+/' "$folder" --include='*.[ch]*' | sed -E 's|# *include "([a-z_]+)/|\1|' | tr -d ' ' | sort -u)
done
expect "every folder of src/ has a layer: ${unknown[*]:-}" test ${#unknown[@]} = 0
expect "no file includes one of a layer above its own: ${upward[*]:-}" test ${#upward[@]} = 0

# For emulated kernels CUDA's headers are in src/places/emulation/include. The functions that gpu/ needs from
# the emulation in addition are declared below it, in gpu/emulated.hpp.
hidden=$(grep -hoE 'emulation::[a-z_]+\(' src/gpu/*.hpp | sort -u | sed -E 's/.*::(.*)\(/\1/' |
  while read -r name; do grep -qE "[ >]$name\(" src/gpu/emulated.hpp || echo "$name"; done)
expect "gpu/ asks of the emulation only what gpu/emulated.hpp declares: $hidden" test -z "$hidden"

# The headers that a variant may include: see core/register.hpp.
strangers=$(grep -roE '^ *# *include "[a-z_]+/' serial openmp blas cuda |
  grep -vE '"(core|facts|workloads|host|gpu)/' | tr '\n' ' ')
expect "no variant knows of options, timers or records: $strangers" test -z "$strangers"

# The headers that an experiment's claims may include: those of claims, and the layers below.
strangers=$(grep -hoE '^ *# *include "[a-z_]+/' scripts/*/claims.cpp |
  grep -vE '"(core|facts|statistics|record|claims)/' | sort -u | tr '\n' ' ')
expect "no claim knows of options, pages or devices: $strangers" test -z "$strangers"
end_tests
