#!/usr/bin/env bash
# Texts of kernels that go out to a folder and come in again edited: GEMMGEN_DUMP_DIR, GEMMGEN_KEEP,
# GEMMGEN_OVERRIDE_DIR. What was edited runs in the emulator, where it is seen to be wrong.
#   edits.sh GEMMGEN SPECS
. "$(dirname "$0")/expect.sh"
spec=$(realpath "$2")/sm80/02_alpha_beta.yaml
name=bf16_alpha_beta
run=("$gemmgen" run "$spec" --device emu:80 -m 64 -n 64 -k 64 --inputs integers)
"$gemmgen" gen --emit ptx "$spec" -o probe.ptx 2>err || {
  grep -q NO_NVRTC err && { echo 'skipped: there is no NVRTC'; exit 77; }
}
files() { (cd "$1" && echo *); }

GEMMGEN_DUMP_DIR=out.d/deep expect 0 'it is dumped' "${run[@]}"
holds 'text and binary' [ "$(files out.d/deep)" = "$name.cu $name.ptx" ]
"$gemmgen" gen "$spec" -o generated.cu
holds 'the text is what is generated' cmp -s out.d/deep/$name.cu generated.cu
GEMMGEN_DUMP_DIR=again expect 0 'what is cached is dumped, too' "${run[@]}"
holds 'the same' diff -r again out.d/deep
GEMMGEN_DUMP_DIR=cubins expect 0 'a cubin' "$gemmgen" gen --emit cubin "$spec" -o c.cubin
holds 'is dumped' cmp -s cubins/$name.cubin c.cubin
GEMMGEN_DUMP_DIR=kept GEMMGEN_KEEP=1 expect 0 'a cubin and what it came through' "$gemmgen" gen --emit cubin "$spec" -o c.cubin
holds 'four files' [ "$(files kept)" = "$name.cu $name.cubin $name.log $name.ptx" ]
holds 'the log has the options' grep -q -- '--gpu-architecture=sm_80' kept/$name.log
mkdir here && GEMMGEN_KEEP=1 expect 0 'kept in the working directory' env -C here "$gemmgen" gen --emit cubin "$spec" -o ../c.cubin
holds 'three files' [ "$(files here)" = "$name.cu $name.log $name.ptx" ]
GEMMGEN_KEEP=0 expect 0 'nothing is kept' env -C here "$gemmgen" gen --emit cubin "$spec" -o ../c.cubin
touch blocked && GEMMGEN_DUMP_DIR=blocked expect 0 'a folder that cannot be' "${run[@]}"
holds 'is told once' [ "$(grep -c 'blocked/.* is not written: ' err)" = 1 ]

# An edited text runs, and the cache tells it from the other.
mkdir edited
sed 's/x\.x \* of\.alpha/x.x * of.alpha + 1.0f/' generated.cu >edited/$name.cu
export GEMMGEN_OVERRIDE_DIR=edited
for again in 1 2; do
  expect 1 "the edited text computes something else, $again" "${run[@]}"
  holds 'it is told once' [ "$(grep -c "edited/$name.cu is used in place of the kernel $name" err)" = 1 ]
done
GEMMGEN_OVERRIDE_DIR='' expect 0 'the generated text is cached as ever' "${run[@]}"
echo 'no C++' >edited/$name.cu
expect 1 'a text that does not compile' "${run[@]}"
holds 'it is the compiler that says so' grep -q "$name.cu(1): error" err
printf 'a\0b' >edited/$name.cu
expect 1 'a zero byte' "${run[@]}"
holds 'EDIT' grep -q "edited/$name.cu cannot be used in place of the kernel $name: it has a zero byte" err
rm edited/$name.cu && mkdir edited/$name.cu
expect 1 'a folder in its place' "${run[@]}"
holds 'its path' grep -q "edited/$name.cu" err
rmdir edited/$name.cu

# PTX goes to the driver as it is, here to the emulator.
sed '0,/mul\.f32/s/mul\.f32/add.f32/' out.d/deep/$name.ptx >edited/$name.ptx
expect 1 'edited PTX computes something else' "${run[@]}"
holds 'it is told' grep -q "edited/$name.ptx is used" err
expect 0 'gen --emit ptx gives it' "$gemmgen" gen --emit ptx "$spec" -o given.ptx
holds 'as it is' cmp -s given.ptx edited/$name.ptx
expect 1 'gen --emit cubin' "$gemmgen" gen --emit cubin "$spec" -o given.cubin
holds 'EDIT' grep -q 'no cubin is made of PTX here: the driver compiles it where it is loaded' err
cp out.d/deep/$name.ptx edited/
expect 0 'PTX that is not edited' "${run[@]}"
cp generated.cu edited/$name.cu
expect 0 'CUDA C++ goes first' "${run[@]}"
holds 'it is that' grep -q "edited/$name.cu is used" err
finish
