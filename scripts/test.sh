#!/usr/bin/env bash
# Runs the tests that scripts/build.sh --build-tests made; the arguments go to swift test. The last line is
# `N passed, N failed`. A run that ends without a report (a crash) counts as one failure.
. "$(dirname "$0")/common.sh"

need_swift
say "swift test $*"
report=.build/tests
rm -f $report*.xml
status=0
swift test -c release --skip-build --disable-xctest --xunit-output $report.xml "$@" || status=$?

# A test with several issues is one failed test; a skipped one has not passed.
read -r passed failed skipped < <(cat $report*.xml 2>/dev/null | awk '
  /<testcase/ { tests++; failure = 0; skip = 0 }
  /<failure/ && !failure { failed++; failure = 1 }
  /<skipped/ && !skip { skipped++; skip = 1 }
  END { print tests - failed - skipped, failed + 0, skipped + 0 }')
if [ "$((passed + failed))" -eq 0 ] || { [ $status -ne 0 ] && [ "$failed" -eq 0 ]; }; then
  echo "the tests ended without a report (status $status)"
  failed=$((failed + 1))
fi
if [ "$skipped" -gt 0 ]; then echo "$skipped skipped (their names are above)"; fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
