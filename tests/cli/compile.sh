#!/usr/bin/env bash
# Every shipped kernel compiles under nvcc and NVRTC alike, without an include path, without a
# warning, without a spill, for its own target; the first, unless that target is of one architecture
# alone, also for every newer one.
#   compile.sh GEMMGEN SPEC_FOLDER
set -u
gemmgen=$(realpath "$1") specs=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export GEMMGEN_CACHE=$dir/cache
nvcc=${CUDA_HOME:-/usr/local/cuda}/bin/nvcc
[ -x "$nvcc" ] || nvcc=$(command -v nvcc) || { echo "SKIPPED: no nvcc"; exit 77; }
passed=0 failed=0

fail() {
  failed=$((failed + 1))
  echo "FAILED: $*"
}

# assemble FILE ARCH: nvcc's cubin, its warnings errors, ptxas's report without a spill.
assemble() {
  local report
  if ! report=$(cd / && "$nvcc" -std=c++17 -arch="$2" -cubin -Werror all-warnings -Xptxas -v \
                  "$1" -o "$dir/out.cubin" 2>&1); then
    fail "nvcc -arch=$2 $(basename "$1"): $report"
  elif ! grep -q ' 0 bytes spill stores, 0 bytes spill loads' <<<"$report"; then
    fail "spills: $(basename "$1"): $(grep spill <<<"$report")"
  else
    passed=$((passed + 1))
  fi
}

"$gemmgen" gen --emit cu,cubin "$specs"/*.yaml -o "$dir/k/" 2>"$dir/log" || fail "gen: $(cat "$dir/log")"
[ -s "$dir/log" ] && fail "NVRTC warns: $(cat "$dir/log")"
for file in "$dir"/k/*.cu; do
  arch=$(sed -n 's/^\/\/ By hand: .*-arch=\([^ ]*\).*/\1/p' "$file")
  assemble "$file" "$arch"
  [ -s "${file%.cu}.cubin" ] || fail "NVRTC made no cubin of $(basename "$file")"
  awk -v f="$(basename "$file")" 'length($0) > 100 { print f": line "NR" has "length($0)" columns"; bad = 1 }
    END { exit bad }' "$file" || fail "long lines"
done
kernels=("$dir"/k/*.cu)
case $(sed -n 's/^\/\/ By hand: .*-arch=\([^ ]*\).*/\1/p' "${kernels[0]}") in
  *[af]) ;;
  *) for arch in sm_86 sm_89 sm_90a sm_100a sm_120a; do assemble "${kernels[0]}" "$arch"; done ;;
esac

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
