#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# examples/hello.c: compiles without a warning, and says hello across a soft fabric.
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/soft.sh"
if nm -D "$BUILD/lib/libmrc.so.1" | grep -q __asan_init; then
    skip_all 'the libraries have a sanitizer, the program has not'
fi

exits 0 'the example compiles' "${CC:-cc}" -std=gnu17 -Wall -Wextra -Werror "$ROOT/examples/hello.c" -o "$SCRATCH/hello" \
    -I"$ROOT/include" -L"$BUILD/lib" -lmrc-verbs -lmrc -Wl,-rpath,"$(realpath "$BUILD/lib")"
exits 2 'without two devices, the example prints its usage' "$SCRATCH/hello"
exits 1 'a device that does not exist is an error' "$SCRATCH/hello" mrc0 mrc3
contains '  and the message names it' "$output" 'mrc3: No such device'
begin_fabric 1
exits 0 'the example runs' timeout 60 "$SCRATCH/hello" mrc0 mrc3
is '  and one device receives the message of the other' "$output" 'mrc3 received 16 bytes, immediate 42: hello from mrc0'
again=0
while [ "$again" -lt 20 ] && timeout 60 "$SCRATCH/hello" mrc0 mrc3 >/dev/null; do
    again=$((again + 1))
done
is 'the example runs 20 times in succession' "$again" 20
done_testing
