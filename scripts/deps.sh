#!/usr/bin/env bash
# Builds libllama into .deps/llama from the pinned source distribution, as static libraries tuned to this machine.
# With INKLING_SYSTEM_LLAMA=1 it builds nothing and checks the libllama that pkg-config finds. SQLite's library is the
# system's.
. "$(dirname "$0")/common.sh"
. scripts/llama.sh

need_cxx
need_sqlite

if [ "${INKLING_SYSTEM_LLAMA:-}" = 1 ]; then
  exec scripts/check-system-llama.sh
fi

options=(
  "${llama_options[@]}"
  -DGGML_OPENMP=OFF
  -DGGML_RPC=OFF
  -DLLAMA_BUILD_COMMON=OFF
  -DLLAMA_BUILD_TESTS=OFF
  -DLLAMA_BUILD_EXAMPLES=OFF
  -DLLAMA_BUILD_TOOLS=OFF
  -DLLAMA_BUILD_SERVER=OFF
  -DLLAMA_BUILD_APP=OFF
  -DLLAMA_BUILD_IS_DEV=OFF
)

if [ "$(cat .deps/llama/stamp 2>/dev/null)" = "$(llama_stamp "${options[@]}")" ]; then
  say "libllama is in .deps/llama (nothing to do)"
  exit 0
fi

make_llama() {
  cmake --build "$1" --parallel "$(getconf _NPROCESSORS_ONLN)" && cmake --install "$1"
}

build_llama llama library "${options[@]}"
say "libllama is in .deps/llama"
