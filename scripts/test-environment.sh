#!/usr/bin/env bash
# What tests need beside the build's own tools: shells and a formatter of manual pages, which read what the program
# writes for them, and the Python packages that tests compare our own work with, into .deps/test-packages, from pinned
# wheels.
. "$(dirname "$0")/common.sh"

# On a Debian or Ubuntu whose root we are. Elsewhere the tests of a shell that is not there are not run.
missing=()
for program in zsh fish; do command -v "$program" >/dev/null 2>&1 || missing+=("$program"); done
command -v groff >/dev/null 2>&1 || missing+=(groff-base)
if [ ${#missing[@]} -gt 0 ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  say "for the tests: apt-get install ${missing[*]} (log: .deps/apt.log)"
  install=(apt-get install -y --no-install-recommends "${missing[@]}")
  { "${install[@]}" || { apt-get update && "${install[@]}"; }; } >.deps/apt.log 2>&1 </dev/null ||
    say "they could not be installed; the tests of these programs are not run"
fi

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
