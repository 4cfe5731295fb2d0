#!/usr/bin/env bash
# Rephrases one short text in three tones with the local model, streamed as it is written.
. "$(dirname "$0")/common.sh"

text="hey, the meeting got moved to thursday cause half the team is out sick. bring the numbers if you can, thanks!"
for tone in formal exciting shorter; do
  say "inkling rephrase --tone $tone"
  printf '%s\n' "    $text"
  printf '%s\n' "$text" | .build/release/inkling rephrase --tone "$tone"
  echo
done
say "all of it ran on this machine; the same over JSON-RPC: .build/release/inkling serve (see README.md)"
