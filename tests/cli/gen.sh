#!/usr/bin/env bash
# gemmgen gen: where outputs go, what they are called, depfiles, sweeps with what is refused in them.
#   gen.sh GEMMGEN
. "$(dirname "$0")/expect.sh"
. "$tests/specs.sh"

# gen
expect 0 'gen to standard output' "$gemmgen" gen spec.yaml
holds 'it is the kernel' grep -q 'small(' out
expect 0 'gen from standard input' bash -c "'$gemmgen' gen - <spec.yaml"
expect 0 'gen to a file' "$gemmgen" gen spec.yaml -o one.cu
expect 0 'gen to a directory' "$gemmgen" gen spec.yaml -o two/
holds 'twice the same' cmp -s one.cu two/small.cu
holds 'no path of this machine' bash -c "! grep -q '$dir' one.cu"
expect 2 'several kernels to one file' "$gemmgen" gen sweep.yaml -o one.cu
expect 2 'several kinds to one file' "$gemmgen" gen --emit cu,plan spec.yaml -o one.cu
expect 2 'an unknown kind' "$gemmgen" gen --emit cu,exe spec.yaml -o all/
expect 0 'a sweep to a directory' "$gemmgen" gen --emit cu,plan sweep.yaml -o all/ --depfile all.d
holds 'a kernel a combination' [ "$(find all -name '*_s?_*.cu' | wc -l)" -eq 4 ]
holds 'plans are JSON' json "$(find all -name '*.plan' | head -n 1)"
holds 'the depfile names the spec' grep -q ': sweep.yaml' all.d
# PTX of a template, or of NVRTC, which says so
printf 'name: small\narch: sm_90a\na: bf16\nb: bf16\nd: bf16\n' >ptx.yaml
expect 0 'PTX of a template' "$gemmgen" gen --emit ptx ptx.yaml -o small.ptx
holds 'it is a kernel' grep -q '^    small($' small.ptx
holds 'that nobody compiled' bash -c "! grep -q NVVM small.ptx"
holds 'nothing is said' [ ! -s err ]
echo 'raster: {order: hilbert}' >>ptx.yaml
expect 0 'PTX of NVRTC' "$gemmgen" gen --emit ptx ptx.yaml -o small.ptx
holds 'it is' grep -q NVVM small.ptx
holds 'it says why' grep -q '^ptx.yaml:1:7: note: NVRTC made this PTX: .* has none with tiles along a Hilbert curve' err
expect 1 'PTX that no compiler makes' "$gemmgen" gen --emit ptx --arch sm_80 ptx.yaml -o old.ptx
holds 'nobody says it has been made' bash -c "! grep -q 'made this PTX' err"
# PTX with comments, of both kinds
expect 2 'comments of something else' "$gemmgen" gen --annotate ptx.yaml
holds 'it says what it needs' grep -q -- '--annotate is of PTX: it needs --emit ptx' err
expect 0 'PTX of NVRTC with comments' "$gemmgen" gen --emit ptx --annotate ptx.yaml -o noted.ptx
holds 'lines of the source' grep -Eq '^\s*// [0-9]+: ' noted.ptx
holds 'parts of the template' grep -q '^// ---- The producer -' noted.ptx
holds 'rings' grep -q '^// stages: .* filled$\|^// stages: .* filled by producer' noted.ptx
holds 'who waits' grep -q '// async: waits at barrier full, .*ring stages, until producer has filled it' noted.ptx
holds 'nothing but comments' bash -c "diff <(grep -Ev '^\s*(//|$)' small.ptx) <(grep -Ev '^\s*(//|$)' noted.ptx)"
sed -i '$d' ptx.yaml
expect 0 'PTX of a template with comments' "$gemmgen" gen --emit cu,ptx --annotate ptx.yaml -o noted/
holds 'both are there' [ -s noted/small.cu -a -s noted/small.ptx ]
holds 'its registers by name' grep -q '// %bar_full = address of barrier full, ring stages' noted/small.ptx
holds 'lines of 100 columns' bash -c "! grep -Eq '.{101}' noted/small.ptx"
printf 'arch: sm_120\na: f16\nb: f16\nd: f16\ntile: [64, 64, 32]\nschedule: multistage\n' >later.yaml
expect 0 'PTX of a later target' "$gemmgen" gen --emit ptx later.yaml -o later.ptx
holds 'of the first version that has it' grep -qx '.version 8.7' later.ptx
expect 1 'a bad spec' "$gemmgen" gen bad.yaml -o bad.cu
holds 'nothing is written' [ ! -e bad.cu ]
holds 'file:line:column' grep -Eq '^bad.yaml:[0-9]+:[0-9]+: error: ' err
holds 'the source line and a caret' grep -Eq '^ +\| +\^' err
expect 1 'no such spec' "$gemmgen" gen none.yaml
expect 1 'a folder for a spec' "$gemmgen" gen .
mkfifo silent
expect 1 'a FIFO that nobody writes' timeout 10 "$gemmgen" gen silent
holds 'it says so' grep -q 'nobody writes' err
expect 0 'a spec from a pipe' bash -c "'$gemmgen' check <(sleep 0.2; cat spec.yaml)"
mkdir locked && touch locked/file
expect 1 'an output that cannot be written' "$gemmgen" gen spec.yaml -o locked/file/x.cu
holds 'GG_E_FILE_WRITE' grep -q FILE_WRITE err
holds 'no temporary file' [ "$(find . -name '*.cu.*' | wc -l)" -eq 0 ]
# -o DIR as it is said, folders that are missing, and depfiles for make and ninja
expect 0 'several kinds make a directory' "$gemmgen" gen --emit cu,plan spec.yaml -o made
holds 'with both' [ -s made/small.cu -a -s made/small.plan ]
expect 0 'several specs make a directory' "$gemmgen" gen spec.yaml sweep.yaml -o deep/made
holds 'with all' [ "$(find deep/made -name '*.cu' | wc -l)" -eq 5 ]
expect 0 'folders of files are made' "$gemmgen" gen spec.yaml -o deep/er/one.cu --depfile deep/est/d
holds 'both are there' [ -s deep/er/one.cu -a -s deep/est/d ]
expect 2 'several specs to one file' "$gemmgen" gen spec.yaml sweep.yaml -o one.cu
expect 2 'no kind' "$gemmgen" gen --emit '' spec.yaml
expect 2 'a file without a name is not standard output' "$gemmgen" gen -o '' spec.yaml
holds 'what it lacks' grep -q "output needs a value, not ''" err
holds 'nothing is written' [ ! -s out ]
expect 2 'a kind too few' "$gemmgen" gen --emit cu, spec.yaml
expect 2 'a depfile of standard output' "$gemmgen" gen spec.yaml -o - --depfile d
odd='a b#$c\ d.yaml'
cp spec.yaml "$odd"
expect 0 'names that need quotes' "$gemmgen" gen "$odd" -o 'out dir//' --depfile d
holds 'they have them' [ "$(cat d)" = 'out\ dir/small.cu: a\ b\#$$c\\\ d.yaml' ]
expect 0 'standard input' bash -c '"$0" gen - -o stdin/ --depfile d <spec.yaml' "$gemmgen"
holds 'is no file to depend on' [ "$(cat d)" = 'stdin/small.cu:' ]
if command -v make >out; then
  "$gemmgen" gen "$odd" -o 'out dir' --depfile d
  printf 'all: out\\ dir/small.cu\nout\\ dir/small.cu:\n\ttouch by-make\ninclude d\n' >Makefile
  touch -d '1 hour ago' 'out dir/small.cu'
  expect 0 'make reads it' make -s
  holds 'and makes again' [ -e by-make ]
fi

# Kernels that differ have names that differ, or names of their own
variant() {
  printf 'arch: sm_90a\na: bf16\nb: bf16\nd: bf16\ntile: [128, 128, 64]\n%s\n' "$1"
}
mkdir unnamed
number=0
while read -r line; do
  number=$((number + 1))
  variant "$line" >unnamed/$number.yaml
done <<'EOF'

c: auto
c: f32
c: {type: bf16, major: m}
swizzle: 64B
swizzle: {a: 64B}
swizzle: {b: 32B}
raster: along_m
raster: along_n
raster: {order: along_m, group: 4}
raster: hilbert
epilogue: [relu]
epilogue: [linear, relu]
epilogue: [linear, {bias: {along: m}}]
epilogue: [linear, {bias: {type: f32}}]
epilogue: [linear, {gelu: {form: tanh}}]
epilogue: [linear, {gelu: {form: tanh_approx}}]
epilogue: [linear, gelu]
epilogue: [{linear: {alpha: false}}]
epilogue: [residual, aux]
epilogue: [residual, {aux: {type: f32}}]
operand_source: {a: registers}
problem: {m: 128}
problem: {k: 128}
problem: {batch: 1}
schedule: warp_specialized
schedule: multistage
schedule: pingpong
scheduler: data_parallel
scheduler: {kind: split_k, splits: 4}
scheduler: split_k
cluster: [2, 1, 1]
atom_layout: [1, 1, 1]
stages: 2
EOF
variant 'promote: 4' | sed 's/: bf16/: e4m3/; s/64\]/128]/' >unnamed/promote.yaml
variant 'promote: 0' | sed 's/: bf16/: e4m3/; s/64\]/128]/' >unnamed/short.yaml
variant '' | sed 's/a: bf16/a: {type: bf16, align: 8}/' >unnamed/align.yaml
variant '' | sed 's/sm_90a/sm_89/' >unnamed/sm_89.yaml
variant '' | sed 's/sm_90a/sm_80/' >unnamed/sm_80.yaml
many='residual, {residual: {type: f32}}, {residual: {type: e4m3}}, {aux: {type: f32}}, gelu, relu'
variant "epilogue: [$many, {scale: {along: m}}]" >unnamed/long.yaml
variant "epilogue: [$many, {scale: {along: n}}]" >unnamed/longer.yaml
expect 0 'unnamed kernels' "$gemmgen" gen unnamed/*.yaml -o unnamed/out
holds 'a file each' [ "$(find unnamed/out -name '*.cu' | wc -l)" -eq "$(ls unnamed/*.yaml | wc -l)" ]
holds 'names of at most 88 characters' bash -c "! ls unnamed/out | grep -Eq '.{92}'"
sed 's/64, 32/64, 64/' spec.yaml >other.yaml
expect 1 'two kernels of one name' "$gemmgen" gen spec.yaml other.yaml -o clash/
holds 'both are named' grep -q "^other.yaml:1:7: error: 'small' .* the other is of spec.yaml:1:7" err
holds 'GG_E_GEN_NAME' grep -q GEN_NAME err
holds 'nothing is written' [ ! -e clash ]
expect 0 'one kernel twice' "$gemmgen" gen spec.yaml spec.yaml -o clash/

# A relu that comes last is the conversion's
for d in bf16 f16 e4m3 e5m2; do
  variant 'epilogue: [{bias: {type: f32}}, relu]' | sed "s/^d: .*/d: $d/" >relu.yaml
  expect 0 "relu to $d" "$gemmgen" gen relu.yaml
  holds 'in the conversion' grep -q "cvt.rn.*relu.${d}x2.f32" out
  holds 'no other' bash -c '! grep -q "relu(x" out'
done
for d in f32 s8; do
  variant 'epilogue: [{bias: {type: f32}}, relu]' | sed "s/^d: .*/d: $d/" >relu.yaml
  expect 0 "relu to $d" "$gemmgen" gen relu.yaml
  holds 'as an operation' grep -q 'x = {relu(x.x), relu(x.y)};' out
done
variant 'epilogue: [relu, {bias: {type: f32}}]' >relu.yaml
expect 0 'relu in front' "$gemmgen" gen relu.yaml
holds 'as an operation' grep -q 'x = {relu(x.x), relu(x.y)};' out

# What threads read of matrices comes to L2 before; nothing of it where they read none
reads() { # HOW_MANY SPEC: calls of prefetches, and loads that no branch parts
  expect 0 "$2" "$gemmgen" gen matrices.yaml
  holds 'prefetches' [ "$(grep -c 'prefetch.global.L2' out)" -eq "$1" ]
  [ "$1" -eq 0 ] || holds 'no branch' grep -q '@exists ld.global' out
}
for epilogue in '[]' '[residual]' '[linear]'; do
  c=$([ "$epilogue" = '[linear]' ] && echo 'c: auto')
  many=$([ "$epilogue" = '[]' ] && echo 0 || echo 1)
  variant "epilogue: $epilogue" | sed "s/^tile.*/&\n$c/" >base.yaml
  sed 's/sm_90a/sm_80/' base.yaml >matrices.yaml && reads $many "sm80 $epilogue"
  sed '$aschedule: multistage' base.yaml >matrices.yaml && reads $many "multistage $epilogue"
  sed 's/^d: .*/d: {type: bf16, align: 2}/; s/^c: .*/c: {type: bf16, align: 2}/' base.yaml >matrices.yaml
  reads $many "unaligned $epilogue"
  cp base.yaml matrices.yaml && reads 0 "fetched $epilogue"
done

# A sweep goes on past what is refused where that is asked for
cat >part.yaml <<'EOF'
arch: sm_80
a: f16
b: f16
d: f16
tile: [64, 64, 32]
sweep: {stages: [1, 2, 3]}
EOF
expect 1 'check stops' "$gemmgen" check part.yaml
holds 'at the first' [ ! -s out ]
for command in check 'gen -o part' explain 'explain --json' 'run -m 9 -n 9 -k 9 --device emu'; do
  expect 1 'going on' "$gemmgen" $command --keep-going part.yaml
  holds 'the refused one is told' [ "$(grep -c 'error:' err)" -eq 1 ]
done
holds 'the others ran' [ "$(grep -c ' pass: ' out)" -eq 4 ]
holds 'the others were written' [ "$(find part -name '*.cu' | wc -l)" -eq 2 ]

# Outputs that are no plain file are written where they are, as a shell's redirection would
mkfifo pipe
timeout 10 cat pipe >received &
expect 0 'gen to a FIFO' timeout 10 "$gemmgen" gen spec.yaml -o pipe
holds 'it is one still' [ -p pipe ]
wait
holds 'who reads it gets the kernel' cmp -s one.cu received
mkdir real
ln -s real/linked.cu link.cu
expect 0 'gen to a link that leads nowhere yet' "$gemmgen" gen spec.yaml -o link.cu
holds 'its target is made' cmp -s one.cu real/linked.cu
expect 0 'an SVG to a link' "$gemmgen" layout --svg link.cu '(4,8):(8,1)'
holds 'the link stays' [ -L link.cu ]
holds 'its target is replaced' grep -q '</svg>' real/linked.cu
ln -s loop2 loop1 && ln -s loop1 loop2
expect 1 'links in a circle' "$gemmgen" gen spec.yaml -o loop1
touch private.cu && chmod 640 private.cu
expect 0 'gen to a file with permissions of its own' "$gemmgen" gen spec.yaml -o private.cu
holds 'they stay' [ "$(stat -c %a private.cu)" = 640 ]
ln -s /proc/self/fd/1 stdout # as /dev/stdout is, which a mistake here had better not replace
expect 0 'gen to /dev/stdout' bash -c "echo before >both; '$gemmgen' gen spec.yaml -o stdout >>both"
holds 'what was there stays' [ "$(head -n 1 both)" = before ]
if mknod null c 1 3 2>/dev/null && : 2>/dev/null >null; then
  expect 0 'outputs to a device' "$gemmgen" gen spec.yaml -o null --depfile null
  expect 0 'a trace to a device' "$gemmgen" run spec.yaml -m 3 -n 3 -k 3 --device emu --trace null \
    --counters null
  holds 'it is one still' [ -c null ]
fi
echo mine >kept.cu && chmod 444 kept.cu
as_other=()
if [ "$(id -u)" -eq 0 ]; then
  chmod 755 . && chown 65534 kept.cu && as_other=(setpriv --reuid=65534 --clear-groups)
fi
if [ "$(id -u)" -ne 0 ] || "${as_other[@]}" test -x "$gemmgen" 2>/dev/null; then
  expect 1 'gen to a read-only file' "${as_other[@]}" "$gemmgen" gen spec.yaml -o kept.cu
  holds 'it is untouched' [ "$(cat kept.cu)" = mine ]
fi

finish
