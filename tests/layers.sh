#!/bin/bash
# Layers point one way: no file of src/ includes one of a layer above its own, and no variant knows
# of options, timers or records.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
# shellcheck source=scripts/testing.sh
source scripts/testing.sh

level() {
  case $1 in
    core) echo 0 ;;
    contracts | host | record) echo 1 ;;
    machine | verify) echo 2 ;;
    measure | claims | compare | tune) echo 3 ;;
    device | emulation) echo 4 ;; # the same interface twice: see src/device/gpu.hpp
    counters) echo 5 ;;
    sweep | image) echo 6 ;;
    page) echo 7 ;;
    driver) echo 8 ;;
    *) echo 99 ;;
  esac
}

upward=()
for file in src/*/*.*; do
  from=$(basename "$(dirname "$file")")
  for to in $(grep -oE '^#include "[a-z]+/' "$file" | grep -oE '[a-z]+/' | tr -d / | sort -u); do
    (($(level "$to") <= $(level "$from"))) || upward+=("$file includes $to/")
  done
done
expect "no file includes one of a layer above its own: ${upward[*]:-}" test ${#upward[@]} = 0

strangers=$(grep -lE '#include "(driver|sweep|measure|record|machine|verify)/' \
  serial/*/* openmp/*/* blas/*/* cuda/*/* 2>/dev/null)
expect "no variant knows of options, timers or records: $strangers" test -z "$strangers"

end_tests
