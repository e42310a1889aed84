#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The fabric block of the README works when it is pasted in one go.
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/soft.sh"

awk '/^## A real fabric/ { section = 1 }
     section && /^```/ { if (inside) exit; inside = 1; next }
     inside' "$ROOT/README.md" |
    sed "s,\$PWD/build/bin,$(realpath "$BUILD")/bin," >"$SCRATCH/block"
contains 'the README has a block of commands' "$(cat "$SCRATCH/block")" 'mrc fabric run --background'
cd "$ROOT" || exit 1
exits 0 'every command of the block succeeds' timeout 120 sh -e "$SCRATCH/block"
contains 'fabric run prints the NICs when the fabric is ready' "$output" "fabric 'fabric': 4 NICs (mrc0 to mrc3)"
contains 'ev show lists the EVs of mrc0' "$output" 'mrc0 qp'
contains '  and the EV over the failed switch is bad' "$output" ' bad '
contains 'every byte is correct' "$output" 'Out of bounds values : 0 OK'
is 'no files remain' "$(find "$MRC_RUN_DIR/mrc" -mindepth 1)" ''
done_testing
