#!/usr/bin/env bash
# Has the tests rewrite their golden files and generated parts of documents, runs them once more to see that these now
# agree, and shows what changed.
. "$(dirname "$0")/common.sh"

INKLING_UPDATE_GOLDEN=1 scripts/test.sh || say "some tests failed while rewriting; they run once more"
scripts/test.sh
say "what changed:"
git --no-pager diff --stat
git ls-files --others --exclude-standard
