#!/bin/sh
# fingerprint.sh SOURCES OUT.c: what decides which kernel a product gets and what its text is, as one
# SHA-256: the generator, the templates, the catalogue, and the runtime that chooses. Two libraries
# of one fingerprint choose and generate the same, however they were compiled.
set -eu
sum=$(cd "$1" && find gen templates specs/catalogue runtime -type f \
  \( -name '*.c' -o -name '*.h' -o -name '*.def' -o -name '*.cu' -o -name '*.yaml' \) \
  ! -path 'gen/cli/*' ! -path 'runtime/emu/*' ! -path 'runtime/harness/*' \
  ! -path 'runtime/recipe/*' | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -d ' ' -f 1)
[ ${#sum} -eq 64 ]
printf '#include "fingerprint.h"\n\nconst char gg_fingerprint[] = "%s";\n' "$sum" > "$2"
