#!/usr/bin/env bash
# No source file calls into another that calls back, over however many in between, but where the
# list below says so; the emulator apart. Who calls whom is asked of the objects.
#   circles.sh BUILD_ROOT
set -u
cd "$1" || exit 1

# Caller and callee that close a circle; a comment beside the call, or at its declaration, says why.
natural='
calculator/expr_name.c calculator/expr_parse.c
plan/elsewhere.c       plan/choose.c
plan/elsewhere.c       plan/targets.c
cmd_help.c             main.c
completion.c           main.c
manual.c               main.c
'

objects() {
  find gen/libgg_gen.a.p gen/libgg_launch_gen.a.p gen/cli/gemmgen.p runtime/libgg_launch.a.p \
    runtime/libgemmgen.*.p runtime/harness runtime/recipe \
    -name '*.o' ! -name 'emu_*' ! -name 'meson-generated*'
}
# "USER DEFINER" a line, as files: a symbol that one object needs and another defines.
edges() {
  objects | while read -r object; do
    name=${object##*/}
    nm -P "$object" | awk -v file="${name%.o}" '{ print $1, $2, file }'
  done | awk '
    $2 ~ /^[TDRBVW]$/ { defined[$1] = $3 }
    $2 == "U" { needed[++count] = $1 " " $3 }
    END {
      for (i = 1; i <= count; i++) {
        split(needed[i], need, " ")
        if ((need[1] in defined) && defined[need[1]] != need[2]) print need[2], defined[need[1]]
      }
    }' | sort -u
}

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
edges >"$dir/all"
# Objects are named by the path of their source, with _ for /.
awk 'NF { gsub("/", "_"); print $1, $2 }' <<<"$natural" | sort >"$dir/natural"
[ "$(wc -l <"$dir/all")" -gt 400 ] || { echo "only $(wc -l <"$dir/all") calls between files"; exit 1; }
missing=$(comm -13 "$dir/all" "$dir/natural")
[ -z "$missing" ] || { echo "no longer there, so not to be listed: $missing"; exit 1; }
comm -23 "$dir/all" "$dir/natural" | tsort >/dev/null 2>"$dir/loops"
sed -n 's/^tsort: -: input contains a loop:/a circle:/p; s/^tsort: /  /p' "$dir/loops"
[ ! -s "$dir/loops" ]
