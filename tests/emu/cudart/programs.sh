#!/usr/bin/env bash
# Programs that use the CUDA runtime, compiled by nvcc as users do, run on the emulator.
#   programs.sh FOLDER_OF_LIBCUDART PROGRAM.cu GEMMGEN
set -u
source=$2
nvcc=$(command -v nvcc || true)
for dir in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda; do
  [ -z "$nvcc" ] && [ -n "$dir" ] && [ -x "$dir/bin/nvcc" ] && nvcc=$dir/bin/nvcc
done
[ -n "$nvcc" ] || { echo "no nvcc: skipped"; exit 77; }
"$nvcc" --version | grep -q 'release 1[23]' || { echo "nvcc is not of CUDA 12 or 13: skipped"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "$*"; failed=1; }
build() { "$nvcc" -cudart shared "${@:2}" -o "$work/$1" "$source" || { echo "nvcc failed"; exit 1; }; }
# A library built with the address sanitizer needs its runtime loaded first, which nvcc's programs
# do not do; what leaks at their exit is theirs.
sanitizer=$(ldd "$1"/libcudart.so.13 | grep -o -m 1 '/[^ ]*libasan[^ ]*')
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"
run() { LD_PRELOAD=$sanitizer LD_LIBRARY_PATH=$1 "$work/$2" "$3" >"$work/out" 2>&1; }
gemmgen=$3
emulate() { LD_PRELOAD=$sanitizer "$gemmgen" emu -- "$@" >"$work/out" 2>&1; }

build program -gencode arch=compute_90,code=compute_90
for part in add symbols streams clusters facts errors memory graphs outside; do
  run "$1" program "$part" || fail "$part: $(cat "$work/out")"
done
grep -q 'reads 4 bytes at 0x[0-9a-f]*: 0 bytes behind the end of the 16 bytes' "$work/out" ||
  fail "the access out of bounds is not named: $(cat "$work/out")"

run "$1" program beside || fail "beside: $(cat "$work/out")"
run "$1" program early && fail "what is read ahead of cudaGridDependencySynchronize is not found"
grep -q 'which the launch ahead, .*leave.*, has written at line' "$work/out" ||
  fail "what is read ahead of cudaGridDependencySynchronize is not named: $(cat "$work/out")"

# Calls have other names where each thread has its default stream.
build per_thread --default-stream per-thread -gencode arch=compute_90,code=compute_90
for part in add symbols streams clusters memory graphs; do
  run "$1" per_thread "$part" || fail "--default-stream per-thread, $part: $(cat "$work/out")"
done

# How the PTX is compressed, and which of several is taken.
for mode in none speed size; do
  build "$mode" --compress-mode="$mode" -gencode arch=compute_90,code=compute_90
  run "$1" "$mode" add || fail "--compress-mode=$mode: $(cat "$work/out")"
done
build several -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90a,code=compute_90a \
  -gencode arch=compute_100,code=compute_100
run "$1" several clusters || fail "of several: $(cat "$work/out")"
GEMMGEN_EMU_ARCH=80 run "$1" several add || fail "of several, on sm_80: $(cat "$work/out")"

# Errors: SASS alone, PTX that is too new.
build sass -gencode arch=compute_90,code=sm_90
run "$1" sass add && fail "a program of SASS alone ran"
grep -q 'SASS alone (1 cubins).*nvcc -cudart shared -gencode' "$work/out" ||
  fail "SASS alone: $(cat "$work/out")"
GEMMGEN_EMU_ARCH=80 run "$1" program add && fail "PTX for sm_90 ran on sm_80"
grep -q 'for sm_90 and newer, and the emulated device is sm_80' "$work/out" ||
  fail "too new: $(cat "$work/out")"
build rdc -rdc=true -gencode arch=compute_90,code=compute_90
run "$1" rdc add && fail "device code that is to be linked ran"
grep -q 'compile it without -rdc=true' "$work/out" || fail "-rdc=true: $(cat "$work/out")"
sed -i 's/entry _Z3add/entry _Z3bdd/' "$work/none"
run "$1" none add && fail "a kernel that the PTX does not have ran"
grep -q "the program's PTX has no kernel '_Z3addPfPKfS1_i'" "$work/out" ||
  fail "no kernel: $(cat "$work/out")"

# gemmgen emu -- PROGRAM; a program whose CUDA runtime is linked statically.
emulate "$work/program" add || fail "gemmgen emu --: $(cat "$work/out")"
emulate "$work/program"
[ $? = 2 ] || fail "the exit status is not the program's"
emulate "$work/missing" && fail "what is not there was started"
grep -q 'cannot start' "$work/out" || fail "what is not there: $(cat "$work/out")"
"$nvcc" -cudart static -gencode arch=compute_90,code=compute_90 -o "$work/static" "$source"
emulate "$work/static" add && fail "a static CUDA runtime ran"
grep -q 'link it with nvcc -cudart shared' "$work/out" || fail "static: $(cat "$work/out")"
exit $failed
