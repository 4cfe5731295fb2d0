#!/usr/bin/env bash
# What tests need beside the build's own tools: shells and a formatter of manual pages, which read what the program
# writes for them, editors with a client for language servers, and the Python packages that tests compare our own work
# with or make models with, into .deps/test-packages, from pinned wheels.
. "$(dirname "$0")/common.sh"

# install PACKAGE...: on a Debian or Ubuntu whose root we are. Elsewhere the tests of a missing program are not run.
install() {
  [ $# -gt 0 ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 || return 0
  say "for the tests: apt-get install $* (log: .deps/apt.log)"
  local install=(apt-get install -y --no-install-recommends "$@")
  { "${install[@]}" || { apt-get update && "${install[@]}"; }; } >.deps/apt.log 2>&1 </dev/null ||
    say "they could not be installed; the tests of these programs are not run"
}

missing=()
for program in zsh fish; do command -v "$program" >/dev/null 2>&1 || missing+=("$program"); done
command -v groff >/dev/null 2>&1 || missing+=(groff-base)
command -v nvim >/dev/null 2>&1 || missing+=(neovim)
command -v emacs >/dev/null 2>&1 || missing+=(emacs-nox)
# A small Vim has no channels.
vim --version 2>/dev/null | grep -q '+channel' || missing+=(vim)
# Node is what runs the tests of the extension for VS Code.
node --version >/dev/null 2>&1 || missing+=(nodejs)
command -v kak >/dev/null 2>&1 || missing+=(kakoune)
install ${missing[@]+"${missing[@]}"}
# Emacs has Eglot from version 29 on; before, it is a package.
if command -v emacs >/dev/null 2>&1; then
  emacs --batch --no-init-file --eval "(require 'eglot)" >/dev/null 2>&1 || install elpa-eglot
fi

requirements=scripts/requirements-tests.txt
packages=$deps/test-packages
stamp=$(sha256 $requirements)
if [ -x "$venv/bin/python" ] && [ "$(cat "$packages/stamp" 2>/dev/null)" = "$stamp" ]; then
  say "jsonschema, pytest-lsp and gguf are in .deps/test-packages (nothing to do)"
  exit 0
fi

ensure_tools
say "jsonschema, pytest-lsp and gguf for the tests into .deps/test-packages"
fetch $requirements --only-binary :all:
rm -rf "$packages"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps --no-index \
  --find-links "$downloads" --target "$packages" --requirement $requirements
printf '%s\n' "$stamp" >"$packages/stamp"
