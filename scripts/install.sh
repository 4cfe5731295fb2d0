#!/usr/bin/env bash
# install.sh PREFIX: puts the built program into PREFIX/bin, without its symbols. The model stays where `make model`
# has put it, in the home of whoever builds.
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
say "every user needs a model in ~/.local/share/inkling/models (make model); inkling doctor checks"
