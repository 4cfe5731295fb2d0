#!/usr/bin/env bash
# Runs the tests that scripts/build.sh --build-tests made. Without arguments every test target, one after another: each
# has the machine to itself, so that the deadlines of one are not missed because another computes. With arguments one
# run, and they go to swift test. The last line is `N passed, N failed`. A run that ends without a report (a crash)
# counts as one failure. What failed is named again above the last line, as `failed: Suite/test: why`.
. "$(dirname "$0")/common.sh"

need_swift
passed=0 failed=0 skipped=0
failures=()

# The failed tests of the reports given, a line each.
failed_tests() {
  awk '
    function attribute(name, value) {
      value = $0
      if (!sub(".* " name "=\"", "", value)) return ""
      sub("\".*", "", value)
      gsub("&quot;", "\"", value); gsub("&apos;", "\047", value); gsub("&#10;", " ", value)
      gsub("&lt;", "<", value); gsub("&gt;", ">", value); gsub("&amp;", "\\&", value)
      return value
    }
    /<testcase/ { test = attribute("classname") "/" attribute("name"); told = 0 }
    /<failure/ && !told { print "failed: " test ": " attribute("message"); told = 1 }' "$@"
}

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
  while IFS= read -r line; do failures+=("$line"); done < <(failed_tests $report*.xml 2>/dev/null)
  if [ "$((counts[0] + counts[1]))" -eq 0 ] || { [ $status -ne 0 ] && [ "${counts[1]}" -eq 0 ]; }; then
    failures+=("failed: swift test $*: it ended without a report (status $status)")
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
# The form is for the bash of macOS, to which an empty list is an unset one.
if [ "$failed" -gt 0 ]; then printf '%s\n' ${failures[@]+"${failures[@]}"}; fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
