#!/bin/bash
# The name of this machine's folder under results/ and plots/: MACHINE, or what parlab calls it.
# parlab measures the machine before it answers; its answer is kept in build/machine.
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ -n ${MACHINE:-} ]]; then
  [[ $MACHINE =~ ^[A-Za-z0-9_][A-Za-z0-9._+-]{0,63}$ ]] || {
    printf 'MACHINE=%q: a name is of letters, digits and . _ + -\n' "$MACHINE" >&2
    exit 2
  }
  echo "$MACHINE"
  exit
fi
kept=build/machine
if [[ ! -s $kept || bin/parlab-emulated -nt $kept ]]; then
  parlab=bin/parlab
  [[ -x $parlab ]] || parlab=bin/parlab-emulated
  mkdir -p build
  "$parlab" machine | sed -n 1p >"$kept.part" && mv "$kept.part" "$kept"
fi
cat "$kept"
