#!/usr/bin/env bash
# The Python packages that tests compare our own work with, into .deps/test-packages, from pinned wheels.
. "$(dirname "$0")/common.sh"

requirements=scripts/requirements-tests.txt
packages=$deps/test-packages
stamp=$(sha256 $requirements)
if [ -x "$venv/bin/python" ] && [ "$(cat "$packages/stamp" 2>/dev/null)" = "$stamp" ]; then
  say "jsonschema is in .deps/test-packages (nothing to do)"
  exit 0
fi

ensure_tools
say "jsonschema for the tests into .deps/test-packages"
fetch $requirements --only-binary :all:
rm -rf "$packages"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps --no-index \
  --find-links "$downloads" --target "$packages" --requirement $requirements
printf '%s\n' "$stamp" >"$packages/stamp"
