#!/bin/sh
# First calls of fresh processes, with an empty cache and with the kernel in it.
#
#     tests/bench/first_calls.sh BUILD/tests/bench/bench_first_call
set -eu
program=$1
cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
echo "type       M      N      K              context   kernel    first   second  (milliseconds)"
while read -r product; do
  for state in 'empty cache' 'kernel in the cache'; do
    # shellcheck disable=SC2086 # words are arguments
    line=$(GEMMGEN_CACHE=$cache "$program" $product)
    echo "$line  ($state)"
  done
done <<'END'
bf16 256 256 256
bf16 1024 1024 1024
bf16 4096 4096 4096
bf16 64 14336 4096
bf16 100 5000 3000
bf16 777 1544 2056
bf16 1000 1000 1000 unaligned
bf16 4095 4097 4090 unaligned
bf16 512 512 16384 workspace
bf16 2304 2304 16384 workspace
e4m3 4096 4096 4096
e4m3 1000 1000 1000 unaligned
tf32 4096 4096 4096
s8 4096 4096 4096
END
