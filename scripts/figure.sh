#!/bin/bash
# Draws one figure as SVG and PNG: scripts/figure.sh DATABASE FIGURE.gp OUT (without suffix)
# A figure says `exit status 3`, after a line that names the run it misses, when the machine has no
# records for it: an old picture of it is removed then, and that is no error.
set -uo pipefail

database=$1 figure=$2 out=$3
mkdir -p "$(dirname "$out")"
for format in svg png; do
  gnuplot -e "db='$database'; name='${out#plots/}'; format='$format'; out='$out.$format.part'" \
    scripts/figures/style.gp "$figure"
  status=$?
  if ((status == 3)); then
    rm -f "$out.svg" "$out.png" "$out".*.part
    exit 0
  elif ((status != 0)); then
    rm -f "$out".*.part
    echo "figure.sh: gnuplot could not draw $figure from $database" >&2
    exit 1
  fi
  mv "$out.$format.part" "$out.$format"
done
echo "  drew  $out.svg .png"
