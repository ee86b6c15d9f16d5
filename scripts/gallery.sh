#!/bin/bash -p
# Fills docs/gallery with the figures that say "# In the gallery." and the first picture of a page, and
# README.md with the contents of that picture as a table. The description of a picture becomes its alternative
# text in both: scripts/gallery.sh MACHINE [MACHINE ...], after make figures. Each figure is taken from the
# first of the machines that has it.
# shellcheck source=scripts/environment.sh
source "${0%/*}/environment.sh"
set -euo pipefail

gallery=docs/gallery
mkdir -p "$gallery"
rm -f "$gallery"/*.svg "$gallery"/*.md
for figure in $(grep -l '^# In the gallery[.]' scripts/*/*.gp); do
  experiment=$(basename "$(dirname "$figure")")
  name=$experiment-$(basename "$figure" .gp).svg
  for machine in "$@"; do
    if [[ -f plots/$machine/$name ]]; then break; fi
  done
  cp "plots/$machine/$name" "$gallery"
done
"${PARLAB:-bin/parlab-emulated}" page "results/$1" --first "$gallery"
{
  echo '```'
  # in the form of a terminal, and no more than that
  "${PARLAB:-bin/parlab-emulated}" show "results/$1" --workload dmv --size 4096 --dtype float | sed '/^$/,$d'
  echo '```'
} >"$gallery/output.md"
# Between two marks.
awk -v gallery="$gallery" '
  /^<!-- end -->/ { inside = 0 }
  !inside { print }
  /^<!-- .*: made by make gallery -->/ {
    inside = 1
    file = gallery "/" substr($2, 1, length($2) - 1) ".md"
    while ((getline line < file) > 0) print line
  }' README.md >README.part
mv README.part README.md
for picture in "$gallery"/*.svg; do
  for text in README.md docs/gallery.md; do
    title=$(grep -o '<title>[^<]*' "$picture" | sed 's/<title>//; s/&amp;/\&/g; q') name=${picture##*/} awk '
      /^!\[/ && (at = index($0, "](")) && index($0, "gallery/" ENVIRON["name"] ")") { $0 = "![" ENVIRON["title"] substr($0, at) }
      { print }' "$text" >"$text.part"
    mv "$text.part" "$text"
  done
done
rm "$gallery"/*.md
count=$(find "$gallery" -name '*.svg' | wc -l)
echo "  $gallery: $count pictures"
if ((count > 10)); then
  echo "gallery.sh: more than ten pictures: take some figures out" >&2
  exit 1
fi
