#!/usr/bin/env bash
# Shows the features with the local model: a short text in three tones, a summary, two brainstorms, a value by a schema.
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
schema='{"type": "object", "properties": {"place": {"type": "string", "maxLength": 20},
  "day": {"enum": ["Thursday", "Friday"]}}, "required": ["place", "day"], "additionalProperties": false}'
say "inkling generate --schema SCHEMA (a place, and Thursday or Friday)"
printf '%s\n' "    $text"
"$inkling" generate --schema <(printf '%s' "$schema") "$text"
echo
say "all of it ran on this machine; the same over JSON-RPC: .build/release/inkling serve (see README.md)"
