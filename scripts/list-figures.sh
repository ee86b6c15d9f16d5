#!/bin/bash
# Prints the tables and says where the figures are: scripts/list-figures.sh [EXPERIMENT]
set -euo pipefail
shopt -s nullglob

machine=${MACHINE:-$( (bin/parlab machine || bin/parlab-emulated machine) 2>/dev/null)} || machine=
if [[ -n $machine ]]; then
  for tables in "plots/$machine/${1:-}"*-tables.txt; do cat "$tables"; done
fi
echo "figures:"
for folder in plots/*/; do
  figures=("$folder${1:-}"*.svg)
  ((${#figures[@]} == 0)) || echo "  $folder: ${#figures[@]} figures, SVG and PNG"
done
