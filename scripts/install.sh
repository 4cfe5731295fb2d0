#!/usr/bin/env bash
# install.sh PREFIX: puts the built program into PREFIX/bin, without its symbols, and its manual page and the shells'
# completions where they are looked for. The model stays where `make model` has put it, in the home of whoever builds.
. "$(dirname "$0")/common.sh"

prefix=${1:?the prefix is missing}
mkdir -p "$prefix/bin" 2>/dev/null && [ -w "$prefix/bin" ] ||
  fail "$prefix/bin is not writable" "make install PREFIX=\$HOME/.local, or sudo make install"
# Written aside and renamed: a running daemon keeps the file that it was started from.
aside=$prefix/bin/.inkling.$$
trap 'rm -f "$aside"' EXIT
cp .build/release/inkling "$aside"
strip "$aside" 2>/dev/null || true
chmod 755 "$aside"
mv -f "$aside" "$prefix/bin/inkling"
say "installed $prefix/bin/inkling"

# written NAME ARGUMENT...: what the program writes, into PREFIX/NAME.
written() {
  local file=$prefix/$1
  shift
  mkdir -p "$(dirname "$file")"
  "$prefix/bin/inkling" "$@" >"$file"
  say "installed $file"
}

written share/man/man1/inkling.1 man
written share/bash-completion/completions/inkling completions bash
written share/zsh/site-functions/_inkling completions zsh
written share/fish/vendor_completions.d/inkling.fish completions fish
say "every user needs a model in ~/.local/share/inkling/models (make model); inkling doctor checks"
