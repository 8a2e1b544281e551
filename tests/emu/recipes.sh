#!/usr/bin/env bash
# recipes.sh GEMMGEN FOLDER: every recipe of the folder in the emulator. What `gemmgen emu NAME.json`
# prints and its exit status must be NAME.out, whose last line is the status; runs of the same
# recipe with asynchronous work at random moments end alike.
set -u
gemmgen=$(realpath "$1")
cd "$2" || exit 2
export GEMMGEN_CACHE=
failures=0
for recipe in *.json; do
  name=${recipe%.json}
  got=$("$gemmgen" emu "$recipe" 2>&1; echo "exit status $?")
  if ! diff -u "$name.out" - <<<"$got"; then
    echo "$recipe: another output than expected" >&2
    failures=$((failures + 1))
  fi
  status=${got##* }
  "$gemmgen" emu "$recipe" --emu-seed 1 >/dev/null 2>&1
  if [ $? -ne "$status" ]; then
    echo "$recipe: another exit status with --emu-seed 1" >&2
    failures=$((failures + 1))
  fi
done

# counts KERNEL DEVICE PATTERN WANT: the lines of a kernel's counters that have the pattern.
counts() {
  local got
  got=$("$gemmgen" emu --device "$2" "$1" --counters - | sed 's/^ *//' | grep -E "$3")
  [ "$got" = "$4" ] && return
  echo "$1: other counters than expected" >&2
  diff <(echo "$4") <(echo "$got") >&2
  failures=$((failures + 1))
}

# What tensor memory and its products count: 128 x 256 x 384 in two CTAs, each with its scale factors.
# Columns that are read: 2 x 4 warps load 128, 24 products take 2 x 4 of scale factors, 22 of them D's 128.
counts ../kernels/tma_tcgen05_scaled.json emu:100 'multiply-adds|kind::|tensor memory|scale factors' \
  '12582912 tensor-core multiply-adds
12582912 of them tcgen05.mma, kind::mxf8f6f4
24 tcgen05.mma, kind::mxf8f6f4
131072 bytes loaded from tensor memory
6144 bytes copied from shared memory to tensor memory
4032 columns of tensor memory read by loads and products
12 copies to tensor memory
12 of them to several 32 lanes, as scale factors are'

# 8 CTAs load 5 times 64 x 64 of A and 32 x 64 of B, half of which comes from the other of their pair.
counts ../kernels/cluster_multicast.json emu 'TMA|multicast brought' \
  '491520 bytes loaded by TMA
81920 of them not read again: multicast brought them along'
exit "$((failures > 0))"
