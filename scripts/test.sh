#!/usr/bin/env bash
# Runs the tests that scripts/build.sh --build-tests made. Without arguments every test target, one after another: each
# has the machine to itself, so that the deadlines of one are not missed because another computes. With arguments one
# run, and they go to swift test. The last line is `N passed, N failed`. A run that ends without a report (a crash)
# counts as one failure.
. "$(dirname "$0")/common.sh"

need_swift
passed=0 failed=0 skipped=0

# run ARGUMENT...: one swift test run; adds its numbers.
run() {
  local report=.build/tests status=0 counts
  say "swift test $*"
  rm -f $report*.xml
  swift test -c release --skip-build --disable-xctest --xunit-output $report.xml "$@" || status=$?
  # A test with several issues is one failed test; a skipped one has not passed.
  read -r -a counts < <(cat $report*.xml 2>/dev/null | awk '
    /<testcase/ { tests++; failure = 0; skip = 0 }
    /<failure/ && !failure { failed++; failure = 1 }
    /<skipped/ && !skip { skipped++; skip = 1 }
    END { print tests - failed - skipped, failed + 0, skipped + 0 }')
  if [ "$((counts[0] + counts[1]))" -eq 0 ] || { [ $status -ne 0 ] && [ "${counts[1]}" -eq 0 ]; }; then
    echo "swift test $* ended without a report (status $status)"
    failed=$((failed + 1))
  fi
  passed=$((passed + counts[0])) failed=$((failed + counts[1])) skipped=$((skipped + counts[2]))
}

if [ $# -gt 0 ]; then
  run "$@"
else
  for folder in Tests/*Tests; do run --filter "^${folder#Tests/}\\."; done
fi
if [ "$skipped" -gt 0 ]; then echo "$skipped skipped (their names are above)"; fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
