#!/bin/bash -p
# Fills docs/gallery with the figures that say "# In the gallery." and a picture of the page:
# scripts/gallery.sh MACHINE [MACHINE ...], after make figures; each figure is that of the first of
# the machines that has it. Where Chromium is missing the old picture stays.
# shellcheck source=scripts/environment.sh
source "${0%/*}/environment.sh"
set -euo pipefail

gallery=docs/gallery
mkdir -p "$gallery"
rm -f "$gallery"/*.svg
for figure in $(grep -l '^# In the gallery[.]' scripts/*/*.gp); do
  experiment=$(basename "$(dirname "$figure")")
  name=$experiment-$(basename "$figure" .gp).svg
  for machine in "$@"; do
    if [[ -f plots/$machine/$name ]]; then break; fi
  done
  cp "plots/$machine/$name" "$gallery"
done
if command -v chromium >/dev/null; then
  scripts/page-picture.sh "plots/$1/index.html" ladder-dmv "$gallery/overview.png"
else
  echo "gallery.sh: overview.png stays as it was: no chromium" >&2
fi
count=$(find "$gallery" -name '*.svg' -o -name '*.png' | wc -l)
echo "  $gallery: $count pictures"
if ((count > 10)); then
  echo "gallery.sh: more than ten pictures: take some figures out" >&2
  exit 1
fi
