#!/usr/bin/env bash
# The reciprocal's table, fitted to the results that it makes, is itself.
#   approx_fit.sh APPROX_CHECK APPROX_FIT TABLES
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" --functions --measure "$folder" --only rcp.approx.ftz.f32
"$2" "$folder" rcp > "$folder/rcp.def"
table() {
  sed -n '/rcp_table/,/^}/p' "$1"
}
table "$folder/rcp.def" | grep -q 0x3fffffe
diff <(table "$3") <(table "$folder/rcp.def")
