#!/bin/bash -p
# Prints which variants were rewritten since a commit, with the hashes of both sources (see
# scripts/source-hash.sh): scripts/same-sources.sh COMMIT >scripts/same-sources.list Records of the old source
# then count as records of the new one. First look at each line of `git diff COMMIT`: kernels must have the
# same machine code, and host code must do the same in the same order. A variant that does anything else must
# be measured again and must not be listed.
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "${0%/*}/environment.sh"
go_to_base
before=$(mktemp -d)
trap 'rm -rf "$before"' EXIT
git archive "$1" serial openmp cuda blas scripts src | tar x -C "$before"

for file in {serial,openmp,cuda,blas}/*/*.{cpp,cu}; do
  [[ -f $before/$file ]] || continue
  new=$(scripts/source-hash.sh "$file" --own)
  old=$(cd "$before" && scripts/source-hash.sh "$file")
  [[ $new == "$old" ]] || echo "$new $old $file"
done
