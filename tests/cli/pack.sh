#!/usr/bin/env bash
# gemmgen pack: what it refuses, and that nothing is half-written. What it writes is compiled and run
# by tests/pack.
#   pack.sh GEMMGEN
. "$(dirname "$0")/expect.sh"
. "$tests/specs.sh"
sed 's/64, 32/64, 64/' spec.yaml >other.yaml

# The command line
expect 2 'no spec' "$gemmgen" pack -o gemms
expect 2 'no output' "$gemmgen" pack spec.yaml
expect 2 'an extension' "$gemmgen" pack spec.yaml -o out/gemms.c
holds 'it says what is wrong' grep -q "'gemms.c', which is no C identifier" err
expect 2 'a folder' "$gemmgen" pack spec.yaml -o out/
expect 2 'a word of C' "$gemmgen" pack spec.yaml -o while
expect 2 'a name of the library' "$gemmgen" pack spec.yaml -o gg_
expect 2 'an unknown architecture' "$gemmgen" pack spec.yaml -o gemms --arch sm_80,sm_81
holds 'it says which there are' grep -q "not 'sm_81'; there are 80, .*90a" err
expect 2 'an architecture too few' "$gemmgen" pack spec.yaml -o gemms --arch sm_80,

# Of the catalogue
expect 2 'no form' "$gemmgen" pack --catalogue --arch sm_90a -o p
expect 2 'no file' "$gemmgen" pack --catalogue --form bf16,bf16,bf16 --arch sm_90a
expect 2 'no architecture' "$gemmgen" pack --catalogue --form bf16,bf16,bf16 -o p
expect 2 'two architectures' "$gemmgen" pack --catalogue --form bf16,bf16,bf16 --arch 80,90a -o p
holds 'a pack is for one' grep -q 'with one architecture: a pack is for one' err
expect 2 'a list and all' "$gemmgen" pack --catalogue --form bf16,bf16,bf16 --arch 90a -o p --all --problem '1 1 1'
expect 2 'a rule' "$gemmgen" pack --catalogue --form bf16,bf16,bf16 --arch 90a -o p --depfile d
expect 2 'threads' "$gemmgen" pack --catalogue --form bf16,bf16,bf16 --arch 90a -o p --threads -1
for option in '--form bf16,bf16,bf16' '--problem 1' '--epilogue [relu]' --all '--threads 1'; do
  # shellcheck disable=SC2086 # words are arguments
  expect 2 "$option alone" "$gemmgen" pack spec.yaml -o gemms $option
  holds 'it says with what' grep -q "pack ${option%% *} goes with --catalogue" err
done

# Specs
expect 1 'a bad spec' "$gemmgen" pack bad.yaml -o gemms
holds 'file:line:column' grep -Eq '^bad.yaml:[0-9]+:[0-9]+: error: ' err
printf 'name: own\narch: sm_90a\na: bf16\nb: bf16\nd: bf16\n' >own.yaml
expect 1 'no architecture that runs it' "$gemmgen" pack own.yaml -o gemms --arch sm_80,sm_90,sm_100a
holds 'GG_E_PACK_ARCH, at the spec' grep -q \
  '^own.yaml:2:7: error: kernel own needs sm_90a, .* sm_80,sm_90,sm_100a none .* add sm_90a .*PACK_ARCH' err
holds 'the source line and a caret' grep -Eq '^ +\| +\^' err
holds 'nothing is written' [ ! -e gemms.c -a ! -e gemms.h ]
if ! "$gemmgen" pack spec.yaml -o probe/gemms >out 2>err; then
  grep -q NO_NVRTC err && { echo 'the rest is skipped: there is no NVRTC'; finish; exit; }
fi

# Names
expect 1 'two kernels of one name' "$gemmgen" pack spec.yaml other.yaml -o gemms
holds 'both are named' grep -q "^other.yaml:1:7: error: 'small' .* the other is of spec.yaml:1:7.*GEN_NAME" err
expect 0 'one kernel twice' "$gemmgen" pack spec.yaml spec.yaml -o twice/gemms
holds 'is one' [ "$(grep -c '^static const gg_kernel ' twice/gemms.c)" -eq 1 ]
sed 's/small/open/' spec.yaml >open.yaml
expect 1 'a name of the pack' "$gemmgen" pack open.yaml -o gemms
holds 'GG_E_PACK_NAME says whose' grep -q "^open.yaml:1:7: error: .*gemms_open, which is also the pack's own.*PACK_NAME" err
sed 's/small/kernel_small/' spec.yaml >kernel.yaml
expect 1 'a name that another kernel leads to' "$gemmgen" pack spec.yaml kernel.yaml -o gemms
holds 'it says which' grep -q 'gemms_kernel_small, which is also a function of kernel small' err
holds 'nothing is written' [ ! -e gemms.c -a ! -e gemms.h ]
expect 0 'a sweep' "$gemmgen" pack sweep.yaml -o swept/gemms
holds 'is all of it' [ "$(grep -c '^static const gg_kernel ' swept/gemms.c)" -eq 4 ]

# Architectures and images
images() { sed -n 's/^    {GG_FORMAT_\([A-Z]*\), "\(sm_[0-9a-z]*\)".*/\1 \2/p' "$1" | tr '\n' ' '; }
expect 0 'each once, ascending' "$gemmgen" pack spec.yaml -o a/gemms --arch 90a,sm_80,compute_90
holds 'as the kernel needs it, PTX of the newest' [ "$(images a/gemms.c)" = 'CUBIN sm_80 CUBIN sm_90 PTX sm_90 ' ]
expect 0 'without a list' "$gemmgen" pack spec.yaml -o b/gemms
holds 'its own' [ "$(images b/gemms.c)" = 'CUBIN sm_80 PTX sm_80 ' ]
expect 0 'an own target' "$gemmgen" pack own.yaml -o c/gemms --arch sm_80,sm_90a
holds 'has no PTX, which no other device runs' [ "$(images c/gemms.c)" = 'CUBIN sm_90a ' ]
expect 0 'with --ptx' "$gemmgen" pack own.yaml -o d/gemms --ptx
holds 'it has' [ "$(images d/gemms.c)" = 'CUBIN sm_90a PTX sm_90a ' ]

# Files of the catalogue's kernels
catalogue=("$gemmgen" pack --catalogue --arch sm_90a --form bf16,bf16,bf16)
expect 2 'types that are none' "${catalogue[@]}" bf16 -o p
holds 'the option is named' grep -q "^gemmgen: --form takes types of A, B and D" err
expect 1 'a type that is none' "${catalogue[@]}" q8,q8,q8 -o p
expect 2 'a product that is none' "${catalogue[@]}" -o p --problem '64 64'
expect 1 'a form that no kernel has' "$gemmgen" pack --catalogue --arch sm_80 --form e4m3,e4m3,bf16 -o p
holds 'it is named' grep -q 'no kernel of the catalogue computes e4m3,e4m3,bf16 on sm_80' err
expect 1 'an epilogue that is none' "${catalogue[@]}" -o p --problem '64 64 64' --epilogue '[nonsense]'
holds 'nothing is written' [ ! -e p ]
expect 0 'kernels of two products' "${catalogue[@]}" -o one.pack --problem '64 64 64; 65 65 65'
holds 'what there is of them is said' grep -Eq '^one.pack: [0-9]+ kernels of 4 forms for sm_90a, ' out
kernels() { sed -n 's/^[^:]*: \([0-9]*\) kernels of .*/\1/p' out; }
expect 0 'a product' "${catalogue[@]}" -o small.pack --problem '64 64 64'
one=$(kernels)
expect 0 'and another one of the same form' "${catalogue[@]}" -o both.pack --problem '64 64 64; 4096 4096 4096'
holds 'have more kernels' [ "$(kernels)" -gt "$one" ]
expect 0 'the same' "${catalogue[@]}" -o two.pack --problem '64 64 64; 65 65 65' --threads 1
holds 'is the same, byte for byte' cmp one.pack two.pack
expect 0 'a form twice' "${catalogue[@]}" bf16,bf16,bf16,f32 -o twice.pack --problem '64 64 64; 65 65 65'
holds 'is one' cmp one.pack twice.pack
expect 0 'with an epilogue' "${catalogue[@]}" -o relu.pack --problem '64 64 64' --epilogue '[linear, relu]'
holds 'it is another form' grep -aq 'bf16,bf16,bf16,f32,kkn,linear_alpha+relu' relu.pack
expect 0 'with PTX' "${catalogue[@]}" -o ptx.pack --problem '64 64 64' --ptx

# What the doctor says of them
head -c 3000 one.pack >cut.pack
sed 's/gemmpack/gemmsack/' one.pack >none.pack
export GEMMGEN_PACKS=$PWD/one.pack::cut.pack:none.pack:/nowhere/a.pack:ptx.pack:$PWD
expect 0 'packs of the environment' env GEMMGEN_EMU_ARCH=90 "$gemmgen" doctor
holds 'kernels, device and size' grep -Eq '^pack +/.*one.pack: sm_90, [0-9]+ kernels, [0-9.]+ MiB$' out
holds 'forms' grep -q '^ *of bf16,bf16,bf16,f32,kkn, in 2 alignments$' out
holds 'no emulator takes cubins' grep -q 'used by .*, and has no PTX for the emulator$\|used by device' out
holds 'one that is cut short' grep -q 'not usable: the pack cut.pack cannot be used: .* cut short' out
holds 'one that is something else' grep -q 'not usable: the pack none.pack .* it is no pack of kernels' out
holds 'one that is not there' grep -q 'not usable: the pack /nowhere/a.pack .* No such file' out
holds 'a folder' grep -q 'not usable: .* it is no regular file' out
holds 'with PTX' grep -Eq '^pack +ptx.pack: sm_90, [0-9]+ kernels with PTX' out
holds 'the emulator uses it' grep -q '^ *used by .*the emulator$' out
expect 0 'for programs' "$gemmgen" doctor --json
holds 'the same' grep -Eq '"path": "cut.pack", "usable": false, "why_not": ".*cut short' out
holds 'and forms' grep -Eq '"arch": 90, "kernels": [0-9]+, "ptx": true, .* "forms": \["bf16,bf16,bf16,f32,kkn", ' out
unset GEMMGEN_PACKS
expect 0 'no packs' "$gemmgen" doctor
holds 'it says so' grep -q '^packs *none: GEMMGEN_PACKS names none$' out
mkdir folder.pack
expect 1 'a file that cannot be written' "${catalogue[@]}" -o folder.pack --problem '64 64 64'

# Files
mkdir -p locked/gemms.c
expect 1 'a source that cannot be written' "$gemmgen" pack spec.yaml -o locked/gemms
holds 'GG_E_FILE_WRITE' grep -q FILE_WRITE err
holds 'then there is no header either' [ ! -e locked/gemms.h ]
echo before >locked/gemms.h
expect 1 'a header was there' "$gemmgen" pack spec.yaml -o locked/gemms
holds 'and is as it was' [ "$(cat locked/gemms.h)" = before ]
expect 0 'folders are made' "$gemmgen" pack spec.yaml -o deep/er/gemms --depfile deep/est/d
holds 'the rule names both' [ "$(cat deep/est/d)" = 'deep/er/gemms.c deep/er/gemms.h: spec.yaml' ]
expect 0 'from standard input' bash -c '"$0" pack - -o stdin/gemms --depfile rule <spec.yaml' "$gemmgen"
holds 'which is no file to depend on' [ "$(cat rule)" = 'stdin/gemms.c stdin/gemms.h:' ]
finish
