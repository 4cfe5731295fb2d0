#!/usr/bin/env bash
# Builds the programs that `make bench-peer` compares ours with, llama-server, llama-bench and llama-batched-bench, into
# .deps/peer: from the same source and with the same compiler flags as our libllama. OpenMP is on, as it is by
# llama.cpp's own default. What needs the network or a browser is left out: HTTPS and the web page.
. "$(dirname "$0")/common.sh"
. scripts/llama.sh

need_cxx
programs=(llama-server llama-bench llama-batched-bench)
options=(
  "${llama_options[@]}"
  -DGGML_OPENMP=ON
  -DGGML_RPC=OFF
  -DLLAMA_BUILD_TESTS=OFF
  -DLLAMA_BUILD_EXAMPLES=OFF
  -DLLAMA_BUILD_APP=OFF
  -DLLAMA_BUILD_IS_DEV=OFF
  -DLLAMA_BUILD_UI=OFF
  -DLLAMA_USE_PREBUILT_UI=OFF
  -DLLAMA_OPENSSL=OFF
)

if [ "$(cat .deps/peer/stamp 2>/dev/null)" = "$(llama_stamp "${options[@]}")" ]; then
  say "llama-server is in .deps/peer (nothing to do)"
  exit 0
fi

make_llama() {
  cmake --build "$1" --parallel "$(getconf _NPROCESSORS_ONLN)" --target "${programs[@]}" || return
  mkdir -p "$2"
  local program
  for program in "${programs[@]}"; do cp "$1/bin/$program" "$2/" || return; done
}

build_llama peer programs "${options[@]}"
say "llama-server is in .deps/peer"
