#!/usr/bin/env bash
# A program of several processes where /dev/shm has room for next to nothing, as in some containers: in a mount namespace
# of its own. Needs root; 77: skipped.
#
#   small_shm.sh AMITY LAUNCHER PROGRAM
set -eu
if [[ ${IN_NAMESPACE-} != yes ]]; then
  unshare --mount true 2>/dev/null || { echo "skipped: it takes root to make a mount namespace"; exit 77; }
  IN_NAMESPACE=yes exec unshare --mount -- "$0" "$@"
fi
mount -t tmpfs -o size=1m tmpfs /dev/shm || { echo "skipped: nothing can be mounted here"; exit 77; }
output=$("$1" run -n 3 --launcher "$2" -- "$3" 2>&1) || { echo "$output"; exit 1; }
[[ $output == ok ]] || { echo "more than 'ok': $output"; exit 1; }
