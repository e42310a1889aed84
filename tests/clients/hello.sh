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
exits 2 'it wants two devices' "$SCRATCH/hello"
exits 1 'that are there' "$SCRATCH/hello" mrc0 mrc3
contains '  else it says which is not' "$output" 'mrc3: No such device'
begin_fabric 1
exits 0 'it runs' timeout 60 "$SCRATCH/hello" mrc0 mrc3
is 'and one says hello to the other' "$output" 'mrc3 received 16 bytes, immediate 42: hello from mrc0'
again=0
while [ "$again" -lt 20 ] && timeout 60 "$SCRATCH/hello" mrc0 mrc3 >/dev/null; do
    again=$((again + 1))
done
is 'again and again, with both processes' "$again" 20
done_testing
