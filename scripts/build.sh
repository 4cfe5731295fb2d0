#!/usr/bin/env bash
# Compiles in release configuration; the arguments go to swift build. `--product inkling` makes the program alone,
# `--build-tests` everything: tests and program share their compilation.
. "$(dirname "$0")/common.sh"

need_swift
say "swift build -c release $*"
log=.build/build.log
mkdir -p .build
# SwiftPM does not see that a library it was told to link has been built anew: then everything is compiled again.
library=$(cat .deps/llama/stamp 2>/dev/null || true)
if [ "${INKLING_SYSTEM_LLAMA:-}" = 1 ]; then library="system $(pkg-config --modversion llama)"; fi
if [ -e .build/library ] && [ "$(cat .build/library)" != "$library" ]; then
  say "libllama has changed since the last build"
  rm -rf .build/release .build/*/release
fi
printf '%s\n' "$library" >.build/library
# The linker warns of mktemp inside the static FoundationEssentials, which nothing here calls: the log keeps it.
if ! swift build -c release "$@" >"$log" 2>&1; then
  cat "$log" >&2
  fail "the build failed" "see the messages above; make clean, then the same command, starts from nothing"
fi
grep -E 'warning: ' "$log" | grep -v "use of .mktemp" || true
tail -n 1 "$log"
