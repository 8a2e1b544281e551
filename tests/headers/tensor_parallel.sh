#!/usr/bin/env bash
# docs/examples/tensor_parallel, built from what is installed, with its ranks in the emulator: chunks
# and what is computed of them, command lines, ranks that are missing, a machine without NCCL.
#   tensor_parallel.sh GEMMGEN BUILD EXAMPLE FLAGS CC
. "$(dirname "$0")/../cli/expect.sh"
build=$2 example=$3 flags=$4 cc=$5
meson install -C "$build" --no-rebuild --quiet --destdir "$dir/root" >log 2>&1 || { cat log; exit 1; }
pc=$(find "$dir/root" -name gemmgen.pc)
export PKG_CONFIG_PATH=${pc%/*} PKG_CONFIG_SYSROOT_DIR=$dir/root PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1
read -ra libs < <(pkg-config --cflags --libs gemmgen)
expect 0 'it compiles' "$cc" -std=c11 $flags -Wall -Wextra -Wpedantic -Werror "$example"/*.c -o tp "${libs[@]}" -ldl -lm
lib=$(dirname "$(find "$dir/root" -name libgemmgen.so)")
export LD_LIBRARY_PATH=$lib/gemmgen/emu:$lib GEMMGEN_EMU_ARCH=90
unset MASTER_ADDR MASTER_PORT RANK WORLD_SIZE LOCAL_RANK

refused() { # WORDS ARGUMENT...
  local words=$1
  shift
  expect 2 "refused: $*" ./tp "$@"
  holds "it says: $words" grep -q -- "^tensor_parallel: .*$words" err
}
refused 'there is no shape'
refused 'no option --chunk' --chunk 1 gather:8x8x8
refused '--rounds is no option, or lacks its value' --rounds
refused '"17"; numbers are from 1 to 16' --chunks 2,17 gather:8x8x8
refused 'has "x" behind a number' --chunks 2x gather:8x8x8
refused 'more than 8 numbers' --ctas 1,2,3,4,5,6,7,8,9 gather:8x8x8
refused '"17"; numbers are from 0 to 16' --pieces 17 gather:8x8x8
refused 'it is nccl or host' --transport mpi gather:8x8x8
refused 'neither gather: nor scatter:' 8x8x8
refused 'no extents MxNxK' gather:8x8
refused '0 is not from 1' scatter:8x0x8
expect 0 'help' ./tp --help

expect 1 'no NCCL' ./tp --device 0 --nccl "$dir/libnccl.so.2" gather:8x8x8
if grep -q NO_NVRTC err; then echo 'skipped: there is no NVRTC'; exit 77; fi
holds 'one line says so' grep -q '^rank 0: there is no NCCL: .*libnccl.so.2: .*; --nccl PATH names it' err
host=(--device 0 --transport host --cublaslt none)
expect 1 'what ranks cannot divide' ./tp --spawn 2 "${host[@]}" gather:8x9x8
holds 'the next extent' grep -q 'N = 9 is divided by 2 ranks; 10 is the next' err
RANK=2 WORLD_SIZE=2 expect 1 'a rank that is none' ./tp "${host[@]}" gather:8x8x8
holds 'its variable' grep -q 'RANK is "2"; it has to be from 0 to 1' err

verified() { # RANKS WAYS
  grep -q "^  verified on $1 ranks, $2 ways: .*within [01].* within [01].*[0-9]\$" out
}
# Whole tiles and others, chunks of one tile and of a few rows, every order.
expect 0 'two ranks' ./tp --spawn 2 "${host[@]}" --verify-only --chunks 1,2 --ctas 0,16 gather:512x256x128
holds 'verified' verified 2 12
expect 0 'two ranks scatter' ./tp --spawn 2 "${host[@]}" --verify-only --chunks 1,2 --ctas 0,16 scatter:512x128x256
holds 'verified' verified 2 8
expect 0 'four ranks' ./tp --spawn 4 "${host[@]}" --verify-only --ctas 0 gather:160x88x40 scatter:160x72x64
holds 'verified' verified 4 12
expect 0 'a rank alone' ./tp "${host[@]}" --verify-only --ctas 0 gather:64x64x64
holds 'verified' verified 1 5
expect 0 'it measures' ./tp --spawn 2 "${host[@]}" --chunks 2 --ctas 0 --rounds 2 --iterations 1 --tsv t.tsv \
  gather:64x64x64 scatter:64x64x64
holds 'all ways' [ "$(grep -c 'in chunks, ' out) $(grep -c 'by windows, ' out)" = '2 6' ]
holds 'a line a shape' [ "$(wc -l <t.tsv)" = 3 ]
holds 'of as many columns' awk -F '\t' 'NF != 14 { exit 1 }' t.tsv

# Processes of launchers: those of torchrun's variables and of mpirun's find each other.
export MASTER_PORT=$((20000 + $$ % 20000))
OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_RANK=1 \
  ./tp "${host[@]}" --verify-only --chunks 2 --ctas 0 gather:64x64x64 >/dev/null 2>&1 &
RANK=0 WORLD_SIZE=2 LOCAL_RANK=0 expect 0 'two launchers' ./tp "${host[@]}" --verify-only --chunks 2 --ctas 0 gather:64x64x64
holds 'verified' verified 2 6
wait $!
holds 'the other one ends well' [ $? -eq 0 ]
finish
