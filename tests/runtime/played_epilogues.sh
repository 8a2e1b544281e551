#!/usr/bin/env bash
# `gemmgen bench --epilogue` on a GPU and beside a cuBLASLt that the host plays: operands, strides and
# attributes reach the library as its documentation has them, and both results are checked.
#   played_epilogues.sh PLAYED_GEMMGEN PLAYED_CUBLASLT FOLDER
library=$(realpath "$2") specs=$3
. "$(dirname "$0")/../cli/expect.sh"
all=none,bias,bias_relu,bias_gelu,gelu_aux,dgelu,dgelu_bgrad,swiglu,geglu,residual,silu

# Every row of a table has these values in its columns.
column() { # FILE NAME
  awk -F'\t' -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
                           { print $at }' "$1"
}
every() { # FILE NAME VALUE COUNT
  [ "$(column "$1" "$2" | grep -cx -- "$3")" = "$4" ] && [ "$(column "$1" "$2" | wc -l)" = "$4" ]
}

export PLAYED_SPECS=$specs/epilogues.yaml
expect 0 'eleven epilogues' "$gemmgen" bench --cublaslt "$library" --epilogue $all -m 48 -n 40 -k 32 \
  -l 2 --tsv all.tsv --json all.json --markdown all.md "$specs/epilogues.yaml"
holds 'a row for each' every all.tsv 'case' 'f16,f16,f16,f32,kkn,48x40x32,b2' 11
holds 'ours are right' every all.tsv right 1 11
holds 'cuBLASLt is right' every all.tsv lt_right 1 11
holds 'what cuBLASLt does' [ "$(column all.tsv lt_does | tr '\n' ,)" = \
  'DEFAULT,BIAS,RELU_BIAS,GELU_BIAS,GELU_AUX_BIAS,DGELU,DGELU_BGRAD,the product,the product,C,the product,' ]
holds 'over the bare product' [ "$(column all.tsv over_bare | tr '\n' ,)" = \
  '0.0000,1.0000,1.0000,1.0000,1.0000,1.0000,1.0000,1.0000,1.0000,1.0000,1.0000,' ]
holds 'separate kernels beside each but the bare product' [ \
  "$(column all.tsv separate | sed 's/^0$/none/;s/^[0-9].*/some/' | tr '\n' ,)" = \
  'none,some,some,some,some,some,some,some,some,some,some,' ]
holds 'their mean' grep -q '^gelu_aux: 1 cases beside separate kernels: geometric mean ' out
holds 'a mean for each' grep -q '^gelu_aux: 1 cases beside cuBLASLt' out
holds 'no mean beside another work' bash -c '! grep -q "^silu: .*beside cuBLASLt" out'
holds 'the table has the word' grep -q '| 48 x 40 x 32, batch 2 | gelu_aux |' all.md
holds 'JSON' python3 -c 'import json
rows = json.load(open("all.json"))["results"]
assert [r["epilogue"] for r in rows][4] == "gelu_aux" and all(r["lt_right"] for r in rows)'

PLAYED_FAULT=1 expect 1 'a wrong result' "$gemmgen" bench --cublaslt "$library" --epilogue bias \
  -m 48 -n 40 -k 32 "$specs/epilogues.yaml"

PLAYED_CUBLASLT_REFUSES=1 expect 0 'launches that are refused' "$gemmgen" bench --cublaslt "$library" \
  --epilogue none,bias -m 48 -n 40 -k 32 "$specs/epilogues.yaml" --tsv refused.tsv --json refused.json
holds 'no figure' [ "$(column refused.tsv lt_does | tr '\n' ,)" = 'DEFAULT,-,' ]
holds 'why' grep -q 'bias *without cuBLASLt: cublasLtMatmul failed: CUBLAS_STATUS_INVALID_VALUE' out
holds 'in JSON, too' grep -q '"lt_obstacle": "cublasLtMatmul failed' refused.json
holds 'JSON' json refused.json

sed 's/align: 16/align: 2/; /linear/d; /bias\]/d; /relu/d; /residual/d; /silu/d; /dgelu/d; /gated/d; /\[bias, {/d' \
  "$specs/epilogues.yaml" >aux.yaml
PLAYED_SPECS=aux.yaml expect 0 'an aux of odd lines' "$gemmgen" bench --cublaslt "$library" \
  --epilogue gelu_aux -m 48 -n 33 -k 32 aux.yaml
holds 'whose multiples' grep -q 'gelu_aux *without cuBLASLt: .*multiples of 8 elements' out

expect 0 'without cuBLASLt' "$gemmgen" bench --no-cublaslt --epilogue none,beta_c,scales,bias \
  -m 48 -n 40 -k 32 "$specs/epilogues.yaml" --tsv alone.tsv
holds 'figures of ours alone' [ "$(column alone.tsv lt_does | tr '\n' ,)" = '-,-,' ]
holds 'what is for others' \
  grep -q 'scales *skipped: cuBLASLt has scales for operands of 8-bit floats alone' out
holds 'what no SPEC has' grep -q 'beta_c *skipped, no kernel covers it' out

export PLAYED_SPECS=$specs/epilogues_with_c.yaml
expect 0 'C, in place and apart' "$gemmgen" bench --cublaslt "$library" \
  --epilogue none,beta_c,beta_c_in_place -m 48 -n 40 -k 32 -l 2 --tsv c.tsv \
  "$specs/epilogues_with_c.yaml"
holds 'ours are right' every c.tsv right 1 3
holds 'cuBLASLt is right' every c.tsv lt_right 1 3
holds 'no separate kernel in place' [ "$(column c.tsv separate | sed 's/^0\..*/some/' | tr '\n' ,)" = \
  '0,some,0,' ]

export PLAYED_SPECS=$specs/epilogues_fp8.yaml
expect 0 '8-bit floats' "$gemmgen" bench --cublaslt "$library" \
  --epilogue none,bias,residual,scales,scales_d,scales_mn -m 48 -n 32 -k 32 --tsv fp8.tsv \
  "$specs/epilogues_fp8.yaml"
holds 'ours are right' every fp8.tsv right 1 6
holds 'cuBLASLt is right' every fp8.tsv lt_right 1 6
holds 'what cuBLASLt does' [ "$(column fp8.tsv lt_does | tr '\n' ,)" = \
  'DEFAULT,BIAS,C,scales of A and B,scales of A, B and D,outer-vector scales,' ]

export PLAYED_SPECS=$specs/pointers.yaml
expect 0 'arrays of addresses' "$gemmgen" bench --cublaslt "$library" --epilogue none,bias_relu,residual \
  -m 48 -n 40 -k 32 -l 5 --tsv pointers.tsv "$specs/pointers.yaml"
holds 'named' every pointers.tsv 'case' 'f16,f16,f16,f32,kkn,48x40x32,b5,pointers' 3
holds 'ours are right' every pointers.tsv right 1 3
holds 'cuBLASLt is right' every pointers.tsv lt_right 1 3
holds 'what cuBLASLt does' [ "$(column pointers.tsv lt_does | tr '\n' ,)" = 'DEFAULT,RELU_BIAS,-,' ]
holds 'why not a residual' grep -q 'residual *without cuBLASLt: .*a residual is none' out
PLAYED_CUBLASLT_STRIDED=1 expect 0 'a cuBLASLt without them' "$gemmgen" bench --cublaslt "$library" \
  -m 48 -n 40 -k 32 -l 2 "$specs/pointers.yaml"
holds 'which is said' grep -q 'without cuBLASLt: a batch by arrays of addresses failed: this version has none' out
echo 'f16 f16 f16 f32 k k n 48 40 32 3' >batch.txt
expect 0 'cases by --pointers' "$gemmgen" bench --cublaslt "$library" --pointers --epilogue none \
  --cases batch.txt --tsv cases.tsv "$specs/pointers.yaml"
holds 'cuBLASLt is right' every cases.tsv lt_right 1 1
expect 0 'a kernel of strides' "$gemmgen" bench --no-cublaslt --pointers --epilogue none \
  --cases batch.txt "$specs/epilogues.yaml"
holds 'is told apart' grep -q 'takes matrices at a constant stride' out
expect 0 'a kernel of arrays' "$gemmgen" bench --no-cublaslt --epilogue none --cases batch.txt \
  "$specs/pointers.yaml"
holds 'is told apart, too' grep -q 'takes arrays of addresses' out

# What no kernel of a device has is told before cuBLASLt is asked
echo 'e4m3:ue8m0 e4m3:ue8m0 bf16 f32 k k n 128 128 128 1' >scaled.txt
expect 0 'factors, on a device without them' "$gemmgen" bench --cublaslt "$library" --cases scaled.txt
holds 'why' grep -q '^e4m3:ue8m0,e4m3:ue8m0,bf16,f32,kkn,128x128x128,b1 *skipped: no kernel.* on sm_90: ' out

finish
