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

# What tensor memory and its products count: 128 x 256 x 384 in two CTAs, each with its scale factors.
# Columns that are read: 2 x 4 warps load 128, 24 products take 2 x 4 of scale factors, 22 of them D's 128.
kernel=../kernels/tma_tcgen05_scaled.json
want='12582912 tensor-core multiply-adds
12582912 of them tcgen05.mma, kind::mxf8f6f4
24 tcgen05.mma, kind::mxf8f6f4
131072 bytes loaded from tensor memory
6144 bytes copied from shared memory to tensor memory
4032 columns of tensor memory read by loads and products
12 copies to tensor memory
12 of them to several 32 lanes, as scale factors are'
got=$("$gemmgen" emu --device emu:100 "$kernel" --counters - | sed 's/^ *//' | grep -E 'multiply-adds|kind::|tensor memory|scale factors')
if [ "$got" != "$want" ]; then
  echo "$kernel: other counters than expected" >&2
  diff <(echo "$want") <(echo "$got") >&2
  failures=$((failures + 1))
fi
exit "$((failures > 0))"
