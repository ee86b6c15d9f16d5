#!/bin/bash -p
# What the docs show in blocks marked `console` is what one gets: lines that begin with $ are commands, and
# each of the others is part of what they print, whatever its spaces.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

root=$PWD
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir "$tree/bin"
for source in src/workloads/*.cpp; do
  ln -s "$root/bin/parlab-emulated" "$tree/bin/$(basename "$source" .cpp)"
done
ln -s "$root/bin/parlab-emulated" "$tree/bin/parlab"
ln -s "$root/cuda" "$root/results" "$root/tests" "$tree"
cd "$tree" || exit

one_space() { tr -s ' \n' ' ' | sed 's/^ //; s/ $//; s/\.\.\.$//'; }
said=""
shown() { [[ $(one_space <<<"$said") == *"$(one_space <<<"$1")"* ]]; }

for document in "$root"/docs/*.md; do
  while IFS= read -r line; do
    if [[ $line == '$ '* ]]; then
      said=$(bash -p -c "${line#$ }" 2>&1)
      expect "$(basename "$document"): ${line#$ }" test $? = 0
    else
      expect "it says: $line" shown "$line"
    fi
  done < <(awk '/^```console/ { inside = 1; next } /^```/ { inside = 0 } inside' "$document")
done
end_tests
