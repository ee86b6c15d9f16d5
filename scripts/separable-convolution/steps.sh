#!/bin/bash -p
# the experiment of the report separable-convolution: row pass and column pass on every backend
#
# The report's items at radius 16: cache policies without and with tiles, its nine settings of the tiles and a
# search over more, tiles compared with none, float with double. Then all variants at its sizes and beyond,
# and by radius. SCALE=quick: up to 1024. Recorded points are not run again.
set -uo pipefail
# shellcheck source=scripts/experiment.sh
source "${0%/*}/../experiment.sh"

open_experiment separable-convolution
radii='1:64:*2'
if [[ $scale == full ]]; then
  sizes='64:8192:*2'
  largest=8192 time=0.5 limit=5
else
  sizes='64:1024:*2'
  largest=1024 time=0.1 limit=1
fi

# The report's policies: default, -dlcm=cg, -dlcm=cs -dscm=wt.
policies=("0 0" "2 0" "3 1")
# Block, tile of the row pass, tile of the column pass: its table of tile sizes, the best one last.
settings=("32 32 32 32 32" "32 64 64 64 64" "16 16 16 16 16" "16 32 32 32 32" "16 64 64 64 64"
  "16 64 16 16 64" "16 128 16 16 128" "16 256 16 16 256" "16 16 16 16 128")
tiled() { # "BLOCK W1 H1 W2 H2", as arguments
  read -r block w1 h1 w2 h2 <<<"$1"
  echo --variant cuda/tiled --block_x "$block" --block_y "$block" \
    --w1 "$w1" --h1 "$h1" --w2 "$w2" --h2 "$h2"
}
same=${settings[2]} tall=${settings[8]}

if only_counters "$@"; then
  for setting in "$same" "$tall"; do
    # shellcheck disable=SC2046 # several arguments
    count "counters: block and tiles $setting; $largest" \
      convsep $largest $(tiled "$setting") --time-limit 0.25
  done
  count "counters: all variants at their defaults; $largest" \
    convsep $largest --backend cuda --dtype float,double --time-limit 0.5
  close_experiment
fi

if only_energy "$@"; then energy_of_ladder float "$largest" "$largest" convsep; fi

for dtype in float double; do
  step "CPU: serial, OpenMP on ${threads##*,} threads, $dtype; $sizes" \
    convsep "$sizes" --dtype $dtype --backend serial,openmp \
    --time-limit "$time" --point-limit "$limit"
done
step "CPU: OpenMP against the radius; $((largest / 2))" \
  convsep $((largest / 2)) --radius "$radii" --backend openmp --time-limit "$time" \
  --point-limit "$limit"

if ((gpu)); then
  for policy in "${policies[@]}"; do
    read -r load store <<<"$policy"
    step "GPU: without tiles, load policy $load, store policy $store; $sizes" \
      convsep "$sizes" --variant cuda/global,cuda/padded --load "$load" --store "$store" \
      --time-limit 0.25
    # shellcheck disable=SC2046
    step "GPU: tiles of 16 x 16, the same policies" \
      convsep "$sizes" $(tiled "$same") --load "$load" --store "$store" --time-limit 0.25
  done
  for setting in "${settings[@]}"; do
    # shellcheck disable=SC2046
    step "GPU: block and tiles $setting; $largest" \
      convsep $largest $(tiled "$setting") --time-limit 0.25
  done
  for setting in "$same" "$tall"; do
    # shellcheck disable=SC2046
    step "GPU: block and tiles $setting, float and double; $sizes" \
      convsep "$sizes" $(tiled "$setting") --dtype float,double --time-limit 0.25
  done
  if [[ $scale == full ]]; then
    step "GPU: a search over 72 tiles; $largest" \
      convsep $largest --variant cuda/tiled --block_x 32 --block_y 8,16 --w1 64,128,256 --h1 8,16 \
      --w2 32,64 --h2 64,128,256 --time-limit 0.05
    step "GPU: strips and blocks of cuda/fused; 4096, $largest" \
      convsep 4096,$largest --variant cuda/fused --block 64,128 --strip 0,16,64,256,512 \
      --dtype float,double --time-limit 0.1
    step "GPU: strips of the rungs on tensor cores; 4096, $largest" \
      convsep 4096,$largest --variant cuda/tensor,cuda/tf32x3 --strip 0,64,256,512,1024 \
      --dtype float,double --time-limit 0.1
    step "GPU: strips and blocks of cuda/fused for small radii; $largest" \
      convsep $largest --radius 1,2,4 --variant cuda/fused --block 32,128 --strip 12,16,20,24,32 \
      --dtype float,double --time-limit 0.1
  fi
  for dtype in float double; do
    step "GPU: all variants at their defaults, $dtype; $sizes" \
      convsep "$sizes" --dtype $dtype --backend cuda --time-limit 0.5
  done
  step "GPU: all variants against the radius; $largest" \
    convsep $largest --radius "$radii" --dtype float,double --backend cuda --time-limit 0.25
fi

close_experiment
