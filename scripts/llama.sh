# How llama.cpp is built from the pinned source distribution: sourced, behind common.sh, by deps.sh and peer.sh.

# What our libllama and the programs that it is compared with have in common.
llama_options=(
  -DCMAKE_BUILD_TYPE=Release
  -DBUILD_SHARED_LIBS=OFF
  -DCMAKE_POSITION_INDEPENDENT_CODE=ON
  -DCMAKE_INSTALL_LIBDIR=lib
  -DGGML_NATIVE=ON
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

# No AMX: ggml sets its tiles up once in a thread and then relies on them. Under some hypervisors they are lost when the
# thread moves, and the program dies of SIGILL in the middle of a step. The formats that people use do not need it.
# No AVX512-FP16: with it ggml's loops over half-precision numbers take 128 at a time and do the rest one by one. Many
# small models have heads of 64, so all of their attention would be the rest, several times slower.
llama_flags() {
  local flag flags=
  for flag in -mno-amx-tile -mno-amx-int8 -mno-amx-bf16 -mno-avx512fp16; do
    if "${CXX:-c++}" $flag -E -x c++ /dev/null >/dev/null 2>&1; then flags="$flags $flag"; fi
  done
  printf '%s' "$flags"
}

# llama_stamp OPTION...: what a build with these options depends on.
llama_stamp() {
  {
    cat scripts/requirements-llama.txt
    printf '%s\n' "$@" "$(llama_flags)"
    processor
    "${CXX:-c++}" --version
  } | sha256 -
}

# build_llama NAME PARTS OPTION...: unpacks the source (see unpack.py for PARTS), configures it, and calls
# `make_llama BUILD TARGET`, which compiles in the folder BUILD and puts what it made into TARGET, .deps/NAME.
build_llama() {
  local name=$1 parts=$2
  shift 2
  local source=$deps/$name-source build=$deps/$name-build log=.deps/$name-build.log archive flags
  ensure_tools
  PATH=$venv/bin:$PATH
  say "llama.cpp's source: $(grep == scripts/requirements-llama.txt | cut -d' ' -f1)"
  fetch scripts/requirements-llama.txt --no-binary :all: --no-build-isolation
  archive=$(echo "$downloads"/llama_cpp_python-*.tar.gz)
  rm -rf "$source" "$build" "$deps/$name"
  "$venv/bin/python" scripts/unpack.py "$parts" "$archive" "$source"

  say "compiling it (a few minutes on two cores; log: $log)"
  # The source lies inside this repository's folder: without the ceiling its build would read our git history. The
  # prefix maps keep this machine's paths out of the messages of ggml's assertions.
  export GIT_CEILING_DIRECTORIES=$deps
  flags="-ffile-prefix-map=$source=llama.cpp $(llama_flags)"
  {
    cmake -S "$source" -B "$build" -G Ninja -DCMAKE_INSTALL_PREFIX="$deps/$name" \
      -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" "$@" &&
      make_llama "$build" "$deps/$name"
  } >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    fail "llama.cpp did not build" "read $log; make distclean and make deps start from nothing"
  }
  rm -rf "$build" "$source"
  llama_stamp "$@" >"$deps/$name/stamp"
}
