#!/usr/bin/env bash
# Every shipped kernel compiles under nvcc and NVRTC alike, without an include path, without a
# warning, without a spill, for its own target, with as many CTAs a multiprocessor as the banner says;
# the first, unless that target is of one architecture alone, also for every newer one.
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

# occupancy FILE ARCH REGISTERS: how many CTAs a multiprocessor holds is what the banner says, where
# a thread takes as many registers as it says, or less; else it holds fewer.
occupancy() {
  awk -v arch="${2//[!0-9]/}" -v taken="$3" '
    BEGIN { smem[80] = 164; smem[86] = smem[89] = smem[120] = smem[121] = 100; smem[90] = smem[100] = smem[103] = smem[110] = 228 }
    /^\/\/   (launch|cost)$/ { section = $2 }
    $2 == "threads" && section == "launch" { warps = $3 / 32 }
    $2 == "total" { bytes = $3 + 1024 }
    $2 == "ctas_per_sm" && section == "cost" { said = $3; most = / if a thread / ? $(NF - 1) : 255 }
    function least(a, b) { return a < b ? a : b }
    END {
      a_warp = int((taken + 7) / 8) * 8 * 32
      held = least(int(65536 / 4 / a_warp) * 4 / warps, (arch == 86 || arch == 89 || arch >= 110 ? 48 : 64) / warps)
      held = int(least(held, smem[arch] * 1024 / bytes))
      if (said < 1 || held > said || (held < said && taken <= most))
        print "ctas_per_sm " said ", with " taken " registers " held
    }' "$1"
}

# assemble FILE ARCH: nvcc's cubin, its warnings errors, ptxas's report without a spill.
assemble() {
  local report wrong
  if ! report=$(cd / && "$nvcc" -std=c++17 -arch="$2" -cubin -Werror all-warnings -Xptxas -v \
                  "$1" -o "$dir/out.cubin" 2>&1); then
    fail "nvcc -arch=$2 $(basename "$1"): $report"
  elif ! grep -q ' 0 bytes spill stores, 0 bytes spill loads' <<<"$report"; then
    fail "spills: $(basename "$1"): $(grep spill <<<"$report")"
  else
    passed=$((passed + 1))
    [ "$2" = "${3-}" ] || return
    wrong=$(occupancy "$1" "$2" "$(grep -o 'Used [0-9]* registers' <<<"$report" | sort -k2rn | head -1 | cut -d' ' -f2)")
    [ -z "$wrong" ] || fail "$(basename "$1"): $wrong"
  fi
}

"$gemmgen" gen --emit cu,cubin "$specs"/*.yaml -o "$dir/k/" 2>"$dir/log" || fail "gen: $(cat "$dir/log")"
[ -s "$dir/log" ] && fail "NVRTC warns: $(cat "$dir/log")"
for file in "$dir"/k/*.cu; do
  arch=$(sed -n 's/^\/\/ By hand: .*-arch=\([^ ]*\).*/\1/p' "$file")
  assemble "$file" "$arch" "$arch"
  [ -s "${file%.cu}.cubin" ] || fail "NVRTC made no cubin of $(basename "$file")"
  awk -v f="$(basename "$file")" 'length($0) > 100 { print f": line "NR" has "length($0)" columns"; bad = 1 }
    END { exit bad }' "$file" || fail "long lines"
done
# One that is for every architecture is assembled for newer ones, too.
first=$(grep -l '^// By hand: .*-arch=sm_80 ' "$dir"/k/*.cu | head -1 || true)
if [ -n "$first" ]; then
  for arch in sm_86 sm_89 sm_90a sm_100a sm_120a; do assemble "$first" "$arch"; done
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
