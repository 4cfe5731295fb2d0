#!/usr/bin/env bash
# INKLING_SYSTEM_LLAMA=1: is the libllama that pkg-config finds there, and new enough? It compiles and links a program
# that uses the newest parts of the interface that Inkling calls.
. "$(dirname "$0")/common.sh"

remedy="unset INKLING_SYSTEM_LLAMA and run make deps, which builds the pinned libllama; or install a newer one"
need pkg-config "apt-get install pkg-config (Debian, Ubuntu), brew install pkgconf (macOS)"
need_cxx
pkg-config --exists llama ||
  fail "pkg-config finds no libllama (llama.pc)" "$remedy; PKG_CONFIG_PATH names more folders"

probe=$(mktemp -d)
trap 'rm -rf "$probe"' EXIT
cat >"$probe/probe.cpp" <<'SOURCE'
#include <llama.h>
int main(int count, char **) {
  if (count < 1000) return 0;
  llama_context_params parameters = llama_context_default_params();
  parameters.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_ENABLED;
  parameters.kv_unified = true;
  parameters.swa_full = true;
  llama_model_params model_parameters = llama_model_default_params();
  llama_model * model = llama_model_load_from_file("", model_parameters);
  llama_context * context = llama_init_from_model(model, parameters);
  llama_memory_t memory = llama_get_memory(context);
  llama_memory_seq_cp(memory, 0, 1, 0, 1);
  (void) llama_memory_seq_pos_min(memory, 0);
  llama_model_quantize_params quantize = llama_model_quantize_default_params();
  return llama_model_quantize("", "", &quantize) + llama_vocab_n_tokens(llama_model_get_vocab(model));
}
SOURCE
# shellcheck disable=SC2046
if ! "${CXX:-c++}" "$probe/probe.cpp" -o "$probe/probe" $(pkg-config --cflags --libs llama) 2>"$probe/log" ||
  ! "$probe/probe" 2>>"$probe/log"; then
  tail -n 15 "$probe/log" >&2
  fail "the libllama $(pkg-config --modversion llama) that pkg-config finds is too old or cannot be linked" "$remedy"
fi
say "the system's libllama $(pkg-config --modversion llama) is used"
