#!/bin/bash -p
# Runs one piece of `make check`: scripts/check-piece.sh RESULT COMMAND... RESULT.log gets the output,
# RESULT.count "passed failed". It prints one line, and the end of the output if something failed. It
# understands Boost.Test's report, lines "passed: WHAT" and "failed: WHAT", and, without either, the exit
# status.
# shellcheck source=scripts/environment.sh
source "${0%/*}/environment.sh"
set -uo pipefail

result=$1
shift
mkdir -p "$(dirname "$result")"
SECONDS=0
export OMP_WAIT_POLICY=passive # threads that wait leave the cores to the other pieces
# Short stacks for allocations: full ones would cost an eighth of the time of the tests.
export ASAN_OPTIONS=${ASAN_OPTIONS:-malloc_context_size=4:quarantine_size_mb=32}
[[ $1 != */run-tests ]] || set -- "$@" --report_level=short --color_output=no # a Boost.Test program
TIMEFORMAT='%U + %S'
cpu_s=$({ time "$@" >"$result.log" 2>&1; } 2>&1)
status=$?

passed=$(sed -nE 's/^ *([0-9]+) test cases? out of [0-9]+ passed$/\1/p' "$result.log" | tail -1)
failed=$(sed -nE 's/^ *([0-9]+) test cases? out of [0-9]+ (failed|aborted)$/\1/p' "$result.log" |
  awk '{ n += $1 } END { print n + 0 }')
if [[ -z $passed ]]; then
  passed=$(grep -c '^passed: ' "$result.log")
  failed=$((failed + $(grep -c '^failed: ' "$result.log")))
fi
if ((status != 0 && failed == 0)); then
  failed=1
elif ((status == 0 && passed + failed == 0)); then
  passed=1
fi

echo "$passed $failed" >"$result.count"
printf '  %-18s %4d passed, %d failed  (%d s, CPU %.0f s)\n' "$(basename "$result")" "$passed" "$failed" "$SECONDS" \
  "$(awk "BEGIN { print $cpu_s }")"
if ((failed > 0)); then
  grep -E '^failed: |error: |ERROR: |Sanitizer|runtime error' "$result.log" | head -20 | cut -c1-300
  echo "  ... the end of $result.log:"
  tail -15 "$result.log" | cut -c1-300
fi
((failed == 0))
