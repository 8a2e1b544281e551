#!/usr/bin/env bash
# The binary interface as text: of every struct of the public headers its size and where its members
# are, the numbers of enumerators, the functions' types, and what the libraries export.
#   dump.sh SOURCE_ROOT NM LIBRARY... -- CC...
# Made from the headers themselves, so that nothing is forgotten: a program that asks the compiler.
set -eu
root=$1 nm=$2
shift 2
libraries=()
while [ "$1" != -- ]; do
  libraries+=("$1")
  shift
done
shift
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
headers='#include "gemmgen_gemm.h"
#include "gemmgen_emu.h"'
include=(-I"$root/gen" -I"$root/runtime")

# Declarations, one a line, become statements that print them.
echo "$headers" | "$@" -std=c11 "${include[@]}" -E -P - | tr '\n' ' ' | awk '
function trim(s) { gsub(/[ \t]+/, " ", s); sub(/^ /, "", s); sub(/ $/, "", s); return s }
function print_line(s) { gsub(/"/, "\\\"", s); printf "  puts(\"%s\");\n", s }
function body(s) { sub(/^[^{]*\{/, "", s); sub(/\}[^}]*$/, "", s); return s }

function enumerators(list,    n, parts, i, name) {
  n = split(list, parts, ",")
  for (i = 1; i <= n; i++) {
    name = trim(parts[i])
    sub(/ ?=.*/, "", name)
    if (name !~ /^GG_/ || name ~ /_COUNT$/) continue # a count is of what is there now
    printf "  printf(\"  %%lld %s\\n\", (long long)%s);\n", name, name
  }
}

function member(type, name, declaration) {
  printf "  printf(\"  %%zu %%zu %s : %s\\n\", offsetof(%s, %s), sizeof(((%s *)0)->%s));\n",
    name, declaration, type, name, type, name
}

function members(type, list,    n, parts, i, m, names, j, name, first, base, declared) {
  n = split(list, parts, ";")
  for (i = 1; i <= n; i++) {
    first = trim(parts[i])
    if (first == "") continue
    if (match(first, /\(\*[a-z_0-9]+\)/)) {
      member(type, substr(first, RSTART + 2, RLENGTH - 3), first)
      continue
    }
    m = split(first, names, ",")
    base = names[1]
    sub(/[ *]*[a-z_0-9]+(\[[^]]*\])*$/, "", base)
    for (j = 1; j <= m; j++) {
      name = declared = trim(names[j])
      sub(/\[.*/, "", name)
      sub(/.*[ *]/, "", name)
      member(type, name, j == 1 ? declared : base " " declared)
    }
  }
}

function declaration(s,    name) {
  s = trim(s)
  if (s ~ /^typedef (struct|enum) gg_[a-z_0-9]+ \{/) {
    name = s
    sub(/.*\} ?/, "", name)
    if (s ~ /^typedef struct/) {
      printf "  printf(\"struct %s %%zu bytes, aligned to %%zu\\n\", sizeof(%s), _Alignof(%s));\n",
        name, name, name
      members(name, body(s))
    } else {
      print_line("enum " name)
      enumerators(body(s))
    }
  } else if (s ~ /^enum \{ *GG_/) {
    print_line("constants")
    enumerators(body(s))
  } else if (s ~ /^typedef struct gg_[a-z_0-9]+ gg_[a-z_0-9]+$/) {
    sub(/.* /, "", s)
    print_line("opaque " s)
  } else if (s ~ /visibility\("default"\)/ && s ~ / \*?gg_[a-z_0-9]+\(/) {
    gsub(/__attribute__ ?\(\([a-z]+(\([^()]*\))?\)\)/, "", s)
    print_line("function " trim(s))
  }
}

{
  depth = 0
  text = ""
  count = length($0)
  for (at = 1; at <= count; at++) {
    c = substr($0, at, 1)
    if (c == "{") depth++
    if (c == "}") depth--
    # The braces of extern "C" and of functions end what is declared.
    if (depth == 0 && c == ";") { declaration(text); text = ""; continue }
    text = text c
  }
}' >"$dir/statements"

{
  echo "$headers"
  echo '#include <stdio.h>'
  echo 'int main(void) {'
  cat "$dir/statements"
  echo '  return 0; }'
} >"$dir/dump.c"
"$@" -std=c11 "${include[@]}" "$dir/dump.c" -o "$dir/dump"
"$dir/dump"
for library in "${libraries[@]}"; do
  name=${library##*/}
  echo "exports of ${name%%.so*}"
  "$nm" -D --defined-only "$library" | awk '$2 ~ /[A-Z]/ && $2 != "A" { print "  " $3 }' | LC_ALL=C sort
done
