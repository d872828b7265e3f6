#!/usr/bin/env bash
# Records what the monitor sees of each program, here and now, as tests/traces/<program>_MACHINE.trace:
#
#     tests/traces/record.sh near              # MACHINE: near, far, busy, sixteen, as README.md has them
#
# Needs a release build. `busy`: a process that wants a core must run beside it.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")"
machine=$1
root=$PWD/../..
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

for program in computes spins sleeps; do gcc -O2 -fopenmp "$program.c" -o "$made/$program"; done
g++ -std=c++20 -O2 -I"$root" tasks.cpp -o "$made/tasks" -L"$root/build/lib" -lamity -Wl,-rpath,"$root/build/lib" -pthread

for program in computes spins sleeps tasks; do
  export AMITY_TEST_MONITOR_TRACE="$PWD/${program}_$machine.trace"
  timeout 60 "$root/build/bin/amity" run -- "$made/$program"
  sed -i "$ { /[^0-9]$/d }" "$AMITY_TEST_MONITOR_TRACE" # the last line may be half a one
  head -n 4000 "$AMITY_TEST_MONITOR_TRACE" >"$made/first" && cp "$made/first" "$AMITY_TEST_MONITOR_TRACE"
  wc -l "$AMITY_TEST_MONITOR_TRACE"
done
