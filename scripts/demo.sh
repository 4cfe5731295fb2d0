#!/usr/bin/env bash
# Shows the features with the local model: one short text in three tones, a summary, two brainstorms.
. "$(dirname "$0")/common.sh"

inkling=.build/release/inkling

text="hey, the meeting got moved to thursday cause half the team is out sick. bring the numbers if you can, thanks!"
for tone in formal exciting shorter; do
  say "inkling rephrase --tone $tone"
  printf '%s\n' "    $text"
  printf '%s\n' "$text" | "$inkling" rephrase --tone "$tone"
  echo
done

say "inkling summarize --count 2"
sed 's/^/    /' Tests/Evaluation/pitch.txt
"$inkling" summarize --count 2 Tests/Evaluation/pitch.txt
echo

topic="a lighthouse keeper who is afraid of the sea"
say "inkling brainstorm --count 2 --format markdown"
printf '%s\n' "    $topic"
"$inkling" brainstorm --count 2 --format markdown --seed 1 "$topic"
echo
say "inkling brainstorm --kind character --json"
printf '%s\n' "    $topic"
"$inkling" brainstorm --kind character --json --seed 1 "$topic"
echo
say "all of it ran on this machine; the same over JSON-RPC: .build/release/inkling serve (see README.md)"
