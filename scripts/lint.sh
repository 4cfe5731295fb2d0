#!/usr/bin/env bash
# The formatting rules of .swift-format, then the tidy tests, which hold the rules that a formatter does not know, and
# the tests of the bench's own reckoning.
. "$(dirname "$0")/common.sh"

need_swift
say "swift format lint --strict"
swift format lint --strict --parallel -r Sources Tests Package.swift ||
  fail "the formatting rules are broken" "swift format -i -r Sources Tests Package.swift mends most of it"
scripts/test.sh --filter TidyTests
say "scripts/bench-peer.py --self-test"
scripts/bench-peer.py --self-test
say "lint: formatting and tidy tests are clean"
echo "3 passed, 0 failed"
