#!/bin/bash
# The name of this machine's folder under results/ and plots/: MACHINE, or what parlab calls it.
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ -n ${MACHINE:-} ]]; then
  echo "$MACHINE"
  exit
fi
parlab=${PARLAB:-bin/parlab}
[[ -x $parlab ]] || parlab=bin/parlab-emulated
"$parlab" machine --name
