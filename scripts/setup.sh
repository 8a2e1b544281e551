# shellcheck shell=bash
# Sourced by quickstart and test: finds the CUDA Toolkit, installs what else is missing from the
# distribution's packages, builds. Sets CUDA_HOME. Needs bash.

say() { printf '%s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

# CUDA_HOME, CUDA_PATH, nvcc on the PATH, /usr/local/cuda: the first that has bin/nvcc.
find_cuda() {
  local nvcc dir
  nvcc=$(command -v nvcc || true)
  for dir in "${CUDA_HOME:-}" "${CUDA_PATH:-}" \
             "${nvcc:+$(dirname "$(dirname "$(readlink -f "$nvcc")")")}" /usr/local/cuda; do
    if [ -n "$dir" ] && [ -x "$dir/bin/nvcc" ]; then
      export CUDA_HOME="$dir"
      return
    fi
  done
  die "no CUDA Toolkit: looked for bin/nvcc in \$CUDA_HOME, \$CUDA_PATH, beside nvcc on the PATH" \
      "and in /usr/local/cuda. Install the toolkit (12.8 or newer), or set CUDA_HOME to where it is."
}

# The packages that are missing, by what they provide. With for_tests, also what tests alone use.
missing_packages() {
  [ -z "${for_tests:-}" ] || command -v cmake >/dev/null || echo cmake
  # Opens pages of kernels; Ubuntu's package of that name is no browser but a snap's.
  [ -z "${for_tests:-}" ] || ! grep -q '^ID=debian' /etc/os-release ||
    command -v chromium >/dev/null || echo chromium
  command -v cc >/dev/null || echo gcc
  command -v g++ >/dev/null || echo g++
  command -v meson >/dev/null || echo meson
  command -v ninja >/dev/null || echo ninja-build
  [ -d /usr/lib/python3/dist-packages/numpy ] || echo python3-numpy # for tests of the Python package
  command -v pkg-config >/dev/null || {
    echo pkg-config libyaml-dev nettle-dev libsqlite3-dev libzstd-dev liblz4-dev check
    return
  }
  pkg-config --exists yaml-0.1 || echo libyaml-dev
  pkg-config --exists nettle || echo nettle-dev
  pkg-config --exists sqlite3 || echo libsqlite3-dev
  pkg-config --exists libzstd || echo libzstd-dev
  pkg-config --exists liblz4 || echo liblz4-dev
  pkg-config --exists check || echo check
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

apt_install() {
  as_root apt-get update -qq >&2 &&
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2
}

install_packages() {
  local packages
  mapfile -t packages < <(missing_packages | tr ' ' '\n' | sort -u)
  [ "${#packages[@]}" -gt 0 ] || return 0
  command -v apt-get >/dev/null ||
    die "missing: ${packages[*]}; install them with this system's package manager"
  [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null ||
    die "missing: ${packages[*]}; install them as root (no sudo here)"
  say "installing: ${packages[*]}"
  apt_install "${packages[@]}"
}

# What compiles the layout calculator to WebAssembly, for tests alone. Where it cannot be had, pages
# of layouts are fixed, and all else is the same.
missing_extras() {
  command -v clang >/dev/null || echo clang
  command -v wasm-ld >/dev/null || echo lld
  [ -d /usr/lib/wasm32-wasi ] || echo wasi-libc libclang-rt-dev-wasm32
}

install_extras() {
  local extras
  mapfile -t extras < <(missing_extras | tr ' ' '\n' | sort -u)
  [ "${#extras[@]}" -gt 0 ] || return 0
  say "installing: ${extras[*]}"
  apt_install "${extras[@]}" || say "without ${extras[*]}: pages of layouts cannot be edited"
}

check_meson() {
  local version
  version=$(meson --version)
  [ "$(printf '%s\n1.0\n' "$version" | sort -V | head -n 1)" = 1.0 ] ||
    die "meson $version is too old: 1.0 or newer is needed"
}

# configure DIR [meson option...]: sets the build directory up, or brings it up to date.
configure() {
  local dir=$1
  shift
  if [ -f "$dir/build.ninja" ]; then
    meson configure "$dir" "$@" >&2
  else
    meson setup "$dir" "$@" >&2
  fi
}

set_up() {
  find_cuda
  install_packages
  [ -z "${for_tests:-}" ] || install_extras
  check_meson
}
