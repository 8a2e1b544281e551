#!/usr/bin/env bash
# A shipped kernel's text holds what the kernel uses, nothing else: clang finds no function, constant,
# member, parameter or variable that nothing uses, and no condition that is always the same. (nvcc's
# warnings are compile.sh's.) clang only reads the text: instructions of newer architectures stand in
# strings, and cuda_names.h has what CUDA C++ knows without a header. In a namespace without a name
# all declarations are the text's own, so that none can be used elsewhere. The parameters of the kernel
# itself are its interface: a loader gives them all, used or not.
#   unused.sh GEMMGEN SPEC_FOLDER...
set -u
gemmgen=$(realpath "$1") names=$(dirname "$(realpath "$0")")
shift
clang=$(command -v clang || command -v clang-14) || { echo "SKIPPED: no clang"; exit 77; }
export clang names
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for specs; do
  "$gemmgen" gen "$specs"/*.yaml -o "$dir/$(basename "$specs")/" 2>"$dir/log" || { cat "$dir/log"; exit 1; }
done

# read_text FILE: clang's warnings, with the file's lines. They are no errors: behind an error clang looks
# for no function that nothing uses.
read_text() {
  { printf '#include "cuda_names.h"\nnamespace {\n#line 1 "%s"\n' "$1"
    sed 's/^extern "C" __global__ void/_Pragma("clang diagnostic ignored \\"-Wunused-parameter\\"") &/' "$1"
    echo '}'
  } | "$clang" -x cuda --cuda-gpu-arch=sm_80 --cuda-device-only -nocudainc -nocudalib -std=c++17 \
        -fsyntax-only -I "$names" -Wno-unknown-cuda-version -Wunused -Wunused-parameter \
        -Wunused-template -Wunused-member-function -Wunused-const-variable \
        -Wunused-but-set-variable -Wunneeded-internal-declaration -Wunreachable-code-aggressive \
        -Wtautological-compare -Wconstant-conversion - 2>&1
}
export -f read_text

# The text itself is checked first: a compiler that warns of nothing would pass everything.
probe=$dir/probe.cu
printf '__device__ inline int f(int x) { return 1; }\nextern "C" __global__ void k(int n) {}\n' >"$probe"
[ "$(read_text "$probe" | grep -c 'warning: unused')" = 2 ] || {
  echo "SKIPPED: $clang does not read CUDA C++, or does not warn:"
  read_text "$probe"
  exit 77
}
rm "$probe"

failed=$(cd "$dir" && find . -name '*.cu' -print0 | sort -z |
  xargs -0 -P "$(nproc)" -n 1 bash -c 'report=$(read_text "$1")
    [ -z "$report" ] || echo "FAILED: $1: $report"' read_text)
[ -z "$failed" ] || printf '%s\n' "$failed"
echo "$(find "$dir" -name '*.cu' | wc -l) kernels, $(grep -c '^FAILED' <<<"$failed") failed"
[ -z "$failed" ]
