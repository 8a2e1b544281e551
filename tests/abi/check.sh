#!/usr/bin/env bash
# The binary interface held against abi.txt, which is that of the last change of it:
#   check.sh [--update | --break] SOURCE_ROOT NM LIBRARY... -- CC...
# --update notes what was appended; --break notes anything, for a new major version of the library.
set -eu
mode=check
case $1 in --update | --break) mode=${1#--}; shift ;; esac
here=${0%/*}
new=$(mktemp)
trap 'rm -f "$new"' EXIT
"$here/dump.sh" "$@" >"$new"
status=0
"$here/compare.sh" "$here/abi.txt" "$new" || status=$?

case $mode:$status in
  *:0 | update:1 | break:[12]) ;;
  check:1)
    echo 'Programs that are compiled already go on working. `ninja update-abi` notes what was appended.'
    exit 1 ;;
  *:2)
    echo 'Programs that are compiled already would fail: append to structs that begin with their size,'
    echo 'put members in the place of `reserved`, give new functions and numbers, and keep the old'
    echo '(gen/base/api.h). Before 1.0 a break may be meant: tests/abi/check.sh --break, and a line in'
    echo 'CHANGELOG.md.'
    exit 1 ;;
esac
if [ "$mode" != check ]; then cp "$new" "$here/abi.txt"; fi
