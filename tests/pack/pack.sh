#!/usr/bin/env bash
# A pack as its users have it: made, compiled and linked from what is installed, run in the emulator,
# held to what libgemmgen launches of the same specs; what is damaged, or of another version; how
# large the library is, and what it needs.
#   pack.sh GEMMGEN BUILD SPECS FLAGS CC [CXX]
. "$(dirname "$0")/../cli/expect.sh"
build=$2 specs=$3 flags=$4 cc=$5 cxx=${6:-}
meson install -C "$build" --no-rebuild --quiet --destdir "$dir/root" >log 2>&1 || { cat log; exit 1; }
pc=$(find "$dir/root" -name gemmgen-launch.pc)
export PKG_CONFIG_PATH=${pc%/*} PKG_CONFIG_SYSROOT_DIR=$dir/root PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1
read -ra launch < <(pkg-config --cflags --libs gemmgen-launch)
read -ra include < <(pkg-config --cflags gemmgen-launch)
read -ra whole < <(pkg-config --cflags --libs gemmgen)
lib=$(dirname "$(find "$dir/root" -name libgemmgen-launch.so)")
warnings=(-std=c11 -Wall -Wextra -Wpedantic -Werror)

kernels=(
  "$specs/sm80/02_alpha_beta.yaml" "$specs/sm80/13_bias_silu.yaml" "$specs/sm80/26_amax.yaml"
  "$specs/sm80/36_sparse.yaml" "$specs/simt/05_epilogue.yaml" "$specs/sm90/01_minimal.yaml" "$specs/sm90/31_bias_gelu.yaml"
  "$specs/sm90/40_split_k.yaml" "$specs/sm100/01_minimal.yaml" "$specs/sm120/07_split_k.yaml" "$specs/sm120/23_nvfp4.yaml"
  "$specs/sm120/25_nvfp4_residual.yaml")
archs=sm_80,sm_90a,sm_100a,sm_120a

if ! "$gemmgen" pack "${kernels[0]}" -o probe/gemms >/dev/null 2>err; then
  grep -q NO_NVRTC err && { echo 'skipped: there is no NVRTC'; exit 77; }
fi

# What is written
expect 0 'a pack' "$gemmgen" pack "${kernels[@]}" --arch $archs --ptx -o gemms --depfile gemms.d
cp gemms.c first.c && cp gemms.h first.h
again=(env GEMMGEN_CACHE=)
case $flags in -fsanitize*) again=() ;; esac # which sees of NVRTC what it has seen
expect 0 'the same again' "${again[@]}" "$gemmgen" pack "${kernels[@]}" --arch $archs --ptx -o gemms
holds 'the same source' cmp -s gemms.c first.c
holds 'the same header' cmp -s gemms.h first.h
holds 'the depfile has both files and every spec' \
  [ "$(cat gemms.d)" = "gemms.c gemms.h: ${kernels[*]}" ]
holds 'no path of this machine' bash -c "! grep -qF -e '$dir' -e '$specs' gemms.c gemms.h"
holds 'lines of at most 100 columns' bash -c '! grep -v gemms_ gemms.c | grep -q ".\{101\}"'
expect 0 'it compiles without a warning' "$cc" "${warnings[@]}" "${include[@]}" -c gemms.c -o gemms.o
if command -v clang >/dev/null; then
  expect 0 'with clang too' clang "${warnings[@]}" "${include[@]}" -c gemms.c -o clang.o
fi
if [ -n "$cxx" ]; then
  printf '#include "gemms.h"\nint main() { gemms g = gemms(); gemms_close(&g); }\n' >use.cpp
  expect 0 'C++ takes the header' "$cxx" -std=c++11 -Wall -Wextra -Wpedantic -Werror use.cpp gemms.o \
    "${launch[@]}" $flags -o use
fi

# What it computes: in the emulator, on each device, what libgemmgen does
expect 0 'launches of the pack' "$cc" $flags -std=c11 -D_POSIX_C_SOURCE=200809L -DPACKED -I. \
  "$tests/launches.c" gemms.o "${launch[@]}" -lpthread -o packed
expect 0 'launches of specs' "$cc" $flags -std=c11 -D_POSIX_C_SOURCE=200809L \
  "$tests/launches.c" "${whole[@]}" -lpthread -o compiled
packed() { # ARCH [VARIABLE=VALUE...]: runs ./packed
  env LD_LIBRARY_PATH="$lib/gemmgen/emu:$lib" GEMMGEN_EMU_ARCH="$@" ./packed
}
for device in 80:5 90:8 100:6 120:5; do # sm_120 has too little shared memory for three of sm_80
  arch=${device%:*}
  expect 0 "sm_$arch" packed "$arch"
  sort out >own
  expect 0 "specs on sm_$arch" env LD_LIBRARY_PATH="$lib" GEMMGEN_EMU_ARCH="$arch" \
    ./compiled "${kernels[@]}"
  holds "on sm_$arch as many as run there" [ "$(wc -l <own)" -eq "${device#*:}" ]
  holds "bit for bit the same on sm_$arch" diff own <(sort out)
done
expect 0 'the static library' "$cc" $flags -std=c11 -D_POSIX_C_SOURCE=200809L -DPACKED -I. "${include[@]}" \
  "$tests/launches.c" gemms.o "$lib/libgemmgen-launch.a" -lm -ldl -lpthread -o static
expect 0 'runs by itself' env LD_LIBRARY_PATH="$lib/gemmgen/emu" GEMMGEN_EMU_ARCH=90 ./static
holds 'the same' diff <(sort out) <(packed 90 2>/dev/null | sort)
expect 0 'libgemmgen in its place' "$cc" $flags -std=c11 -D_POSIX_C_SOURCE=200809L -DPACKED -I. \
  "$tests/launches.c" gemms.o "${whole[@]}" -lpthread -o both
expect 0 'which needs no other driver' env LD_LIBRARY_PATH="$lib" GEMMGEN_EMU_ARCH=90 ./both
holds 'the same' diff <(sort out) <(packed 90 2>/dev/null | sort)
expect 0 'two contexts, six threads' packed 90 THREADS=6
holds 'the same' diff <(sort out) <(packed 90 2>/dev/null | sort)

# What the device cannot run
expect 0 'kernels of another device are left out' packed 80
holds 'and say why' grep -q 'the pack gemms has kernel split_k for sm_90a, sm_90a (PTX); the device is sm_80' err
expect 0 'PTX of a plain kernel on a later device' packed 103
expect 0 'without --ptx' "$gemmgen" pack "$specs/sm90/40_split_k.yaml" --arch sm_90a -o other/gemms
expect 0 'it compiles' "$cc" $flags -std=c11 -DPACKED -Iother -D_POSIX_C_SOURCE=200809L "$tests/launches.c" \
  other/gemms.c "${launch[@]}" -lpthread -o packed
expect 1 'a device that runs none' packed 80
holds 'GG_E_PACK_DEVICE' grep -q 'kernel split_k for sm_90a; the device is sm_80 .PACK_DEVICE' err
expect 1 'a cubin in the emulator' packed 90
holds 'one error' [ "$(wc -l <err)" -eq 1 ]
holds 'which says what it takes' grep -q 'the image is a cubin, and the emulator runs PTX' err

# What was changed since: gemms.c with one thing different
expect 0 'a small pack' "$gemmgen" pack "$specs/sm80/02_alpha_beta.yaml" --arch sm_80 --ptx -o small/gemms
changed() { # STATUS WHAT GREP SED...
  local status=$1 what=$2 pattern=$3
  shift 3
  mkdir -p changed && cp small/gemms.h changed/
  sed "$@" small/gemms.c >changed/gemms.c
  holds "$what: something changes" bash -c '! cmp -s small/gemms.c changed/gemms.c'
  expect 0 "$what: it compiles" "$cc" $flags -std=c11 -D_POSIX_C_SOURCE=200809L -DPACKED -Ichanged \
    "$tests/launches.c" changed/gemms.c "${launch[@]}" -lpthread -o packed
  expect "$status" "$what" packed 80
  if [ "$status" -ne 0 ]; then
    holds "$what: one line" [ "$(wc -l <err)" -eq 1 ]
    holds "$what: $pattern" grep -q "$pattern" err
  fi
}
flip='s/^\(    [0-9,]*\)\b\([0-9]*\)[13579],$/\1\20,/'
changed 1 'GG_E_PACK_DAMAGED: a byte of a cubin' 'is damaged: the cubin for sm_80 of kernel bf16_alpha_beta is .*PACK_DAMAGED' \
  "/unsigned char cubin/,/^};/{$flip}"
changed 1 'a cubin cut short' PACK_DAMAGED '/unsigned char cubin/{n;n;n;d}'
changed 1 'a cubin of one line' PACK_DAMAGED '/unsigned char cubin/,/^};/{/^    /d;s/^};/0};/}'
changed 1 'a byte of PTX' 'is damaged: the PTX for sm_80' '/unsigned char ptx/,/^};/{s/^    47,/    46,/}'
changed 1 'another tile' 'the launch facts of kernel bf16_alpha_beta are not.*PACK_DAMAGED' \
  's/\.tile_m = [0-9]*/.tile_m = 96/'
changed 1 'another parameter' PACK_DAMAGED 's/\[4\] = {.kind = GG_PARAM_M}/[4] = {.kind = GG_PARAM_N}/'
changed 1 'a parameter less' PACK_DAMAGED '/    \[17\] = /d'
changed 1 'a count of operations' PACK_DAMAGED 's/\.operation_count = 1/.operation_count = 9/'
changed 1 'a fingerprint' PACK_DAMAGED 's/gemmgen_[0-9a-f]\{4\}/gemmgen_0000/'
changed 1 'GG_E_PACK_FORMAT: a newer format' 'made by gemmgen .* in format 2, .* whose formats end at 1 .*PACK_FORMAT' \
  's/\.format = 1/.format = 2/'
changed 1 'a fact of a newer gemmgen' PACK_FORMAT 's/\.map_count = [0-9]*,/&\n    .reserved[3] = 1,/;
  s/\.param_count = .*/&\n    .reserved[3] = 1,/'
changed 1 'no size' STRUCT_SIZE 's/\.size = sizeof(gg_pack)/.size = 0/'
changed 0 'another version in the same format' '' 's/\.version = "[^"]*"/.version = "0.0.9"/'
changed 0 'a gg_kernel of an older gemmgen, which had less' '' \
  's/\.kernel_size = sizeof(gg_kernel)/.kernel_size = offsetof(gg_kernel, reserved)/'

# The library
if [ "$flags" = -O1 ]; then # neither a sanitizer's, nor without optimisation
  library=$(find "$dir/root" -name 'libgemmgen-launch.so.*.*')
  strip -o stripped "$library"
  size=$(stat -c %s stripped)
  echo "libgemmgen-launch: $size bytes"
  holds 'less than 200 KB' [ "$size" -lt 204800 ]
  needed=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v '^lib\(c\|m\|dl\)\.so')
  holds "it needs libc alone, not $needed" [ -z "$needed" ]
  holds 'nothing of YAML, NVRTC, the generator and the emulator in it' bash -c \
    "! nm '$library' | grep -qE 'yaml|nettle|sqlite|nvrtc|emu_|gg_kernel_generate'"
fi
finish
