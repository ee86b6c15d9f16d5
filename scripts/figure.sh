#!/bin/bash -p
# Draws one figure: scripts/figure.sh DATABASE FIGURE.gp OUT (without suffix) PARLAB: the program that reads
# the database. FORMATS: svg, png, or both (the default). Either all pictures are new, or all stay as they
# were. If the machine has no records for a figure, its script prints a line that names the missing run, then
# `exit status 3`; an old picture is then removed, and that is no error.
# shellcheck source=scripts/environment.sh
source "${0%/*}/environment.sh"
set -uo pipefail

database=$1 figure=$2 out=$3
program=${PARLAB:-bin/parlab-emulated}
read -ra formats <<<"${FORMATS:-svg png}"
trap 'rm -f "$out".{svg,png}.part "$out".{facts,titled}' EXIT
mkdir -p "$(dirname "$out")" || exit
for format in "${formats[@]}"; do
  part=$out.$format.part
  gnuplot --default-settings -c scripts/figures/style.gp "$program" "$database" "${out#plots/}" $format "$part" "$figure" "$out.facts"
  status=$?
  if ((status == 3)); then
    grep '^  skip ' "$out.facts" >&2
    rm -f "$out".{svg,png}
    exit 0
  fi
  # gnuplot ignores a full disk: the end of the picture tells whether all of it was written.
  [[ $format == svg ]] && end='</svg>' || end=IEND
  if ((status != 0)) || ! tail -c 12 "$part" | grep -qa "$end"; then
    echo "figure.sh: gnuplot could not draw $figure from $database to $part" >&2
    exit 1
  fi
done
if [[ -e $out.svg.part ]]; then
  awk -f scripts/figures/titles.awk "$out.facts" "$out.svg.part" "$out.svg.part" >"$out.titled" &&
    mv "$out.titled" "$out.svg.part" || exit
fi
for format in "${formats[@]}"; do mv "$out.$format.part" "$out.$format" || exit; done
echo "  drew  $out.${formats[*]/%png/.png}"
