#!/usr/bin/env bash
# The measurements: the program inkling-bench, then every scripts/bench-* in the order of their names. Arguments go to
# inkling-bench. Each comparison is made of three pairs, to be done sooner; of five with BENCH_ALL=1, or as BENCH_PAIRS
# says. What compares with another program has a target of its own, make bench-peer.
. "$(dirname "$0")/common.sh"

[ "${BENCH_ALL:-}" = 1 ] || export BENCH_PAIRS=${BENCH_PAIRS:-3}
scripts/build.sh
say "inkling-bench $*"
.build/release/inkling-bench "$@"
for measurement in scripts/bench-*; do
  if [ ! -x "$measurement" ] || [ "$measurement" = scripts/bench-peer.py ]; then continue; fi
  say "$measurement"
  start=$SECONDS
  "$measurement"
  say "$measurement took $((SECONDS - start)) s"
done
