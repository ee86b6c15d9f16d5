#!/bin/bash -p
# Every link of the docs leads somewhere, and a block marked `console` shows what one gets: lines that
# begin with $ are commands, and each of the others is part of what they print, whatever its spaces.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

root=$PWD
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

# links FILE...: for each link to a place in this tree: "FILE:LINE PATH [ANCHOR]".
links() {
  awk '/^```/ { code = !code } !code {
    text = $0
    gsub(/`[^`]*`/, "", text)
    while (match(text, /\]\([^() ]+\)/)) {
      to = substr(text, RSTART + 2, RLENGTH - 3)
      text = substr(text, RSTART + RLENGTH)
      if (to ~ /^[a-z]+:/) continue
      anchor = to ~ /#/ ? to : ""; sub(/^[^#]*#/, "", anchor); sub(/#.*/, "", to)
      folder = FILENAME ~ /\// ? FILENAME : "./"; sub(/[^\/]*$/, "", folder)
      print FILENAME ":" FNR, to == "" ? FILENAME : folder to, anchor
    }
  }' "$@"
}
# anchors FILE: the anchors of its headings, as GitHub and mkdocs make them.
anchors() {
  awk '/^```/ { code = !code } !code && /^#+ / {
    sub(/^#+ /, ""); $0 = tolower($0); gsub(/[^a-z0-9_ -]/, ""); gsub(/ /, "-"); print
  }' "$1"
}
broken_links() {
  local where to anchor
  while read -r where to anchor; do
    if [[ ! -e $to ]]; then
      echo "$where: $to is not there"
    elif [[ -n $anchor ]] && ! anchors "$to" | grep -qxF -e "$anchor"; then
      echo "$where: $to has no heading '$anchor'"
    fi
  done < <(links "$@")
}
mapfile -t documents < <(find ./*.md .github docs src results/published -name '*.md' | sort)
expect "every link leads somewhere" test "$(broken_links "${documents[@]}" | tee /dev/stderr)" = ""
printf '%s\n' '# A b, c' '[a](#a-b-c) [b](#b)' '```' '[c](c.md)' '```' '[d](d.md)' >"$tree/links.md"
expect "a broken one is found" test "$(broken_links "$tree/links.md" | sed 's/: .*//')" = "$tree/links.md:2
$tree/links.md:6"

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

for document in "${documents[@]/#/$root/}"; do
  while IFS= read -r line; do
    if [[ $line == '$ '* ]]; then
      said=$(bash -p -c "${line#$ }" 2>&1)
      status=$?
      expect "${document##*/}: ${line#$ }" test $status = 0
    else
      expect "it says: $line" shown "$line"
    fi
  done < <(awk '/^```console/ { inside = 1; next } /^```/ { inside = 0 } inside' "$document")
done
end_tests
