#!/bin/bash -p
# Prints where the figures and pages are, after the tables of one experiment if it is named:
# scripts/list-figures.sh [EXPERIMENT]
# shellcheck source=scripts/environment.sh
source "${0%/*}/environment.sh"
set -euo pipefail
shopt -s nullglob

machine=$(scripts/machine-name.sh) || machine=
tables=plots/$machine/${1:-}-tables.txt
if [[ -n ${1:-} && -e $tables ]]; then cat "$tables"; fi
echo "figures:"
for folder in plots/*/; do
  figures=("$folder${1:-}"*.svg)
  ((${#figures[@]} == 0)) || echo "  $folder: ${#figures[@]} figures, SVG and PNG"
done
echo "pages, to be opened in a browser:"
for page in plots/*/index.html plots/index.html; do
  if [[ -e $page ]]; then echo "  $page"; fi
done
