#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc conform api: our library with devices that the kit makes and with devices of a soft fabric, and libraries that crash,
# exit, hang or are not complete. CONFORM_RUNS: how often our library is checked completely.
# shellcheck disable=SC2317 # exits calls functions
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/soft.sh"
library=$BUILD/lib/libmrc.so.1
verbs=$BUILD/lib/libmrc-verbs.so.1
TMPDIR=$SCRATCH/tmp
export TMPDIR
mkdir "$TMPDIR"

kit() # OPTION... LIBRARY
{
    timeout 300 "$mrc" conform api "$@"
}

# A library that is ours except for these functions.
make_library() # NAME SOURCE
{
    printf '%s\n' "$2" >"$SCRATCH/$1.c"
    "${CC:-cc}" -shared -fPIC -o "$SCRATCH/$1.so" "$SCRATCH/$1.c" -Wl,--no-as-needed -L"$BUILD/lib" -lmrc \
        -Wl,-rpath,"$(realpath "$BUILD/lib")"
}

run=0
while [ "$run" -lt "${CONFORM_RUNS:-1}" ]; do
    run=$((run + 1))
    exits 0 'our library passes, with devices that the kit makes' kit "$library"
    contains '  every check' "$output" "110 passed, 0 failed, 0 not implemented, 0 skipped"
done
is '  and nothing is left of them' "$(ls "$TMPDIR")" ''

make_library crash '#include <stdlib.h>
int mrc_query_qp(void) { abort(); }'
exits 1 'a library that crashes fails' kit --verbs "$verbs" --only qp "$SCRATCH/crash.so"
contains '  the report names the call' "$output" 'the library crashed (SIGABRT) in mrc_query_qp'
contains '  and other checks are run' "$output" 'ok 5 - qp-arguments'
make_library leave '#include <stdlib.h>
int mrc_post_send(void) { exit(3); }'
exits 1 'a library that exits fails' kit --verbs "$verbs" --only write-gather "$SCRATCH/leave.so"
contains '  the report names the call' "$output" '#   the library ended its process with status 3 in mrc_post_send'
contains '  and the peer' "$output" '#   with our library as peer: the library ended'
make_library hang '#include <unistd.h>
void *mrc_create_cq(void) { for (;;) pause(); }'
exits 1 'a library that hangs ends the run' kit --patience 500ms --verbs "$verbs" --only cq,qp "$SCRATCH/hang.so"
contains '  with a message' "$output" 'Bail out! the library has not returned from mrc_create_cq'
make_library silent 'int mrc_poll_cq(void) { return 0; }'
exits 1 'a library that completes nothing ends the run' kit --patience 1s --verbs "$verbs" --only write "$SCRATCH/silent.so"
contains '  after three checks' "$output" 'Bail out! 3 checks waited'
make_library load '#include <stdlib.h>
__attribute__((constructor)) static void start(void) { _Exit(4); }'
exits 1 'a library that ends the process that loads it ends the run' kit --verbs "$verbs" "$SCRATCH/load.so"
contains '  with a message' "$output" 'Bail out! the library ends the process that loads it'
printf 'void mrc_query_version(void) {}\n' >"$SCRATCH/lack.c"
"${CC:-cc}" -shared -fPIC -o "$SCRATCH/lack.so" "$SCRATCH/lack.c"
exits 1 'a library without most calls fails' kit --verbs "$verbs" --only symbols,version-ctl "$SCRATCH/lack.so"
contains '  each is named' "$output" '#   the library has no mrc_query_device_ex'
contains '  and checks that need them fail' "$output" '#   the library has no mrc_ctl_query_version'
exits 1 'a file that is no library ends the run' kit "$ROOT/README.md"
is 'no process of these libraries is left' "$(pgrep -f "conform api.*$SCRATCH" || true)" ''
is 'no device of the kit is left' "$(ls "$TMPDIR")" ''

begin_fabric 1
exits 0 'devices can be named' kit -j --device mrc0 --device mrc1 --peer mrc3 --only write,immediate,ev-traffic,probe "$library"
contains '  and all checks pass' "$output" '"passed":15,"failed":0,"not_implemented":0,"skipped":0'
make_library down '#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
int mrc_ctl_modify_port(void *context, unsigned char port, int *state, int mask)
{
    int (*next)(void *, unsigned char, int *, int) = dlsym(RTLD_NEXT, "mrc_ctl_modify_port");
    int result = next(context, port, state, mask);
    if (*state == 0)
        abort();
    return result;
}'
exits 1 'a library that crashes while a port is disabled fails' kit --verbs "$verbs" --device mrc0 --only port-disable \
    "$SCRATCH/down.so"
contains '  the report names the call' "$output" 'the library crashed (SIGABRT) in mrc_ctl_modify_port'
exits 0 '  and the port is enabled again' "$mrc" port show dev mrc0 -j
is '  as all ports are' "$(printf '%s\n' "$output" | grep -c '"admin": "down"')" 0
exits 1 'a device must exist' kit --device mrc9 "$library"
contains '  and is named' "$output" 'Bail out! there is no device mrc9'
exits 0 'without a second device there is no other end' kit --device mrc0 --only write,qp "$library"
contains '  which is said' "$output" 'SKIP there is no other end'
end_fabric
exits 0 'features may be declared as missing' kit --without controller,hints --only hint,port,symbols "$library"
contains '  and are counted' "$output" '1 passed, 0 failed, 8 not implemented'
exits 2 'a library must be named' kit
exits 2 'there are two devices at most' kit --device a --device b --device c "$library"
exits 2 'a peer needs a device' kit --peer mrc0 "$library"
exits 2 'a path is an address' kit --path here "$library"
exits 1 'a library must exist' kit "$SCRATCH/none.so"
done_testing
