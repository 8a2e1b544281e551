#!/usr/bin/env bash
# gemmgen.hpp as it is installed: by each C++ compiler that is there, as C++17 and C++20, with and
# without exceptions, without a warning; use.cpp and the example run in the emulator.
#   cpp.sh BUILD SOURCE FLAGS CXX...
set -u
build=$1 source=$2 flags=$3
shift 3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

meson install -C "$build" --no-rebuild --quiet --destdir "$dir/root" >"$dir/log" 2>&1 ||
  { cat "$dir/log"; exit 1; }
pc=$(find "$dir/root" -name gemmgen.pc)
export PKG_CONFIG_PATH=${pc%/*} PKG_CONFIG_SYSROOT_DIR=$dir/root PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1
read -ra cflags < <(pkg-config --cflags gemmgen)
read -ra libs < <(pkg-config --libs gemmgen)
warnings=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)

# try NAME COMMAND...: says what failed, with the beginning of what it printed.
try() {
  local name=$1
  shift
  "$@" >"$dir/log" 2>&1 && return
  failed=$((failed + 1))
  echo "FAILED: $name"
  head -n 12 "$dir/log"
}

export LD_LIBRARY_PATH=${libs[0]#-L}
for cxx in "$@"; do
  for std in c++17 c++20; do
    for exceptions in -fexceptions -fno-exceptions; do
      name="use.cpp, $cxx -std=$std $exceptions"
      try "$name" "$cxx" -std=$std $exceptions $flags "${warnings[@]}" "${cflags[@]}" \
        "$source/tests/headers/use.cpp" "${libs[@]}" -o "$dir/use"
      try "$name runs" "$dir/use"
      rm -f "$dir/use"
    done
    try "the example, $cxx -std=$std" "$cxx" -std=$std $flags "${warnings[@]}" "${cflags[@]}" \
      "$source/docs/examples/gemm.cpp" "${libs[@]}" -o "$dir/gemm"
    try "the example runs" "$dir/gemm"
    grep -q '^60000 of 60000 elements are right$' "$dir/log" || try 'the example is right' false
    rm -f "$dir/gemm"
  done
done
exit $((failed > 0))
