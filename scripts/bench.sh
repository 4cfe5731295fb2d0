#!/usr/bin/env bash
# The measurements: the program inkling-bench, then every scripts/bench-* in the order of their names. Arguments go to
# inkling-bench.
. "$(dirname "$0")/common.sh"

scripts/build.sh
say "inkling-bench $*"
.build/release/inkling-bench "$@"
for measurement in scripts/bench-*; do
  [ -x "$measurement" ] || continue
  say "$measurement"
  "$measurement"
done
