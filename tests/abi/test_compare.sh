#!/usr/bin/env bash
# compare.sh tells what is appended from what breaks: by changes of a small interface.
set -u
here=${0%/*}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
cat >"$dir/old" <<'T'
struct gg_options 24 bytes, aligned to 8
  0 8 size : size_t size
  8 4 device : int device
  16 8 path : const char *path
struct gg_value 16 bytes, aligned to 8
  0 8 address : uint64_t address
  8 8 reserved : uint64_t reserved
enum gg_kind
  0 GG_KIND_A
  1 GG_KIND_B
function void gg_free(void *pointer)
exports of libgemmgen
  gg_free
T

# expect STATUS WHAT SED: what the interface changed by the script is.
expect() {
  local status=0
  sed "$3" "$dir/old" >"$dir/new"
  "$here/compare.sh" "$dir/old" "$dir/new" >"$dir/said" || status=$?
  [ $status -eq "$1" ] && return
  failed=$((failed + 1))
  echo "FAILED: $2: $status in place of $1"
  cat "$dir/said"
}

expect 0 'nothing' ''
expect 1 'a member behind' 's/24 bytes/32 bytes/; /const char \*path/a\  24 8 more : int64_t more'
expect 1 'a number' '/GG_KIND_B/a\  2 GG_KIND_C'
expect 1 'a function' '/^function/a function int gg_new(void)'
expect 1 'an export' '/^  gg_free/a\  gg_new'
expect 1 'a struct' '/^enum/i struct gg_new 8 bytes, aligned to 8\n  0 8 x : int64_t x'
expect 1 'a member in reserved bytes' 's/8 8 reserved.*/8 4 flag : int flag/'
expect 1 'a part of them' 's/  8 8 reserved.*/  8 4 flag : int flag\n  12 4 reserved : int reserved/'
expect 2 'a member in padding' '/int device/a\  12 4 more : int more'
expect 2 'a member between' 's/24 bytes/32 bytes/; s/  16 8 path/  16 8 more : int64_t more\n  24 8 path/'
expect 2 'a member gone' '/const char \*path/d'
expect 2 'another type' 's/int device/unsigned device/'
expect 2 'a struct that cannot grow' 's/16 bytes/24 bytes/'
expect 2 'a member behind one' 's/16 bytes/24 bytes/; /reserved/a\  16 8 more : int64_t more'
expect 2 'another number' 's/  1 GG_KIND_B/  2 GG_KIND_B/'
expect 2 'a number gone' '/GG_KIND_A/d'
expect 2 'another argument' 's/void \*pointer/const void *pointer/'
expect 2 'an export gone' '/^  gg_free/d'
exit $((failed > 0))
