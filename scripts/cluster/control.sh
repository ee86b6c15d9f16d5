#!/bin/bash -p
# Control points: the same few on the CPU and on each GPU of this process, measured again each time, so that
# the devices of a cluster can be compared. With `all` there are more of them, for a map. No experiment has
# these sizes, so the records of experiments stay as they are.
set -uo pipefail
# shellcheck source=scripts/experiment.sh
source "${0%/*}/../experiment.sh"

open_experiment device-spread
unset PARLAB_SHARD PARLAB_PLAN PARLAB_RESUME # every job measures all of them, whatever others did
limit=0.2
if [[ ${1:-} == all ]]; then limit=1; fi

step "CPU: a product of 1500 x 1500 with a vector, OpenMP" \
  dmv 1500 --variant openmp/rows --time-limit $limit --force
if ((gpu)); then
  for ((device = 0; device < $(gpus | wc -l); ++device)); do
    step "GPU $device: the same for 10000 x 10000" \
      dmv 10000 --variant cuda/coalesced --time-limit $limit --device $device --force
    step "GPU $device: a product of matrices, 3000 x 3000" \
      matmul 3000 --variant cuda/register --time-limit $limit --device $device --force
    [[ ${1:-} == all ]] || continue
    step "GPU $device: the same in double" \
      matmul 3000 --variant cuda/register --dtype double --time-limit $limit --device $device --force
  done
fi
close_experiment
