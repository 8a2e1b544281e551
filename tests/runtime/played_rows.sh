#!/usr/bin/env bash
# `gemmgen bench --tsv` of a run that is cut off, on a GPU that the host plays: the file has what was
# measured by then, and is whole.
#   played_rows.sh PLAYED_GEMMGEN SPEC
spec=$(realpath "$2")
. "$(dirname "$0")/../cli/expect.sh"
export PLAYED_SPECS=$spec GEMMGEN_CACHE=
enough=1000 # cases, which take longer than anybody waits here

for i in $(seq $enough); do echo "bf16 bf16 f32 f32 k k n 16 16 $((8 * i)) 1"; done >cases
"$gemmgen" bench --no-cublaslt --samples 1 --cases cases --tsv rows.tsv "$spec" >out 2>err &
run=$!
for _ in $(seq 600); do
  [ "$(wc -l 2>/dev/null <rows.tsv)" -gt 2 ] 2>/dev/null && break
  kill -0 $run 2>/dev/null || break
  sleep 0.05
done
kill -KILL $run
wait $run 2>/dev/null
holds 'it was cut off' [ $? -eq 137 ]
rows=$(($(wc -l <rows.tsv) - 1))
holds 'rows are there' [ $rows -ge 2 -a $rows -lt $enough ]
holds 'each with all columns' [ "$(awk -F'\t' '{ print NF }' rows.tsv | sort -u)" = 11 ]
holds 'the last one, too' [ -z "$(tail -c 1 rows.tsv | tr -d '\n')" ]

expect 1 'a file that cannot be written' "$gemmgen" bench --no-cublaslt --samples 1 -m 16 -n 16 -k 16 \
  "$spec" --tsv nowhere/rows.tsv
holds 'is told' grep -q "cannot write 'nowhere/rows.tsv': No such file or directory" err
holds 'before anything is measured' [ ! -s out ]
finish
