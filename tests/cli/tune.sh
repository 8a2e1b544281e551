#!/usr/bin/env bash
# gemmgen tune in the emulator: figures, winners, taking a run up again, what is refused.
#   tune.sh GEMMGEN
. "$(dirname "$0")/expect.sh"
export GEMMGEN_TUNED=$dir/tuned

cat >sweep.yaml <<'YAML'
arch: sm_80
a: bf16
b: bf16
d: bf16
sweep: {tile: [[32, 32, 32], [64, 32, 32]]}
YAML
echo 'f16 f16 f32 f32 k k n 32 32 32 1' >cases.txt
tune=("$gemmgen" tune --device emu --output tuned sweep.yaml)
product=(--problem '32 32 32' --types f16,f16,f32)

# Usage
expect 2 'neither a problem nor cases' "${tune[@]}"
expect 2 'both of them' "${tune[@]}" "${product[@]}" --cases cases.txt
expect 2 'two devices' "$gemmgen" tune --device both "${product[@]}"
expect 2 'too many samples' "${tune[@]}" "${product[@]}" --samples 1000
expect 1 'types that nothing has' "$gemmgen" tune --device emu --problem '32 32 32' \
  --types f32,f16,f32,f32
holds 'the message names them' grep -q 'GEMM_FORM' err

# Without a GPU there is nothing to tune for, and the emulator's times are for nobody
"$gemmgen" tune sweep.yaml "${product[@]}" >out 2>err </dev/null
status=$?
holds 'tune: 0 with a GPU, 3 without' [ "$status" -eq 0 -o "$status" -eq 3 ]
if [ "$status" -eq 3 ]; then
  holds 'it says what there is instead' grep -q 'device emu' err
  expect 0 'tune in the emulator' "$gemmgen" tune --device emu sweep.yaml "${product[@]}"
  holds 'it says that nothing is installed' grep -q 'nothing is installed' err
  holds 'and nothing is' [ ! -e tuned ]
fi

# A run, and the winner
expect 0 'a product' "${tune[@]}" "${product[@]}"
holds 'two kernels were measured' grep -q 'of 2$' out
winner=$(echo tuned/*/f16,f16,f32,f32,kkn,32x32x32,b1.yaml)
holds 'the winner is a spec' "$gemmgen" check "$winner"
holds 'with its figure' grep -q '^# .* TFLOP/s' "$winner"
holds 'and the product as it was' grep -q '^d: {type: f32, major: n, align: 16}$' "$winner"

# Taken up again: nothing is measured, the winner comes back
before=$(cat "$winner")
rm "$winner"
expect 0 'again, as a case' "${tune[@]}" --cases cases.txt
holds 'the figures are those of before' test "$before" = "$(cat "$winner")"

# Figures that are no times do not win, and are measured again
for figure in -1.0 0.0 9e999 -9e999 "'nan'" "'fast'" "x''"; do
  python3 - "$figure" <<'PY'
import sqlite3, sys
base = sqlite3.connect('tuned/figures.sqlite')
base.execute('UPDATE figure SET seconds = ' + sys.argv[1] + ', right = 1')
base.commit()
PY
  expect 0 "a figure of $figure" "${tune[@]}" "${product[@]}"
  holds 'another one wins' grep -Eq ' [0-9.]*[1-9][0-9.]* us ' out
  holds 'and it is positive' bash -c "! grep -Eq 'inf|nan|-[0-9]' out"
done

# Epilogues: each has a winner and figures of its own, and the bare product's stay as they are
words=none,bias_gelu,beta_c,beta_c_in_place,scales
expect 2 'an epilogue that is none' "${tune[@]}" "${product[@]}" --epilogue bias,geul
holds 'what is near it is named' grep -q "did you mean 'gelu'" err
expect 0 'epilogues' "${tune[@]}" "${product[@]}" --epilogue "$words"
holds 'what the product cannot have is told' grep -q 'skipped with scales: ' out
holds 'none is the bare product' grep -q '^f16,f16,f32,f32,kkn,32x32x32,b1 ' out
with=$(echo tuned/*/f16,f16,f32,f32,kkn,bias_n_f32+gelu_tanh_approx,32x32x32,b1.yaml)
holds 'the winner has the epilogue' grep -q 'gelu: {form: tanh_approx}' "$with"
holds 'and is a spec' "$gemmgen" check "$with"
holds 'that of C has C' grep -q '^c: {type: f32' tuned/*/f16,f16,f32,f32,kkn+c_f32,32x32x32,b1.yaml
expect 0 'again, with epilogues' "${tune[@]}" --cases cases.txt --epilogue bias_gelu
holds 'the figures are taken' python3 - <<'PY'
import sqlite3
base = sqlite3.connect('tuned/figures.sqlite')
count = dict(base.execute("SELECT product, COUNT(*) FROM figure WHERE product LIKE '%32x32x32%'"
                          " GROUP BY product"))
form, of = 'f16,f16,f32,f32,kkn', ',32x32x32,b1'
assert count == {form + of: 2, form + ',bias_n_f32+gelu_tanh_approx' + of: 2, form + '+c_f32' + of: 2,
                 form + '+c_f32' + of + ',in_place': 2}, count
PY

# Scale factors are in the product's name and in the winner's text
GEMMGEN_EMU_ARCH=100 expect 0 'scale factors' "$gemmgen" tune --device emu --output tuned --top 1 \
  --problem '128 64 96' --types e2m1:ue4m3,e2m1:ue4m3,bf16
scaled=$(echo tuned/*/e2m1:ue4m3,e2m1:ue4m3,bf16,f32,kkn,128x64x96,b1.yaml)
holds 'the winner has them' grep -q 'scale: {type: ue4m3, block: 16}' "$scaled"
holds 'and is a spec' "$gemmgen" check "$scaled"

# Ended early: what was measured stays, and the rest is measured then
more=(--problem '32 32 64' --types f16,f16,f32)
timeout -s INT 0.2 "${tune[@]}" "${more[@]}" >out 2>err
expect 0 'after an end' "${tune[@]}" "${more[@]}"

# A database that is none
echo 'this is a text, and no database at all' >text
expect 1 'a text for a database' "${tune[@]}" "${product[@]}" --database text
holds 'GG_E_TUNE_STORE' grep -q 'text: file is not a database.*TUNE_STORE' err
holds 'and leaves it alone' grep -q 'no database at all' text

finish
