#!/bin/bash -p
# The last line of `make check`: the sum over the pieces whose counts lie in the folder $1.
# shellcheck source=scripts/environment.sh
source "${0%/*}/environment.sh"
set -euo pipefail

read -r passed failed < <(cat "$1"/*.count | awk '{ p += $1; f += $2 } END { print p + 0, f + 0 }')
echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
