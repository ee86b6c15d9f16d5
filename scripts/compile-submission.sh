#!/bin/bash -p
# Compiles a file that was handed in for a GPU: scripts/compile-submission.sh SOURCE OBJECT COMPILER OPTION...
# Its launches in angle brackets, its memory and its copies are redirected to the grader's own.
# shellcheck source=scripts/environment.sh
source "${0%/*}/environment.sh"
# shellcheck source=scripts/launches.sh
source "${0%/*}/launches.sh"
set -euo pipefail
source=$1 object=$2
shift 2
rewrite_launches "$source" "${object%.o}-rewritten.cu"
# shellcheck disable=SC2154 # set there
exec "$@" -Dmain=own_main -UCUDA_NO_HALF -Isrc/gpu/samples -include gpu/own_calls.hpp -I"${source%/*}" -x cu -c "$rewritten" -o "$object"
