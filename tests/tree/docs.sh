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

# A listing is a program (tests/tree/add-variant.sh builds it), a part of a file, or an outline.
# listings FILE...: of each the mark before it, and its text in one line.
listings() {
  awk '/^<!-- (program|part of): |^<!-- outline/ { mark = $0; next }
    /^```/ { if (inside) print text; inside = 0 }
    /^```(cpp|cuda|gnuplot|sql)/ { print mark == "" ? FILENAME ":" FNR : mark; mark = text = ""; inside = 1; next }
    inside { text = text $0 }' "$@"
}
unmarked=0
while IFS= read -r mark && IFS= read -r text; do
  case $mark in
  '<!-- part of: '*)
    file=${mark#'<!-- part of: '} file=${file%' -->'}
    expect "a listing is in $file" grep -qF -e "${text//[[:space:]]/}" <(tr -d '[:space:]' <"$file")
    ;;
  '<!-- '*) ;;
  *)
    echo "    $mark: a listing that nothing compiles"
    unmarked=1
    ;;
  esac
done < <(listings "${documents[@]}")
expect "every listing is compiled, or marked as an outline" test $unmarked = 0

fields=$(sed -nE 's/.*visit\("([a-z_]+)".*/\1/p' src/record/fields.hpp | sort -u)
missing=$(for field in $fields; do grep -qF "\`$field\`" docs/reference/record-fields.md || echo "$field"; done)
expect "every field of a record is explained: $missing" test -z "$missing"
causes=$(sed -n '/^\/\/ audit\//,/^$/s/^PARLAB_CAUSE(\([a-z_]*\),.*/\1/p' src/facts/causes.inc)
missing=$(for cause in $causes; do grep -qF "\`$cause\`" docs/how-to/comparing.md || echo "$cause"; done)
expect "every cause of the audit is explained: $missing" test -z "$missing" -a "$(wc -w <<<"$causes")" -ge 9
verdicts=$(sed -n '/PARLAB_ENUM(Verdict/,/;\|))/p' src/core/types.hpp | grep -oE '"[a-z_]+"\)' | tr -d '")')
missing=$(for verdict in $verdicts; do grep -qF "| \`$verdict\` |" docs/reference/verdicts.md || echo "$verdict"; done)
expect "every verdict is explained: $missing" test -z "$missing" -a "$(wc -w <<<"$verdicts")" -ge 9

if command -v mkdocs >/dev/null; then
  expect "the site is built" env PARLAB=bin/parlab-emulated scripts/docs.sh "$tree/site"
  expect "it has every page" test -z "$(find docs -name '*.md' -printf '%P\n' | while read -r page; do
    [[ -f $tree/site/site/${page%.md}.html ]] || echo "$page"; done)"
  expect "and the help text of a command" grep -q 'Usage: parlab compare' "$tree/site/site/reference/command-line.html"
else
  echo "skipped: mkdocs is not here"
fi

mkdir "$tree/bin"
for source in src/workloads/*.cpp; do
  ln -s "$root/bin/parlab-emulated" "$tree/bin/$(basename "$source" .cpp)"
done
ln -s "$root/bin/parlab-emulated" "$tree/bin/parlab"
ln -s "$root/cuda" "$root/tests" "$tree"
mkdir "$tree/results"
ln -s "$root"/results/* "$tree/results"
cd "$tree" || exit

# Each command of the README works as typed. Status 1 is an answer, such as a time that should not be quoted.
typed=0
while IFS= read -r line; do
  MACHINE=readme timeout 120 bash -p -c "$line" >out 2>&1
  status=$?
  expect "README: $line" test $status -le 1
  typed=$((typed + 1))
done < <(awk '/^```$/ { code = !code } code && /^([A-Z_]+=[^ ]+ )*bin\// { sub(/  +#.*/, ""); print }' "$root/README.md")
expect "there are such commands" test $typed -ge 15

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
