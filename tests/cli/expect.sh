# What the scripts of this folder share; sourced, with the program as $1. They run in a folder of
# their own, which goes when they end.
set -u
gemmgen=$(realpath "$1")
tests=$(dirname "$(realpath "$0")")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export GEMMGEN_CACHE=$dir/cache
passed=0 failed=0

# expect STATUS WHAT COMMAND...: runs it; stdout to out, stderr to err.
expect() {
  local status=$1 what=$2 got=0
  shift 2
  "$@" >out 2>err </dev/null || got=$?
  if [ "$got" -eq "$status" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $what: exit $got, expected $status: $*"
    sed 's/^/    /' out err | head -n 8
  fi
}

# holds WHAT TEST...: a condition on what the last command left.
holds() {
  local what=$1
  shift
  if "$@"; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "FAILED: $what: $*"
  fi
}

json() { python3 -c 'import json,sys; json.load(open(sys.argv[1]))' "$1"; }

# The last command of a script.
finish() {
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
}
