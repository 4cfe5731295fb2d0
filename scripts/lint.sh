#!/usr/bin/env bash
# The formatting rules of .swift-format, then the tidy tests, which hold the rules that a formatter does not know.
. "$(dirname "$0")/common.sh"

need_swift
say "swift format lint --strict"
swift format lint --strict --parallel -r Sources Tests Package.swift ||
  fail "the formatting rules are broken" "swift format -i -r Sources Tests Package.swift mends most of it"
scripts/test.sh --filter TidyTests
say "lint: formatting and tidy tests are clean"
echo "2 passed, 0 failed"
