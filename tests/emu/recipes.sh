#!/usr/bin/env bash
# recipes.sh GEMMGEN FOLDER: every recipe of the folder in the emulator. What `gemmgen emu NAME.json`
# prints and its exit status must be NAME.out, whose last line is the status; runs of the same
# recipe with asynchronous work at random moments end alike.
set -u
gemmgen=$(realpath "$1")
cd "$2" || exit 2
export GEMMGEN_CACHE=
failures=0
for recipe in *.json; do
  name=${recipe%.json}
  got=$("$gemmgen" emu "$recipe" 2>&1; echo "exit status $?")
  if ! diff -u "$name.out" - <<<"$got"; then
    echo "$recipe: another output than expected" >&2
    failures=$((failures + 1))
  fi
  status=${got##* }
  "$gemmgen" emu "$recipe" --emu-seed 1 >/dev/null 2>&1
  if [ $? -ne "$status" ]; then
    echo "$recipe: another exit status with --emu-seed 1" >&2
    failures=$((failures + 1))
  fi
done
exit "$((failures > 0))"
