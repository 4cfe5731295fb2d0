#!/usr/bin/env bash
# Compiles in release configuration; the arguments go to swift build. `--product inkling` makes the program alone,
# `--build-tests` everything: tests and program share their compilation.
. "$(dirname "$0")/common.sh"

need_swift
say "swift build -c release $*"
log=.build/build.log
mkdir -p .build
# The linker warns of mktemp inside the static FoundationEssentials, which nothing here calls: the log keeps it.
if ! swift build -c release "$@" >"$log" 2>&1; then
  cat "$log" >&2
  fail "the build failed" "see the messages above; make clean, then the same command, starts from nothing"
fi
grep -E 'warning: ' "$log" | grep -v "use of .mktemp" || true
tail -n 1 "$log"
