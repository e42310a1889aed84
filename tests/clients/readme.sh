#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The fabric block of the README works when it is pasted in one go.
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/soft.sh"

awk '/^## A real fabric/ { section = 1 }
     section && /^```/ { if (inside) exit; inside = 1; next }
     inside' "$ROOT/README.md" |
    sed "s,\$PWD/build/bin,$(realpath "$BUILD")/bin," >"$SCRATCH/block"
contains 'there is a block' "$(cat "$SCRATCH/block")" 'mrc fabric run --background'
cd "$ROOT" || exit 1
exits 0 'every command of it succeeds' timeout 120 sh -e "$SCRATCH/block"
contains 'the fabric is ready when it says so' "$output" "fabric 'fabric': 4 NICs (mrc0 to mrc3)"
contains 'the path over the dead switch is left' "$output" 'mrc0 qp'
contains '  as the list of EVs shows' "$output" ' bad '
contains 'every byte is right' "$output" 'Out of bounds values : 0 OK'
is 'nothing is left behind' "$(find "$MRC_RUN_DIR/mrc" -mindepth 1)" ''
done_testing
