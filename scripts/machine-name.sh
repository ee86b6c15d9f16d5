#!/bin/bash -p
# The name of this machine's folder under results/ and plots/: MACHINE, or the name that parlab finds.
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "${0%/*}/environment.sh"
go_to_base

if [[ -n ${MACHINE:-} ]]; then
  [[ $MACHINE =~ ^[A-Za-z0-9_][A-Za-z0-9._+-]{0,63}$ ]] || {
    printf 'MACHINE=%q: a name is of letters, digits and . _ + -\n' "$MACHINE" >&2
    exit 2
  }
  echo "$MACHINE"
  exit
fi
parlab=${PARLAB:-bin/parlab}
[[ -x $parlab ]] || parlab=bin/parlab-emulated
"$parlab" machine --name
