#!/bin/bash -p
# Lists the record files of all machines, results/MACHINE/NAME.jsonl, one per line, whether packed
# (NAME.jsonl.zst), plain or both. A folder or a file whose name has other characters than letters, digits and
# . _ + - is named on stderr and left out, because names go to make and to commands. --silent: they are not
# named.
# shellcheck source=scripts/environment.sh
source "${0%/*}/environment.sh"
set -uo pipefail
shopt -s nullglob

is_name() { [[ $1 =~ ^[A-Za-z0-9_][A-Za-z0-9._+-]{0,63}$ ]]; }
skip() { # KIND PATH
  [[ $silent ]] || printf 'skipped: the %s %q: names are of letters, digits and . _ + -\n' "$1" "$2" >&2
}

silent=
[[ ${1:-} != --silent ]] || silent=1
for folder in results/*/; do
  machine=${folder#results/}
  machine=${machine%/}
  [[ $machine != published ]] || continue
  if ! is_name "$machine"; then
    skip folder "results/$machine"
    continue
  fi
  for file in "$folder"*.jsonl{,.zst}; do
    plain=${file%.zst}
    if is_name "${plain##*/}" && [[ -f $file ]]; then echo "$plain"; else skip file "$file"; fi
  done
done | sort -u
