#!/usr/bin/env bash
# `gemmgen bench --measure` on a GPU that the host plays: what is fastest there is found, though the
# model has others before it, and timed.
#   played_measure.sh PLAYED_GEMMGEN
. "$(dirname "$0")/../cli/expect.sh"
cat >third.yaml <<'YAML'
{arch: sm_90, a: f32, b: f32, d: f32, schedule: simt, tile: [64, 64, 16]}
YAML
export PLAYED_SPECS=$dir/third.yaml PLAYED_FAST=gemm_simt_f32_f32_f32_f32_kkn_64x64x16_s3_x8_sm_90
echo 'f32 f32 f32 f32 k k n 96 64 64 1' >cases
bench() { "$gemmgen" bench --no-cublaslt --samples 1 --cases cases --tsv rows.tsv "$@"; }
kernels() { tail -n +2 rows.tsv | cut -f 2; }

expect 1 'the first by the model, of which nothing is played' bench --top 4
holds 'is others' [ "$(kernels | grep -nx "$PLAYED_FAST" | cut -d : -f 1)" = 3 ]
for run in measured remembered; do
  expect 0 "the one that is $run" bench --measure 4
  holds 'is the fastest' [ "$(kernels)" = "$PLAYED_FAST" ]
  holds 'and nothing is to be told' [ ! -s err ]
done
expect 0 'with an epilogue' bench --measure 4 --epilogue none
holds 'likewise' [ "$(tail -n 1 rows.tsv | cut -f 3)" = "$PLAYED_FAST" ]

expect 2 'too many' bench --measure 65
holds 'is told' grep -q -- '--measure is from 1 to 64' err
expect 2 'of a SPEC' bench --measure 4 third.yaml
expect 2 'with --top' bench --measure 4 --top 2
holds 'is told' grep -q 'without a SPEC, and without --top' err
finish
