#!/usr/bin/env bash
# The command line as a user meets it: exit codes, outputs, what is left behind.
#   cli.sh GEMMGEN
. "$(dirname "$0")/expect.sh"
. "$tests/specs.sh"

# Usage
expect 2 'no command' "$gemmgen"
expect 0 'help' "$gemmgen" help
expect 0 '--help' "$gemmgen" --help
expect 0 '--version' "$gemmgen" --version
expect 2 'unknown command' "$gemmgen" frobnicate
holds 'the message names it' grep -q frobnicate err
for command in gen check explain diff run emu bench tune layout atoms spec doctor help; do
  expect 0 "help $command" "$gemmgen" help "$command"
  expect 2 "$command: unknown option" "$gemmgen" "$command" --frobnicate
  holds 'the message names it' grep -q -- --frobnicate err
done
expect 2 'gen without a spec' "$gemmgen" gen
expect 2 'an option without its value' "$gemmgen" gen spec.yaml -o
expect 2 'a number that is none' "$gemmgen" run spec.yaml -m many
expect 0 'the man page' "$gemmgen" help --man
holds 'it is roff' grep -q '^\.TH GEMMGEN 1' out

for count in --top --samples --measure; do
  expect 2 "$count 0" "$gemmgen" bench "$count" 0 spec.yaml
  holds "$count says what it takes" grep -q -- "$count takes an integer from 1 on, not '0'" err
done

expect 2 'an extent of nothing' "$gemmgen" run -m '' spec.yaml
holds 'it is named by its letter' grep -q "^gemmgen: -m needs a value, not ''" err

# bench --epilogue
expect 2 'an epilogue that is none' "$gemmgen" bench spec.yaml --epilogue bias,bias_gel
holds 'the nearest' grep -q "no 'bias_gel' (did you mean 'bias_gelu'?)" err
holds 'the words there are' grep -q 'are none, bias, bias_relu, .*, scales_mn$' err
words=$(sed 's/.* are //; s/,//g' err)
expect 0 'what bench does' "$gemmgen" help bench
for word in $words; do holds "it tells of $word" grep -qw "$word" out; done
expect 2 'an epilogue twice' "$gemmgen" bench spec.yaml --epilogue bias,relu,bias
holds 'which one' grep -q "'bias' twice" err
expect 2 'an empty list' "$gemmgen" bench spec.yaml --epilogue ''
expect 2 'an empty word' "$gemmgen" bench spec.yaml --epilogue bias,
# What a tensor core sums by itself is another product than what is promoted to f32.
for promote in 0 4; do printf 'name: p%s\narch: sm_90a\na: e4m3\nb: e4m3\nd: bf16\npromote: %s\n' $promote $promote >p$promote.yaml; done
"$gemmgen" bench -m 16 -n 16 -k 32 --samples 1 --no-cublaslt p0.yaml p4.yaml >out 2>err
holds 'both kernels have their case' grep -q '2 kernels, 2 cases\|f32fast' out

# explain --problem
expect 0 'which kernel a product gets' "$gemmgen" explain --problem '4096 4096 4096'
holds 'it says which and why' grep -q '^chosen: gemm_.* bound by' out
holds 'the first 20 are shown, and how many others there are' test "$(grep -c '^gemm_' out)" -eq 20 -a \
  "$(grep -c '^[0-9]* more kernels can compute it, and [0-9]* cannot; --all' out)" -eq 1
expect 0 'every kernel' "$gemmgen" explain --problem '4096 4096 4096' --all
holds 'more than 20 are shown, and the others are refused' test "$(grep -c '^gemm_' out)" -gt 20 -a \
  "$(grep -c '^refused: ' out)" -gt 0
expect 0 'more tiles than small ones can be' "$gemmgen" explain --problem '3000000 3000000 64' --json
holds 'it is JSON, and has no kernel that takes for ever' python3 -c '
import json
d = json.load(open("out"))
grid = [r for r in d["refused"] if r["why"] == "its tiles are more than a grid has"]
assert grid and d["candidates"] and all(c["seconds"] < 1e9 for c in d["candidates"])'
expect 1 'more tiles than any can be' "$gemmgen" explain --problem '2000000000 2000000000 64'
holds 'it says so' grep -q 'more tiles by every kernel than the 2147483647 CTAs of a grid' err
expect 2 'all of no problem' "$gemmgen" explain --all spec.yaml
# The product with an epilogue: other kernels, other times, and its name says so
epilogue=("$gemmgen" explain --problem '8192 3072 256' --epilogue)
expect 0 'with an epilogue' "${epilogue[@]}" bias_gelu
holds 'the problem is named with it' grep -q '^bf16,bf16,bf16,f32,kkn,bias_n_bf16+gelu_tanh_approx,8192x3072x256,b1 on H100' out
holds 'kernels have it' grep -q '^gemm_.*_bias_n_gelu_tanh_approx ' out
expect 0 'with a C, as JSON' "${epilogue[@]}" beta_c --json
holds 'the problem has it' grep -q '"problem": "bf16,bf16,bf16,f32,kkn+c_bf16,8192x3072x256,b1"' out
expect 2 'two epilogues' "${epilogue[@]}" bias,relu
expect 2 'an epilogue that the product cannot have' "${epilogue[@]}" scales
holds 'it says why' grep -q '8-bit floats' err
expect 2 'an epilogue of no problem' "$gemmgen" explain --epilogue relu spec.yaml
expect 0 'as JSON' "$gemmgen" explain --json --problem '100x100x100x3' --types f16,f16,f32,f32,mnm
holds 'it is JSON' json out
# A batch by arrays of addresses: the family that is the device's has it
for device in sm_90:bf16,bf16,bf16 sm_100:e2m1:ue4m3,e2m1:ue4m3,bf16 sm_120:e4m3,e4m3,bf16; do
  arch=${device%%:*}
  expect 0 "a batch by addresses on $arch" "$gemmgen" explain --problem '1024 1024 1024 16' --pointers --arch "$arch" \
    --types "${device#*:}"
  holds 'maps that change are chosen' grep -q "^chosen: gemm_${arch/_/}_.*_pointers" out
done
expect 0 'of specs of its own' "$gemmgen" explain --problem '64 64 64' --types f16,f16,f16 sweep.yaml
sed 's/^sweep:.*/sweep: {swizzle: [64B, 32B, none]}/' sweep.yaml >swizzles.yaml
expect 0 'of specs that differ in swizzles alone' "$gemmgen" explain --problem '64 64 64' --types f16,f16,f16 swizzles.yaml
holds 'they are three kernels' test "$(grep -c '^gemm_sm80' out)" -eq 3
expect 0 'sums of f64 are f64' "$gemmgen" explain --problem '64 64 64' --types f64,f64,f64
holds 'without being asked for' grep -q '^f64,f64,f64,f64,kkn' out
expect 1 'types that nothing has' "$gemmgen" explain --problem '64 64 64' --types f32,f16,f32,f32
holds 'the message names them' grep -q 'f32,f16,f32,f32,kkn.*GEMM_FORM' err
expect 1 'a type that would be a comment' "$gemmgen" explain --problem '64 64 64' --types '#x,bf16,bf16'
holds 'it is named' grep -q "the type of A is .*, not '#x' (--types)" err
expect 1 'types of two lines' "$gemmgen" explain --problem '64 64 64' --types $'bf16\nf16,f16,f16'
expect 0 'on a part of the device' "$gemmgen" explain --problem '4096 4096 4096' --multiprocessors 66
holds 'it says of how many' grep -q 'on H100 (sm_90), 66 of its 132 multiprocessors; ' out
expect 0 'for programs' "$gemmgen" explain --problem '4096 4096 4096' --multiprocessors 66 --json
holds 'it has both' grep -q '"sm_count": 132, "multiprocessors": 66,' out
expect 0 'on more than there are' "$gemmgen" explain --problem '64 64 64' --multiprocessors 1000
holds 'they are all' grep -q 'on H100 (sm_90), 132 multiprocessors; ' out
expect 2 'fewer than none' "$gemmgen" explain --problem '64 64 64' --multiprocessors -1
expect 2 'of no product' "$gemmgen" explain spec.yaml --multiprocessors 66
expect 2 'too few extents' "$gemmgen" explain --problem '64 64'
expect 2 'too few types' "$gemmgen" explain --problem '64 64 64' --types f16
expect 1 'an extent that is none' "$gemmgen" explain --problem '64 64 many'

# explain --svg
printf '{arch: sm_100a, a: bf16, b: bf16, d: bf16, tile: [128, 128, 64], cta_group: 2}\n' >pair.yaml
expect 0 'a kernel drawn' "$gemmgen" explain --svg pair.svg pair.yaml
for part in 'one MMA of 256 x 128 x 16' 'B: columns 64 to 127' 'MMA issuer' 'set 1: rows 112 to 127' \
  'empty accumulators: 8 arrivals'; do
  holds "it shows $part" grep -q "$part" pair.svg
done
printf '{arch: sm_100a, a: {type: e2m1, scale: ue4m3}, b: {type: e2m1, scale: ue4m3}, c: bf16, d: bf16, %s}\n' \
  'tile: [128, 192, 256], cta_group: 2, scheduler: dynamic, accumulator_stages: 1' >scaled.yaml
expect 0 'a kernel with factors drawn' "$gemmgen" explain --svg scaled.svg scaled.yaml
for part in 'stages of A, B and their scale factors' 'sub-tiles of C' 'every role' 'full answers: 1 arrival, 16 bytes' \
  'factors of A: columns 192 to 207' 'factors of B: columns 208 to 239' '>1 set of tensor memory' \
  'a tile of 128 x 192 in sub-tiles of 128 x 64' '2: stage 0'; do
  holds "it shows $part" grep -q "$part" scaled.svg
done
printf '{arch: sm_100a, a: {type: bf16, sparse: true}, b: bf16, d: bf16, tile: [128, 128, 128]}\n' >sparse.yaml
expect 0 'a kernel with a sparse A drawn' "$gemmgen" explain --svg sparse.svg sparse.yaml
holds 'it shows metadata' grep -q 'metadata of A: columns 256 to 259, tiles of 128 rows x 128 along K' sparse.svg
printf '{arch: sm_100a, a: bf16, b: bf16, d: bf16, tile: [64, 128, 64], cta_group: 2}\n' >halves.yaml
expect 0 'a pair of 64 rows each drawn' "$gemmgen" explain --svg halves.svg halves.yaml
holds 'two warps have the same rows' grep -q 'warps 5, 7' halves.svg
printf '{arch: sm_100a, a: {type: e4m3, scale: ue8m0}, b: {type: e4m3, scale: ue8m0}, d: bf16, tile: [64, 256, 128], cta_group: 2}\n' >turns.yaml
expect 0 'pairs that take rows in turns drawn' "$gemmgen" explain --svg turns.svg turns.yaml
for part in 'A: rows 128 to 191' 'factors of A: columns 256 to 259' 'factors of B: columns 260 to 263, two atoms'; do
  holds "it shows $part" grep -q "$part" turns.svg
done
expect 2 'a drawing of several kernels' "$gemmgen" explain --svg out.svg sweep.yaml
expect 2 'a drawing of a problem' "$gemmgen" explain --svg out.svg --problem '64 64 64'
holds 'nothing was drawn' [ ! -e out.svg ]

# explain --html; tests/page/ reads and opens what it writes
expect 0 'a page' "$gemmgen" explain --html -o page.html pair.yaml
holds 'it is whole' grep -q '^</html>' page.html
expect 0 'a page on standard output' "$gemmgen" explain --html pair.yaml
holds 'the same' cmp -s out page.html
expect 2 'a page of several kernels' "$gemmgen" explain --html -o out.html sweep.yaml
expect 2 'a page of a problem' "$gemmgen" explain --html -o out.html --problem '64 64 64'
expect 2 'an output of nothing' "$gemmgen" explain -o out.html pair.yaml
printf '{arch: sm_100a, a: bf16, b: bf16, d: bf16, tile: [128, 256, 64], cta_group: 2}\n' >wide.yaml
expect 0 'a page beside another kernel' "$gemmgen" explain --html --compare wide.yaml -o beside.html pair.yaml
holds 'it tells of both shapes' grep -q '<td>128x128x64</td><td>128x256x64</td>' beside.html
expect 2 'beside several kernels' "$gemmgen" explain --html --compare sweep.yaml -o out.html pair.yaml
expect 2 'a comparison without a page' "$gemmgen" explain --compare wide.yaml pair.yaml
expect 2 'a run without a page' "$gemmgen" explain --run pair.yaml
expect 2 'extents without a run' "$gemmgen" explain --html -m 64 -o out.html pair.yaml
expect 2 'an element without a run' "$gemmgen" explain --html --element '1 1' -o out.html pair.yaml
expect 2 'a run of nothing' "$gemmgen" explain --html --run -m 0 -o out.html pair.yaml
expect 2 'a run of too much' "$gemmgen" explain --html --run -m 100000 -n 100000 -k 100000 -o out.html pair.yaml
expect 2 'an element that is none' "$gemmgen" explain --html --run --element '5' -o out.html pair.yaml
expect 2 'an element that A has not' "$gemmgen" explain --html --run -m 128 --element '128 0' -o out.html pair.yaml
holds 'A is named' grep -q 'A has 128 x [0-9]* elements, and no (128, 0)' err
printf '{arch: sm_80, a: bf16, b: bf16, d: bf16, tile: [3, 3, 3]}\n' >refused.yaml
expect 1 'a page of a spec that is refused' "$gemmgen" explain --html -o out.html refused.yaml
holds 'nothing was written' [ ! -e out.html ]

# diff
expect 0 'two kernels beside each other' "$gemmgen" diff pair.yaml wide.yaml
holds 'a decision differs' grep -q 'shape  *128x128x64 -> 128x256x64' out
holds 'a line differs' grep -q '^  - *[0-9]*  constexpr int tile_m = 128, tile_n = 128, tile_k = 64;' out
expect 1 'they differ' "$gemmgen" diff --exit-code pair.yaml wide.yaml
expect 0 'a kernel beside itself' "$gemmgen" diff --exit-code pair.yaml pair.yaml
holds 'it is the same' grep -q '^CUDA C++ is the same' out
expect 0 'without lines' "$gemmgen" diff --lines 0 pair.yaml wide.yaml
holds 'there are none' [ "$(grep -c '^  - ' out)" = 0 ]
expect 0 'counters of both' "$gemmgen" diff --run -m 256 -n 256 -k 128 pair.yaml wide.yaml
holds 'the problem' grep -q '(M 256, N 256, K 128, batch 1):' out
holds 'a counter differs' grep -q '^  ctas  *4 -> 2$' out
expect 0 'counters of the same' "$gemmgen" diff --exit-code --run pair.yaml pair.yaml
holds 'no counter differs' grep -q '^Counters .* are the same\.$' out
expect 0 'a page of both' "$gemmgen" diff --html -o both.html pair.yaml wide.yaml
holds 'a page' grep -q '</html>' both.html
expect 2 'extents without --run' "$gemmgen" diff -m 128 pair.yaml wide.yaml
expect 2 'a file without --html' "$gemmgen" diff -o both.html pair.yaml wide.yaml
expect 2 'lines of a page' "$gemmgen" diff --html --lines 3 pair.yaml wide.yaml
expect 2 'one spec' "$gemmgen" diff pair.yaml
expect 2 'lines that are no number' "$gemmgen" diff --lines many pair.yaml wide.yaml
expect 1 'a spec that is refused' "$gemmgen" diff pair.yaml refused.yaml

# A kernel of an older generation than its architecture is no secret
old() { sed "s/sm_80/$1/" spec.yaml; }
for arch in sm_90 sm_100 sm_110 sm_120a; do
  old $arch >old.yaml
  for command in check gen explain 'run -m 9 -n 9 -k 9 --device emu'; do
    "$gemmgen" $command old.yaml >out 2>err </dev/null
    holds "$command $arch: the family is told, once" [ "$(grep -c '^old.yaml:2:7: note: family sm80' err)" -eq 1 ]
  done
done
old sm_110a >old.yaml
expect 0 'sm_110 has what sm_100 has' "$gemmgen" check old.yaml
holds 'so nothing is noted' [ "$(grep -c note err)" -eq 0 ]
old sm_90 >old.yaml
expect 0 'what sm_90 lacks' "$gemmgen" check old.yaml
holds 'the family of sm_90a' grep -q 'arch sm_90a has family sm90' err
echo 'atom: m16n8k16' >>old.yaml
for spec in old.yaml spec.yaml; do
  expect 0 'nothing to note' "$gemmgen" check $spec
  holds 'what is asked for by name is meant' [ ! -s err ]
done
expect 0 'a spec of sm_90a' bash -c "sed 's/sm_80/sm_90a/' spec.yaml >sm_90a.yaml; '$gemmgen' check sm_90a.yaml"
expect 1 'a target that cannot have it' "$gemmgen" gen --emit cubin --arch sm_100 sm_90a.yaml -o x.cubin
holds 'in our own words' grep -q 'needs sm_90a, so it cannot be compiled for sm_100' err

# Architectures are named alike everywhere
for arch in sm_90 compute_90 90 sm_90a 90a; do
  expect 0 "atoms --arch $arch" "$gemmgen" atoms --arch $arch
  expect 0 "explain --arch $arch" "$gemmgen" explain --problem '64 64 64' --arch $arch
  holds 'the device is named' grep -q 'on H100 (sm_90), 132 multiprocessors' out
done
for arch in sm_100 100a sm_100f; do
  expect 0 "explain --arch $arch" "$gemmgen" explain --problem '4096 4096 4096' --arch $arch
  holds 'the device is named' grep -q 'on B200 (sm_100), 148 multiprocessors' out
  holds 'a kernel of its family is chosen' grep -q '^chosen: gemm_sm100_.*, bound by multiplying' out
done
for arch in sm_120 120a sm_120f; do
  expect 0 "explain --arch $arch" "$gemmgen" explain --problem '4096 4096 4096' --types e4m3,e4m3,bf16 --arch $arch
  holds 'the device is named' grep -q 'on RTX 5090 (sm_120), 170 multiprocessors' out
  holds 'a kernel of its family is chosen' grep -q '^chosen: gemm_sm120_.*, bound by multiplying' out
done
for types in e4m3:ue8m0,e4m3:ue8m0 e3m2:ue8m0,e2m1:ue8m0 e2m1:ue8m0,e2m1:ue8m0 e2m1:ue4m3,e2m1:ue4m3 e2m1,e5m2; do
  expect 0 "factors: $types" "$gemmgen" explain --problem '300 200 384' --types $types,f16 --arch sm_121
  holds 'its family has them' grep -q '^chosen: gemm_sm120_' out
done
expect 0 '16 bits' "$gemmgen" explain --problem '300 200 384' --arch sm_120
holds 'another family has them' grep -q '^chosen: gemm_sm80_' out
expect 0 'few tiles' "$gemmgen" explain --problem '512 512 16384' --arch sm_100
holds 'what bounds narrow ones' grep -q '^gemm_sm100_.*_128x32x64_.*  reading operands of shared memory$' out
expect 0 'few columns and little K' "$gemmgen" explain --problem '8192 8192 64' --arch sm_103
holds 'whose figures they are' grep -q 'on sm_103, by the figures of B200 (sm_100), 148' out
holds 'epilogues bound them' grep -q '^chosen: gemm_sm100_.*, bound by the epilogue' out
expect 0 'bytes of an architecture without them' "$gemmgen" explain --problem '64 64 64' --types s8,s8,s32 --arch sm_103
holds 'a warp multiplies them' grep -q '^chosen: gemm_sm80_s8' out
expect 1 '8-bit floats of one without them' "$gemmgen" explain --problem '64 64 64' --types e4m3,e4m3,f32 --arch sm_80
for types in e4m3:ue8m0,e4m3:ue8m0 e4m3:ue8m0,e2m1:ue8m0 e2m1:ue8m0,e2m1:ue8m0 e2m1:ue4m3,e2m1:ue4m3; do
  expect 0 "factors: $types" "$gemmgen" explain --problem '4096 4096 4096' --types $types,bf16 --arch sm_100
  holds 'which bounds it' grep -q '^chosen: gemm_sm100_.*_ue.*, bound by multiplying' out
done
for types in bf16:sparse,bf16 bf16,bf16:sparse e2m1:sparse:ue4m3,e2m1:ue4m3; do
  expect 0 "sparse: $types" "$gemmgen" explain --problem '4096 4096 4096' --types $types,bf16 --arch 100
  holds 'what it is of' grep -q "^$types,bf16,f32,kkn,4096x4096x4096" out
  holds 'a sparse kernel is chosen' grep -q '^chosen: gemm_sm100_.*_sparse' out
done
for types in s4,u4 b1,b1 b1:xor,b1; do
  expect 0 "less than bytes: $types" "$gemmgen" explain --problem '300 200 1024' --types $types,s32 --arch 89
  holds 'what it is of' grep -q "^$types,s32,s32,kkn,300x200x1024" out
  holds 'a warp multiplies them' grep -q '^chosen: gemm_sm80_' out
done
holds 'by xor' grep -q '^chosen: .*_xor' out
printf '{arch: sm_80, a: b1, b: b1, d: s32, tile: [16, 16, 256]}\n' >bits.yaml
expect 1 'elements that end within a byte' "$gemmgen" run --device emu:80 -m 16 -n 16 -k 33 bits.yaml
holds 'what K is a multiple of' grep -q 'k of whole bytes, 8 elements of b1 each; the next is 40' err
expect 1 'two sparse operands' "$gemmgen" explain --problem '64 64 64' --types bf16:sparse,bf16:sparse,bf16 --arch 100
holds 'one is' grep -q 'the type of B is dense beside a sparse A' err
expect 1 'factors of Blackwell' "$gemmgen" explain --problem '64 64 64' --types e4m3:ue8m0,e4m3:ue8m0,bf16
holds 'the message names them' grep -q 'computes e4m3:ue8m0,e4m3:ue8m0,bf16,f32,kkn on sm_90' err
expect 1 'factors of another type' "$gemmgen" explain --problem '64 64 64' --types e4m3:e8m0,e4m3,bf16
holds 'what they are' grep -q 'with factors as in e4m3:ue8m0' err
expect 0 'bytes of another' "$gemmgen" explain --problem '64 64 64' --types s8,s8,s32 --arch sm_110
expect 0 'doctor on a device with tcgen05' env GEMMGEN_EMU_ARCH=100 "$gemmgen" doctor
holds 'what runs there' grep -q 'family sm100 runs: compiled as sm_100f PTX' out
expect 0 'doctor on a driver' "$gemmgen" emu -- "$gemmgen" doctor
holds 'how multiprocessors lie' grep -q 'GPCs of 18, 18, 16, 16, 16, 16, 16, 16 multiprocessors$' out
expect 0 'on a driver of a device without clusters' env GEMMGEN_EMU_ARCH=80 "$gemmgen" emu -- "$gemmgen" doctor
holds 'nothing of them' [ "$(grep -c GPCs out)" -eq 0 ]
expect 0 'another device' "$gemmgen" explain --problem '64 64 64' --arch sm_88 --sms 8
holds 'whose figures they are' grep -q 'on sm_88, by the figures of Orin (sm_87), 8' out
for card in 80:A100-SXM4-80GB:108 86:'RTX A6000':84 87:Orin:16 89:L40S:142; do
  IFS=: read -r arch name sms <<<"$card"
  expect 0 "a large product of sm_$arch" "$gemmgen" explain --problem '4096 4096 4096' --arch "$arch"
  holds 'the device is named' grep -q "on $name (sm_$arch), $sms multiprocessors" out
  holds 'MMAs of a warp' grep -q '^chosen: gemm_sm80_bf16_' out
  expect 0 "f32 of sm_$arch" "$gemmgen" explain --problem '1000 1001 1003' --types f32,f32,f32 --arch "$arch"
  holds 'CUDA cores' grep -q '^chosen: gemm_simt_f32' out
done
expect 0 'what has no room' "$gemmgen" explain --problem '4096 4096 4096' --arch sm_86 --all
holds 'is told' grep -q '^refused: sm80_two_ctas.yaml 128x128x64: .* > 50176 B on sm_86' out
for command in 'gen spec.yaml' atoms "explain --problem 64x64x64"; do
  expect 2 'no architecture' "$gemmgen" $command --arch sm_75
  holds 'those that there are' grep -q "not 'sm_75'; there are 80, .* 90a" err
done
expect 2 'no product for the device' "$gemmgen" explain --arch sm_90 spec.yaml

# A toolkit that is named and is none is passed over, and that is said
for command in 'gen --emit cubin spec.yaml' 'run spec.yaml -m 9 -n 9 -k 9 --device emu' doctor; do
  expect 0 'no toolkit there' env CUDA_HOME=/bogus "$gemmgen" $command
  holds 'it is named' grep -q 'NVRTC is not in CUDA_HOME, /bogus; .* is used' err
  holds 'once' [ "$(grep -c bogus err)" -eq 1 ]
done

# What removes things is written out
mkdir -p cache && printf x >"cache/$(printf '0%.0s' {1..64}).kernel"
expect 2 'a prefix of --clear-cache' "$gemmgen" doctor --clear
holds 'it says so' grep -q 'stands for --clear-cache' err
holds 'nothing is removed' [ -n "$(ls cache)" ]
expect 0 'all of it' "$gemmgen" doctor --clear-cache
holds 'it is' [ -z "$(ls cache)" ]

# Standard output
for command in 'gen spec.yaml' 'check spec.yaml' 'explain spec.yaml' --version help 'help gen' \
  'help --man' atoms 'atoms --json' spec 'spec tile' 'layout --list' 'layout (4,8):(8,1)' doctor \
  'emu --list' "explain --problem 64x64x64"; do
  expect 1 'a full disk' bash -c '"$@" >/dev/full' - "$gemmgen" $command
  holds 'it is said' test -s err
done

# check, explain, spec, atoms, layout, doctor
expect 0 'check' "$gemmgen" check spec.yaml sweep.yaml
expect 1 'check goes on after a bad one' "$gemmgen" check bad.yaml spec.yaml
holds 'and checks the rest' grep -q 'small: ok' out
expect 0 'explain' "$gemmgen" explain spec.yaml
holds 'bank conflicts are stated' grep -q 'ldmatrix A' out
expect 0 'explain as JSON' "$gemmgen" explain --format json sweep.yaml
holds 'it is JSON' json out
expect 2 'explain in an unknown format' "$gemmgen" explain --format xml spec.yaml
expect 0 'spec' "$gemmgen" spec
expect 0 'spec --help KEY' "$gemmgen" spec --help tile
expect 2 'spec of a key elsewhere' "$gemmgen" spec --help store
holds 'it is told where' grep -q "no key 'store'; of that name there is d.store" err
expect 2 'spec of a key that is near' "$gemmgen" spec a.round
holds 'it is suggested' grep -q "no key 'a.round'; did you mean 'a.rounded'" err
expect 2 'spec of no key' "$gemmgen" spec colour
holds 'it is told how to list them' grep -q "no key 'colour'; .gemmgen spec. lists the keys" err
expect 0 'schema' "$gemmgen" spec --schema
holds 'it is JSON' json out
expect 0 'atoms' "$gemmgen" atoms --json
holds 'it is JSON' json out
expect 1 'atoms that are none' "$gemmgen" atoms foo
holds 'they are named' grep -q "no atom whose name has 'foo'" err
holds 'and no table is printed' [ ! -s out ]
expect 1 'wrappers that are none' "$gemmgen" atoms --wrapper tcgen05
holds 'they are missed' grep -q "none of the [0-9]* atoms .* has a wrapper" err
expect 0 'doctor' "$gemmgen" doctor --json
holds 'it is JSON' json out
expect 0 'layout' "$gemmgen" layout 'composition((6,2):(8,2), (4,3):(3,1))'
holds 'the result' [ "$(cat out)" = '((2,2),3):((24,2),8)' ]
expect 1 'layout of lines that cannot be read' bash -c '"$0" layout - <.' "$gemmgen"
holds 'it is told why' grep -q "cannot read '<stdin>': Is a directory" err
expect 0 'layout drawn' "$gemmgen" layout --svg drawn.svg '(4,8):(8,1)'
holds 'it is SVG' grep -q '</svg>' drawn.svg
expect 0 'an atom drawn by its name' "$gemmgen" layout --svg atom.svg SM80_16x8x16_F32F16F16F32_TN
holds 'A, B and C' [ "$(grep -c '>[ABC] (' atom.svg)" -eq 3 ]
expect 0 'a tile of threads and values' "$gemmgen" layout --table --tv '(4,8)' '(8,4):(4,1)'
holds 'who holds what' grep -q 'T7V3 |' out
expect 0 'a large layout at a glance' "$gemmgen" layout --table --compact '(4096,4096):(4096,1)'
holds 'its ends' grep -q '16777215 |' out
expect 0 'bank conflicts' "$gemmgen" layout --table \
  'bank_conflicts(CLayout(SM80_16x8x16_F32F16F16F32_TN), (16,8):(64,1), float, 8)'
holds 'by access' grep -Eq '^1 +2-3 +0 +8 +2 +4 +0-7$' out
expect 2 '--tv alone' "$gemmgen" layout --tv '(4,8)' '(8,4):(4,1)'
expect 2 '--compact alone' "$gemmgen" layout --compact '(8,4):(4,1)'
expect 2 '--bits without a picture' "$gemmgen" layout --table --bits 16 '(8,4):(4,1)'
expect 0 'layout as a page' "$gemmgen" layout --html -o layout.html '(4,8):(8,1)(_,1)'
holds 'its steps' [ "$(grep -c '<summary>' layout.html)" -eq 2 ]
expect 0 'a page for standard output' "$gemmgen" layout --html --compact --bits 16 '(4,8):(8,1)'
holds 'it is there' grep -q '</html>' out
expect 2 '-o without --html' "$gemmgen" layout -o none.html '(4,8):(8,1)'
expect 2 '--html beside --svg' "$gemmgen" layout --html --svg none.svg '(4,8):(8,1)'
expect 2 '--html of lines' "$gemmgen" layout --html -
expect 1 'a page refused' "$gemmgen" layout --html -o none.html '(4,8):(8'
holds 'it is not written' [ ! -e none.html ]
expect 1 'a page of a name that is nothing' "$gemmgen" layout --html frobnicate
holds 'its place' grep -q ':1:1: error: no operation' err
expect 1 'a tile too small' "$gemmgen" layout --svg none.svg --tv '(4,4)' '(8,4):(4,1)'
holds 'nothing is written' [ ! -e none.svg ]
expect 1 'an atom without threads' "$gemmgen" layout --table \
  'SM100_MMA_F16BF16_SS<half_t,half_t,float,128,128,K,K>'
holds 'it says why' grep -q 'in tensor and shared memory' err
expect 1 'a name that is nothing' "$gemmgen" layout frobnicate
holds 'its place' grep -q ':1:1: error: no operation' err
expect 1 'layout refused' "$gemmgen" layout '(4,8):(8'
expect 1 'layout lines' bash -c "printf '4:1\n(\n8:2\n' | '$gemmgen' layout -"
holds 'a result a line' [ "$(wc -l <out)" -eq 3 ]

# run uses the emulator where there is no GPU, and says plainly when none is to be had
for arch in sm_86:90 sm_103a:103; do
  sed "s/sm_80/${arch%:*}/" spec.yaml >old.yaml
  expect 0 "a device that runs ${arch%:*}" "$gemmgen" run old.yaml -m 9 -n 9 -k 9 --device emu
  holds 'is the emulator'"'"'s' grep -q "sm_${arch#*:}$" out
done
GEMMGEN_EMU_ARCH=90 expect 1 'the environment decides' "$gemmgen" run old.yaml -m 9 -n 9 -k 9 --device emu
holds 'and it is told' grep -q 'needs sm_103a, the device is sm_90' err
expect 0 'run' "$gemmgen" run spec.yaml -m 33 -n 17 -k 9
expect 0 'run in the emulator' "$gemmgen" run spec.yaml -m 33 -n 17 -k 9 --device emu --emu-seed 3 \
  --emu-threads 1 --counters counters.json --trace trace.json
holds 'it says so' grep -q 'gemmgen emulator' out
holds 'the counters are JSON' json counters.json
holds 'the timeline is JSON' json trace.json
holds 'launches have names' grep -q ', integers: CTA (0, 0, 0)"' trace.json
printf 'arch: sm_90a\na: bf16\nb: bf16\nd: bf16\ntile: [128, 128, 64]\n' >roles.yaml
expect 0 'run warps of two roles' "$gemmgen" run roles.yaml -m 128 -n 128 -k 256 --device emu \
  --trace roles.json
holds 'tracks are named by roles' grep -q '"consumer 0, warp 4"' roles.json
holds 'waits are named by barriers' grep -q '"ph":"X","name":"full\[0\]"' roles.json
printf 'epilogue:\n  - bias: {type: f32}\n' >>roles.yaml
expect 0 'run warps of three roles' "$gemmgen" run roles.yaml -m 128 -n 128 -k 256 --device emu \
  --trace roles.json
holds 'the third has its name' grep -q '"vectors, warp 1"' roles.json
printf 'arch: sm_90a\na: bf16\nb: bf16\nd: bf16\ntile: [64, 32, 64]\ncluster: [2, 2, 1]\nstages: 2\n' \
  >square.yaml
expect 0 'run a square cluster' "$gemmgen" run square.yaml -m 128 -n 64 -k 1024 --device emu \
  --trace square.json
holds 'both kinds of empty barriers have names' grep -q '"name":"empty of B\[0\]"' square.json
expect 0 'a timeline of stamps' "$gemmgen" trace roles.yaml -m 128 -n 128 -k 256 --device emu -o stamps.json
holds 'is JSON' json stamps.json
holds 'has the same tracks' grep -q '"consumer 0, warp 4"' stamps.json
holds 'and names' grep -q '"ph":"X","name":"full\[0\]"' stamps.json
holds 'D is the same' grep -q 'D is the same, bit by bit' out
expect 0 'of few stamps' "$gemmgen" trace roles.yaml -m 128 -n 128 -k 256 --device emu -o few.json --stamps 9
holds 'it says what has no room' grep -q 'stamps had no room' out
holds 'the timeline, too' grep -Eq '"left_out":[1-9]' few.json
expect 0 'of a CTA of several' "$gemmgen" trace roles.yaml -m 300 -n 128 -k 64 --device emu --ctas 1
holds 'without -o there is a file, too' grep -q 'CTA (0, 0, 0)' trace.json
holds 'of that CTA alone' bash -c '! grep -q "CTA (1, 0, 0)" trace.json'
sed '1i trace: true' roles.yaml >traced.yaml
expect 0 'of a spec that has the key' "$gemmgen" trace traced.yaml -m 64 -n 64 -k 64 --device emu
expect 0 'which runs without memory for stamps' "$gemmgen" run traced.yaml -m 64 -n 64 -k 64 --device emu
printf 'arch: sm_80\na: f32\nb: f32\nd: f32\nschedule: naive\n' >naive.yaml
expect 1 'of a family without stamps' "$gemmgen" trace naive.yaml --device emu
holds 'with its place' grep -q 'naive.yaml:1:7: error: family naive has no trace true' err
expect 2 'of no spec' "$gemmgen" trace --device emu
expect 2 'of two devices' "$gemmgen" trace roles.yaml --device both
expect 2 'of several kernels' bash -c "sed '1i sweep: {stages: [2, 3]}' roles.yaml >two.yaml && '$gemmgen' trace two.yaml --device emu"
expect 2 'of nothing' "$gemmgen" trace roles.yaml -m 0 --device emu
expect 1 'a timeline that cannot be' "$gemmgen" trace roles.yaml --device emu -o none/trace.json
expect 0 'run and count' "$gemmgen" run spec.yaml -m 33 -n 17 -k 9 --device emu --counters -
holds 'counters as text' grep -q 'tensor-core multiply-adds' out
expect 2 'a device that is none' "$gemmgen" run spec.yaml --device tpu
expect 2 'a limit that is none' "$gemmgen" run spec.yaml --device emu --emu-max-steps -2
expect 1 'a limit that a kernel meets' "$gemmgen" run spec.yaml -m 33 -n 17 -k 9 --device emu \
  --emu-max-steps 1
expect 0 'no limit' "$gemmgen" run spec.yaml -m 33 -n 17 -k 9 --device emu --emu-max-steps -1
expect 2 'a seed that is none' "$gemmgen" run spec.yaml --device emu --emu-seed x
expect 0 'severities' "$gemmgen" run spec.yaml -m 33 -n 17 -k 9 --device emu --hazards warn,race=fault
expect 2 'a class that is none' "$gemmgen" run spec.yaml --device emu --hazards speed=off
holds 'it lists them' grep -q 'there are uninitialised, undefined, race, relaxed, overtaken, in-flight, exit' err
expect 2 'a severity that is none' "$gemmgen" run spec.yaml --device emu --hazards race=loud
expect 2 'a severity of nothing' "$gemmgen" run spec.yaml --device emu --hazards race=off,
expect 2 'severities of the environment' env GEMMGEN_EMU_HAZARDS=0 "$gemmgen" run spec.yaml --device emu
holds 'it names the variable' grep -q 'GEMMGEN_EMU_HAZARDS' err
expect 1 'a trace that cannot be' "$gemmgen" run spec.yaml --device emu --trace none/trace.json
expect 1 'a trace for which there is no room' "$gemmgen" run spec.yaml -m 3 -n 3 -k 3 --device emu --trace /dev/full
holds 'it says so' grep -q "'/dev/full'.*No space left on device" err
"$gemmgen" run spec.yaml -m 33 -n 17 -k 9 --device gpu >out 2>err
status=$?
holds 'run: 0 with a GPU, 3 without' [ "$status" -eq 0 -o "$status" -eq 3 ]
if [ "$status" -eq 3 ]; then holds 'it says so' grep -qi 'not run' out; fi
expect 0 'emu --list' "$gemmgen" emu --list
holds 'opcodes' grep -q '^mma$' out
expect 2 'emu of nothing' "$gemmgen" emu
expect 1 'emu of no file' "$gemmgen" emu none.json

finish
