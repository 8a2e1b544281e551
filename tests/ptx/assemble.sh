#!/usr/bin/env bash
# PTX of templates is what ptxas takes for its own target: without a warning (one says where it made
# MMAs wait for each other), without a spill. No NVRTC is asked: gen says nothing.
#   assemble.sh GEMMGEN SPEC...
set -u
gemmgen=$(realpath "$1")
shift
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bin=${CUDA_HOME:-/usr/local/cuda}/bin
[ -x "$bin/ptxas" ] || bin=$(dirname "$(command -v ptxas)") || { echo "SKIPPED: no ptxas"; exit 77; }
passed=0 failed=0

fail() {
  failed=$((failed + 1))
  echo "FAILED: $*"
}

for spec in "$@"; do
  rm -rf "$dir/k"
  "$gemmgen" gen --emit ptx "$spec" -o "$dir/k/" 2>"$dir/log" || fail "gen: $(cat "$dir/log")"
  [ -s "$dir/log" ] && fail "$spec: $(cat "$dir/log")"
  for file in "$dir"/k/*.ptx; do
    arch=$(sed -n 's/^\.target //p' "$file")
    if ! "$bin/ptxas" -v -arch="$arch" "$file" -o "$dir/k.cubin" 2>"$dir/log"; then
      fail "$(basename "$file"): $(cat "$dir/log")"
    elif grep -v '^ptxas info' "$dir/log" | grep -v ' 0 bytes spill stores, 0 bytes spill loads' | grep -q . ||
      grep -q 'C75' "$dir/log"; then
      fail "$(basename "$file"): $(cat "$dir/log")"
    else
      passed=$((passed + 1))
    fi
  done
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
