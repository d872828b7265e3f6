#!/usr/bin/env bash
# Many jobs of four ranks, one of which comes late to its end, one after the other:
#
#     many_ends.sh TIMES AMITY LAUNCHER PROGRAM
set -uo pipefail
times=$1 amity=$2 launcher=$3 program=$4
for ((i = 1; i <= times; ++i)); do
  output=$(timeout 30 "$amity" run -n 4 --launcher "$launcher" -- "$program" late 2>&1)
  if (($? != 0 || $(grep -c late <<<"$output") != 4)); then
    printf '%s\n%d of %d: it failed\n' "$output" "$i" "$times"
    exit 1
  fi
done
echo ok
