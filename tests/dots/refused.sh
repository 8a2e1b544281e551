#!/usr/bin/env bash
# dots_check says what is wrong with a file, and where; and a wrong D is a failure.
#   refused.sh DOTS_CHECK
set -u
check=$1
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
header='{"arch": "sm_100", "instruction": "tcgen05.mma.cta_group::1.kind::f8f6f4",'
header+=' "a": "e2m1", "b": "e2m1", "c": "f32", "d": "f32", "k": 32, "vectors": 1}'
ones=22222222222222222222222222222222
wrong=0

# expect STATUS LAST-LINE-OR-MESSAGE LINES...
expect() {
  local status=$1 message=$2 said
  shift 2
  printf '%s\n' "$@" > "$folder/file"
  said=$("$check" "$folder/file" 2>&1)
  [ $? = "$status" ] && [[ $said == *"$message"* ]] && return
  echo "expected $status, $message; got: $said"
  wrong=1
}

expect 0 '1 passed, 0 failed, 0 skipped' \
  "$header" '{"a":"'$ones'","b":"'$ones'","c":"00000000","d":"42000000"}'
expect 1 'kind::f8f6f4 of sm_100, no class: 42000000, not 42000001' \
  "$header" '{"a":"'$ones'","b":"'$ones'","c":"00000000","d":"42000001"}'
expect 0 '0 passed, 0 failed, 1 skipped' "${header/sm_100/sm_90}" '{"a":"'$ones'"}'
expect 1 'file:1: not JSON: ' '{"a": '
expect 1 'file:1: not a JSON object' 'word'
expect 1 'file:1: a vector before any header' '{"a":"00"}'
expect 1 'file:1: "k" is 0, and must be a number from 1 to 256' "${header/32, /0, }"
expect 1 'file:1: "a" is e9m9, which is no type of PTX' "${header/e2m1/e9m9}"
expect 1 'file:1: no "vectors"' "${header/vectors/figures}"
expect 1 'file:1: 0 vectors for the header on line 1, which says 1' "$header"
expect 1 'file:2: no "b"' "$header" '{"a":"'$ones'"}'
expect 1 "file:2: \"a\" has 'x' at 1, which is no hexadecimal digit" "$header" '{"a":"2x"}'
expect 1 'file:2: 32 elements of A and 31 of B: both must be a multiple of k = 32' \
  "$header" '{"a":"'$ones'","b":"'${ones%2}'"}'
expect 1 'file:2: "c" has 4 digits: f32 takes 8 an element, for 1 to 1 elements' \
  "$header" '{"a":"'$ones'","b":"'$ones'","c":"0000"}'
expect 1 '"sfa" has 2 scale factors: 32 elements in blocks of 32 have 1' \
  "${header/f8f6f4\", /mxf8f6f4\", \"block\": 32, \"scale\": \"ue8m0\", }" \
  '{"a":"'$ones'","b":"'$ones'","sfa":"7f7f","sfb":"7f","c":"00000000","d":"42000000"}'
exit $wrong
