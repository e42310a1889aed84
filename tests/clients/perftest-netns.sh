#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Debian's perftest, as it is, between hosts that are network namespaces, with real frames on real interfaces.
# shellcheck disable=SC2317 # exits calls functions
. "$(dirname "$0")/../harness/tap.sh"
command -v ib_write_bw >/dev/null || skip_all 'ib_write_bw is not installed (package perftest)'
if nm -D "$BUILD/lib/libmrc.so.1" 2>/dev/null | grep -q ' __[at]san_init'; then
    skip_all 'a program without a sanitizer cannot load libraries with one'
fi
. "$(dirname "$0")/../harness/netns.sh"
unset MRC_CONFIG MRC_DEVICES LD_PRELOAD LD_LIBRARY_PATH
"$mrc" fabric up -q -n "$fabric" "$(tiny '')"
never_give_up 0 # these are also the defaults of verbs
never_give_up 3

is_listening()
{
    within h0 grep -qi ':4853 00000000:0000 0A' /proc/self/net/tcp # 18515, where perftest waits
}

pair() # OPTION-OF-EXEC PROGRAM OPTIONS...
{
    way=$1
    shift
    # shellcheck disable=SC2086
    within h0 timeout 120 "$mrc" exec $way --nic mrc0 -- "$@" >"$SCRATCH/server" 2>&1 &
    server=$!
    tries=0
    until is_listening || [ "$tries" -ge 100 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
    # shellcheck disable=SC2086
    within h3 timeout 120 "$mrc" exec $way --nic mrc3 -- "$@" 10.99.0.1 || return 1
    wait "$server" && return
    cat "$SCRATCH/server"
    return 1
}

before=$(frames_so_far)
exits 0 'ib_write_bw runs between namespaces, with the library path' pair '' ib_write_bw -n 500
exits 0 'ib_write_bw runs between namespaces, with a preloaded library' pair --preload ib_write_bw -n 500 -q 2 -b
exits 0 'ib_write_lat runs between namespaces' pair '' ib_write_lat -n 100
is_more 'the frames of these runs cross the switches' "$(($(frames_so_far) - before))" 10000
done_testing
