#!/usr/bin/env bash
# Builds libllama into .deps/llama from the pinned source distribution, as static libraries tuned to this machine.
# With INKLING_SYSTEM_LLAMA=1 it builds nothing and checks the libllama that pkg-config finds. SQLite's library is the
# system's.
. "$(dirname "$0")/common.sh"

need_cxx
need_sqlite

if [ "${INKLING_SYSTEM_LLAMA:-}" = 1 ]; then
  exec scripts/check-system-llama.sh
fi

options=(
  -DCMAKE_BUILD_TYPE=Release
  -DBUILD_SHARED_LIBS=OFF
  -DCMAKE_POSITION_INDEPENDENT_CODE=ON
  -DCMAKE_INSTALL_LIBDIR=lib
  -DGGML_NATIVE=ON
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

# GGML_NATIVE makes libraries for this processor alone: another processor, or another compiler, means a new build.
processor() {
  uname -sm
  if [ -r /proc/cpuinfo ]; then
    grep -m1 -E '^model name|^CPU part' /proc/cpuinfo || true
    grep -m1 -E '^flags|^Features' /proc/cpuinfo || true
  else
    sysctl -n machdep.cpu.brand_string
  fi
}

cxx=${CXX:-c++}

# No AMX: ggml sets its tiles up once in a thread and then relies on them. Under some hypervisors they are lost when the
# thread moves, and the program dies of SIGILL in the middle of a step. The formats that people use do not need it.
# No AVX512-FP16: with it ggml's loops over half-precision numbers take 128 at a time and do the rest one by one. Many
# small models have heads of 64, so all of their attention would be the rest, several times slower.
flags=
for flag in -mno-amx-tile -mno-amx-int8 -mno-amx-bf16 -mno-avx512fp16; do
  if "$cxx" $flag -E -x c++ /dev/null >/dev/null 2>&1; then flags="$flags $flag"; fi
done

stamp=$({
  cat scripts/requirements-llama.txt
  printf '%s\n' "${options[@]}" "$flags"
  processor
  "$cxx" --version
} | sha256 -)

if [ "$(cat .deps/llama/stamp 2>/dev/null)" = "$stamp" ]; then
  say "libllama is in .deps/llama (nothing to do)"
  exit 0
fi

ensure_tools
PATH=$venv/bin:$PATH

say "libllama's source: $(grep == scripts/requirements-llama.txt | cut -d' ' -f1)"
fetch scripts/requirements-llama.txt --no-binary :all: --no-build-isolation
archive=$(echo "$downloads"/llama_cpp_python-*.tar.gz)
source=$deps/llama-source
build=$deps/llama-build
rm -rf "$source" "$build" "$deps/llama"
"$venv/bin/python" scripts/unpack.py source "$archive" "$source"

say "building libllama (two to four minutes on two cores; log: .deps/llama-build.log)"
# The source lies inside this repository's folder: without the ceiling its build would read our git history. The prefix
# maps keep this machine's paths out of the messages of ggml's assertions.
export GIT_CEILING_DIRECTORIES=$deps
flags="-ffile-prefix-map=$source=llama.cpp $flags"
{
  cmake -S "$source" -B "$build" -G Ninja -DCMAKE_INSTALL_PREFIX="$deps/llama" \
    -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" "${options[@]}" &&
    cmake --build "$build" --parallel "$(getconf _NPROCESSORS_ONLN)" &&
    cmake --install "$build"
} >.deps/llama-build.log 2>&1 || {
  tail -n 20 .deps/llama-build.log >&2
  fail "libllama did not build" "read .deps/llama-build.log; make distclean and make deps start from nothing"
}
rm -rf "$build" "$source"
printf '%s\n' "$stamp" >.deps/llama/stamp
say "libllama is in .deps/llama"
