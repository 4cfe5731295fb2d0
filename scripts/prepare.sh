#!/usr/bin/env bash
# Makes the copy of the default model that is fastest on this machine (inkling prepare). Takes about 20 seconds the
# first time and nothing later. Inkling works without it: what goes wrong here is said and is no failure.
. "$(dirname "$0")/common.sh"

model=$(default_model)
say "inkling prepare (the fastest form of the default model for this machine)"
.build/release/inkling prepare --model "$model" || say "no copy is used; the model works as it is"
