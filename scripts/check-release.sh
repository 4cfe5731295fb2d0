#!/usr/bin/env bash
# Checks that the release program stands alone: it needs only libraries of the system, and a copy of it in another
# folder, with an empty home and nearly no environment, starts and rephrases a text. Prints one line per check, then
# `N passed, N failed`.
. "$(dirname "$0")/common.sh"

binary=.build/release/inkling
[ -x $binary ] || fail "$binary is missing" "make build"
elsewhere=$(mktemp -d)
trap 'rm -rf "$elsewhere"' EXIT
passed=0 failed=0

# check NAME COMMAND...: runs the command; its output is shown when it fails.
check() {
  local name=$1
  shift
  if "$@" >"$elsewhere/log" 2>&1; then
    passed=$((passed + 1))
    echo "ok: $name"
  else
    failed=$((failed + 1))
    echo "FAILED: $name"
    sed 's/^/    /' "$elsewhere/log"
  fi
}

only_system_libraries() {
  if [ "$(uname)" = Darwin ]; then
    # The first line names the file itself.
    ! otool -L $binary | tail -n +2 | grep -v -E '^[[:space:]]*(/usr/lib/|/System/)'
    return
  fi
  local allowed='linux-vdso|ld-linux[a-z0-9-]*|libc|libm|libstdc\+\+|libgcc_s|libpthread|libdl|librt'
  if [ "${INKLING_SYSTEM_LLAMA:-}" = 1 ]; then allowed="$allowed|libllama|libggml[a-z-]*|libgomp"; fi
  ldd $binary || return
  ! ldd $binary | awk '{ print $1 }' | sed 's|.*/||' | grep -v -E "^($allowed)\.so(\.|$)"
}

# A search path that names a folder of this machine would make the copy depend on it.
no_foreign_search_path() {
  [ "$(uname)" = Darwin ] && return
  readelf -d $binary | grep -E 'R(UN)?PATH' || true
  ! readelf -d $binary | grep -E 'R(UN)?PATH' | grep -v '\[\$ORIGIN\]'
}

elsewhere() { env -i HOME="$elsewhere/home" PATH=/usr/bin:/bin "$elsewhere/bin/inkling" "$@"; }

starts_elsewhere() { elsewhere --version | grep -E 'inkling [0-9]'; }

rephrases_elsewhere() {
  local result
  result=$(echo "the meeting is moved to thursday, bring the numbers" |
    elsewhere rephrase --tone formal --model "$model") && [ -n "$result" ] && echo "$result"
}

mkdir -p "$elsewhere/bin" "$elsewhere/home"
cp $binary "$elsewhere/bin/inkling"
model=$(scripts/model.sh | sed -n 's/.*in place: //p')

check "links system libraries only" only_system_libraries
check "has no search path of this machine" no_foreign_search_path
check "a copy in another folder starts" starts_elsewhere
check "a copy in another folder rephrases a text" rephrases_elsewhere
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
