#!/usr/bin/env bash
# The example project of docs/examples/build-time, copied to an empty folder, configured, built and
# tested in the emulator by CMake and by meson against what is installed; rebuilt where a spec changes.
#   projects.sh GEMMGEN BUILD EXAMPLE
. "$(dirname "$0")/../cli/expect.sh"
build=$2 example=$3
"$gemmgen" pack "$example/layer.yaml" -o probe/gemms >out 2>err || {
  grep -q NO_NVRTC err && { echo 'skipped: there is no NVRTC'; exit 77; }
}
meson install -C "$build" --no-rebuild --quiet --destdir "$dir/moved" >log 2>&1 || { cat log; exit 1; }
pc=$(find "$dir/moved" -name gemmgen-launch.pc)
config=$(find "$dir/moved" -name gemmgen-config.cmake)
bin=$(dirname "$(find "$dir/moved" -path '*/bin/gemmgen')")
prefix=${bin%/bin}
sed -i "s|^prefix=.*|prefix=$prefix|" "$pc"
export PKG_CONFIG_PATH=${pc%/*} PATH=$bin:$PATH
lib=$(dirname "$(find "$prefix" -name libgemmgen-launch.so)")
unset DESTDIR MESON_TESTTHREADS
tests=2 cpp=OFF # of the program in C, on two devices
command -v c++ >/dev/null && tests=4 cpp=ON

# A spec that changes changes what is built; one that is not touched packs nothing anew.
rebuilt() { # PROJECT BUILDER...
  local project=$1 before after
  shift
  before=$(find "$project" -name gemms.c -exec cksum {} +)
  expect 0 "$project: nothing to do" "$@"
  sed -i 's/64, 64, 32/64, 64, 64/' "$project/layer.yaml"
  expect 0 "$project: another tile" "$@"
  after=$(find "$project" -name gemms.c -exec cksum {} +)
  holds "$project: packed anew" [ "$before" != "$after" ]
  sed -i 's/tile: .*/tile: [1, 2/' "$project/layer.yaml"
  expect 1 "$project: a bad spec" "$@"
  holds "$project: fails with the spec's place" grep -Eq 'layer.yaml:[0-9]+:[0-9]+: error: ' out
}

if command -v cmake >/dev/null; then
  cp -r "$example" with-cmake
  expect 0 'cmake configures' cmake -S with-cmake -B with-cmake/build -G Ninja -Dgemmgen_DIR="${config%/*}" \
    -DLAYER_CPP=$cpp
  expect 0 'cmake builds' cmake --build with-cmake/build
  expect 0 'ctest' env -C with-cmake/build ctest --output-on-failure
  holds 'both devices' grep -q "100% tests passed, 0 tests failed out of $tests" out
  expect 0 'no emulator library is linked' bash -c '! readelf -d with-cmake/build/layer | grep -E "emu|gemmgen\.so"'
  [ $cpp = OFF ] || expect 0 'nor by C++' bash -c '! readelf -d with-cmake/build/layer_cpp | grep -E "emu|gemmgen\.so"'
  rebuilt with-cmake cmake --build with-cmake/build
  # Found by its prefix; what the function refuses; versions.
  version=$("$gemmgen" --version | cut -d' ' -f2)
  asks() { # STATUS WHAT LINES [LANGUAGE [OPTION]]
    mkdir -p asks && printf 'cmake_minimum_required(VERSION 3.16)\nproject(asks LANGUAGES %s)\n%s\n' \
      "${4:-C}" "$3" >asks/CMakeLists.txt
    rm -rf asks/build
    expect "$1" "$2" cmake -S asks -B asks/build -G Ninja "${5:--DCMAKE_PREFIX_PATH=$prefix}"
  }
  asks 0 'this version' "find_package(gemmgen $version EXACT REQUIRED)"
  asks 1 'a later version' 'find_package(gemmgen 99.0 REQUIRED)'
  asks 0 'for another machine' $'find_package(gemmgen REQUIRED)\nmessage(STATUS "runs ${GEMMGEN_PROGRAM}")' C \
    -DCMAKE_SYSTEM_NAME=Linux
  holds 'gemmgen is that of the PATH' grep -qx -e "-- runs $bin/gemmgen" out
  found='find_package(gemmgen REQUIRED)'
  asks 1 'no spec' "$found"$'\ngemmgen_add_kernels(gemms ARCHS sm_80)'
  holds 'it says so' grep -q 'needs SPECS' err
  asks 1 'an unknown word' "$found"$'\ngemmgen_add_kernels(gemms SPEC a.yaml)'
  holds 'it names it' grep -q 'unknown: SPEC;a.yaml' err
  asks 1 'no C' "$found"$'\ngemmgen_add_kernels(gemms SPECS a.yaml)' NONE "-Dgemmgen_DIR=${config%/*}"
  holds 'it says what to do' grep -q 'LANGUAGES C' err
else
  echo 'skipped: there is no cmake'
fi

cp -r "$example" with-meson
expect 0 'meson configures' meson setup with-meson/build with-meson
expect 0 'meson builds' ninja -C with-meson/build
expect 0 'meson test' env LD_LIBRARY_PATH="$lib" meson test -C with-meson/build
holds 'both devices' grep -Eq "^Ok: +$tests" out
rebuilt with-meson ninja -C with-meson/build
holds 'meson has the depfile' [ ! -e with-meson/build/gemms.d -o -s with-meson/build/.ninja_deps ]
finish
