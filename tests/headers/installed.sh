#!/usr/bin/env bash
# What is installed, as users have it: each public header alone, as C11 and C++11, without a warning;
# nothing else on their include path; everything that is declared is exported; the example.
#   installed.sh BUILD EXAMPLE FLAGS CC [CXX]
set -u
build=$1 example=$2 flags=$3 cc=$4 cxx=${5:-}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

fail() {
  failed=$((failed + 1))
  echo "FAILED: $*"
}

meson install -C "$build" --no-rebuild --quiet --destdir "$dir/root" >"$dir/log" 2>&1 ||
  { cat "$dir/log"; exit 1; }
pc=$(find "$dir/root" -name gemmgen.pc)
export PKG_CONFIG_PATH=${pc%/*} PKG_CONFIG_SYSROOT_DIR=$dir/root PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1
read -ra cflags < <(pkg-config --cflags gemmgen)
read -ra libs < <(pkg-config --libs gemmgen)
include=$(find "$dir/root" -type d -path '*/include')
[ "$(ls "$include")" = gemmgen ] || fail "strays on the include path: $(ls "$include")"
case " ${cflags[*]} " in
  *"/gemmgen "*) fail "pkg-config puts our own folder on the path: ${cflags[*]}" ;;
  *" -I$include "*) ;;
  *) fail "pkg-config --cflags: ${cflags[*]}" ;;
esac

# All that a header begins is begun, and used.
cat >"$dir/init.h" <<'C'
int uses(void);
int uses(void) {
#ifdef GEMMGEN_H
  gg_error err = GG_ERROR_INIT;
  gg_str str = GG_STR_INIT;
  gg_str_puts(&str, "text");
  gg_free(gg_str_take(&str));
  gg_form form = GG_FORM_INIT;
  if (err.code != GG_OK || err.log || form.size != sizeof form || form.epilogue) return 1;
#endif
#ifdef GEMMGEN_LAUNCH_H
  gg_context_options context = GG_CONTEXT_OPTIONS_INIT;
  gg_problem problem = GG_PROBLEM_INIT;
  if (context.size != sizeof context || problem.size != sizeof problem) return 1;
  if (context.device || problem.batch != 1 || !problem.overlap || problem.m) return 1;
#endif
#ifdef GEMMGEN_RUNTIME_H
  gg_compiler_options compiler = GG_COMPILER_OPTIONS_INIT;
  if (compiler.size != sizeof compiler || compiler.cache) return 1;
#endif
#ifdef GEMMGEN_GEMM_H
  gg_gemm_options gemm = GG_GEMM_OPTIONS_INIT;
  gg_gemm_choice choice = GG_GEMM_CHOICE_INIT;
  if (gemm.size != sizeof gemm || gemm.tuned || choice.size != sizeof choice || choice.module)
    return 1;
#endif
#ifdef GEMMGEN_EMU_H
  gg_emu_options emulator = GG_EMU_OPTIONS_INIT;
  if (emulator.size != sizeof emulator || emulator.arch) return 1;
#endif
  return 0;
}
int main(void) { return uses(); }
C
warnings=(-Wall -Wextra -Wpedantic -Wmissing-field-initializers -Werror)
for header in gemmgen gemmgen_launch gemmgen_runtime gemmgen_gemm gemmgen_emu; do
  printf '#include <gemmgen/%s.h>\n#include <gemmgen/%s.h>\n' $header $header >"$dir/use.c"
  cat "$dir/init.h" >>"$dir/use.c"
  cp "$dir/use.c" "$dir/use.cpp"
  for compiler in "$cc -std=c11 $dir/use.c" ${cxx:+"$cxx -std=c++11 $dir/use.cpp"}; do
    if ! $compiler $flags "${warnings[@]}" "${cflags[@]}" "${libs[@]}" -o "$dir/use" 2>"$dir/log"; then
      fail "<gemmgen/$header.h>, $compiler"
      head -n 8 "$dir/log"
    elif ! LD_LIBRARY_PATH=${libs[0]#-L} "$dir/use"; then
      fail "$header: what begins is not as it should be"
    fi
  done
done

# Everything that is declared is there: declared LIBRARY LEAST HEADER...
declared() {
  local library=$1 least=$2 header missing
  shift 2
  nm -D --defined-only "$(find "$dir/root" -name "$library.so.*.*")" | awk '{ print $3 }' |
    sort >"$dir/exported"
  for header; do
    echo "#include <gemmgen/$header.h>"
  done | $cc -std=c11 "${cflags[@]}" -E -P - | tr '\n' ' ' | grep -oE '\bgg_[a-z_0-9]+\(' | tr -d '(' |
    sort -u >"$dir/declared"
  missing=$(comm -23 "$dir/declared" "$dir/exported")
  [ "$(wc -l <"$dir/declared")" -gt "$least" ] ||
    fail "only $(wc -l <"$dir/declared") functions of $library found"
  [ -z "$missing" ] || fail "declared and not exported by $library: $missing"
}
declared libgemmgen 50 gemmgen_gemm gemmgen_emu
declared libgemmgen-launch 30 gemmgen_launch

# The example, by its own words; 77 where there is no GPU.
$cc -std=c11 $flags "${warnings[@]}" "$example" -o "$dir/example" "${cflags[@]}" "${libs[@]}" ||
  fail 'the example does not compile'
LD_LIBRARY_PATH=${libs[0]#-L} "$dir/example"
status=$?
[ $status -eq 0 ] || [ $status -eq 77 ] || fail "the example ends with $status"

exit $((failed > 0))
