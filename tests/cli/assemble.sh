#!/usr/bin/env bash
# Blackwell's atoms are as ptxas has them: every load, store and copy of tensor memory assembles, with as
# many registers as its layout gives a thread; of each tcgen05.mma every target that `atoms --arch` lists it for
# takes it, and no other; wrappers of sm_100's and sm_120's own forms compile.
#   assemble.sh GEMMGEN
set -u
gemmgen=$(realpath "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bin=${CUDA_HOME:-/usr/local/cuda}/bin
[ -x "$bin/ptxas" ] || bin=$(dirname "$(command -v ptxas)") || { echo "SKIPPED: no ptxas"; exit 77; }
"$bin/ptxas" --help | grep -q sm_103a || { echo "SKIPPED: ptxas knows no sm_103a"; exit 77; }
passed=0 failed=0

fail() {
  failed=$((failed + 1))
  echo "FAILED: $*"
}

# assemble ARCH: the instructions of standard input, in a kernel.
assemble() {
  {
    printf '.version 9.0\n.target %s\n.address_size 64\n.visible .entry kernel() {\n' "$1"
    printf '.reg .b32 r<128>;\n.reg .b32 t, i;\n.reg .b64 d;\n.reg .pred p;\n'
    cat
    printf 'ret;\n}\n'
  } >"$dir/k.ptx"
  "$bin/ptxas" -arch="$1" "$dir/k.ptx" -o "$dir/k.cubin" 2>"$dir/log"
}

# A warp's bytes are 32 threads' registers of 4 bytes.
moves() {
  "$gemmgen" atoms "$1" | awk -v store="$2" 'NR > 1 && $NF ~ /^tcgen05/ {
    list = "{r0"
    for (i = 1; i < $2 / 128; i++) list = list ", r" i
    half = $NF ~ /16x32bx2/ ? ", 16" : ""
    print $NF (store ? " [t]" half ", " list "}" : " " list "}, [t]" half) ";"
  }' >"$dir/moves"
  assemble sm_100a <"$dir/moves" && passed=$((passed + $(wc -l <"$dir/moves"))) || fail "$1: $(head -3 "$dir/log")"
}
moves tcgen05.ld ""
moves tcgen05.st 1
[ "$passed" -ge 148 ] || fail "only $passed loads and stores"

for group in 1 2; do
  "$gemmgen" atoms "tcgen05.cp.cta_group::$group" | awk 'NR > 1 && $NF ~ /^tcgen05/ { print $NF " [t], d;" }' >"$dir/copies"
  [ "$(wc -l <"$dir/copies")" -eq 6 ] || fail "copies of $group CTAs are not 6"
  assemble sm_100a <"$dir/copies" && passed=$((passed + 6)) || fail "$(head -3 "$dir/log")"
done

# K of 96 (SM103) is in the descriptor, which ptxas does not see.
product() {
  local operands="[t], d, d,"
  case $1 in *mma.sp*) operands="$operands [t]," ;; esac
  operands="$operands i,"
  case $1 in *block*) operands="$operands [t], [t]," ;; esac
  echo "$1 $operands p;"
}
names() {
  "$gemmgen" atoms "$@" tcgen05.mma | awk 'NR > 1 && $1 ~ /^SM100/ { print $NF }' | sort -u
}
names >"$dir/all"
[ "$(wc -l <"$dir/all")" -ge 24 ] || fail "only $(wc -l <"$dir/all") names of tcgen05.mma"
for arch in sm_100a sm_100f sm_103a sm_103f sm_110a sm_110f; do
  names --arch $arch >"$dir/listed"
  while read -r name; do
    product "$name" | assemble $arch && takes=yes || takes=no
    grep -qxF "$name" "$dir/listed" && listed=yes || listed=no
    [ $takes = $listed ] && passed=$((passed + 1)) || fail "$arch $name: ptxas says $takes, the table $listed"
  done <"$dir/all"
done

for form in "sm_100a 256bit" "sm_120a SM120_16x8x32_TN"; do
  "$gemmgen" atoms --wrapper "${form#* }" | awk '/__device__/ { sub(/void [a-z0-9_]+/, "void f" ++n) } { print }' >"$dir/w.cu"
  if "$bin/nvcc" -std=c++17 -arch="${form% *}" -cubin "$dir/w.cu" -o "$dir/w.cubin" 2>"$dir/log"; then
    passed=$((passed + 1))
  else
    fail "wrappers of $form: $(head -3 "$dir/log")"
  fi
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
