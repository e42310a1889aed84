#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc conform without privileges: a switch of a soft fabric through shared memory, and traffic over shared memory and UDP.
# shellcheck disable=SC2317 # exits calls functions
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/soft.sh"
cat >"$SCRATCH/one.yaml" <<END
planes: 1
t0s: 1
t1s: 0
hosts_per_t0: 4
host_link: { rate: 1Gb/s, delay: 10us }
buffers: { host_data: 64KiB, control: 32KiB, red_min: 16KiB, red_max: 40KiB }
exceptions: [{ link: h0.p0, rate: 5Mb/s }]
END
"$mrc" fabric run -q "$SCRATCH/one.yaml" &
fabric=$!
until_true "$mrc" fabric show
attach=shm:$MRC_RUN_DIR/mrc/fabric/attach

traffic() # PATTERN OPTION...
{
    timeout 60 "$mrc" conform traffic "$@"
}

value() # KEY: of the JSON in $output; the first one
{
    printf '%s\n' "$output" | sed -n "s/.*\"$1\":\\([^,}]*\\).*/\\1/p"
}

counts() # the sum of all senders
{
    printf '%s\n' "$output" | sed 's/.*"frames":{\([^}]*\)},"ports".*/\1/; s/"//g'
}

exits 0 'a switch of a soft fabric passes' timeout 60 "$mrc" conform switch --fabric "$SCRATCH/one.yaml" --switch p0.t0.0 \
    --port "$attach,device=mrc0,port=d0" --port "$attach,device=mrc1,port=d1" --port "$attach,device=mrc2,port=d2"
contains '  what it has no ports for is skipped' "$output" '37 passed, 0 failed, 0 not implemented, 6 skipped'

exits 0 'bursts cross a switch' traffic burst -j --fabric "$SCRATCH/one.yaml" --gap 2ms -n 200 \
    --from "$attach,device=mrc1,nic=h1" --to "$attach,device=mrc2,nic=h2"
contains '  all frames arrive whole' "$(counts)" 'sent:200,sent_bytes:230400,whole:200,marked:0,trimmed:0,trimmed_last_hop:0,lost:0,copies:0,reordered:0,damaged:0'
is_more '  with a latency' "$(value median)" 20000
exits 0 'an incast to a slow port is trimmed' traffic incast -j --fabric "$SCRATCH/one.yaml" -n 100 --burst 100 \
    --from "$attach,device=mrc1,nic=h1" --from "$attach,device=mrc2,nic=h2" --to "$attach,device=mrc0,nic=h0"
is_more '  at the last hop' "$(value trimmed_last_hop)" 50
is '  and nothing is lost' "$(value lost)" 0
exits 0 'hostile frames do no harm' traffic hostile --fabric "$SCRATCH/one.yaml" -n 500 \
    --from "$attach,device=mrc1,nic=h1" --to "$attach,device=mrc2,nic=h2"
contains '  ordinary frames still arrive' "$output" 'afterwards 16 of 16 ordinary frames came back'
exits 0 'a NIC may be the only sender and receiver' traffic burst -n 10 --wait 100ms --fabric "$SCRATCH/one.yaml" \
    --from "$attach,device=mrc1,nic=h1"
contains '  frames to itself come back' "$output" '10 came to mrc1'

exits 1 'a fabric that ends, ends the run' sh -c "{ sleep 0.5; kill $fabric; } & '$mrc' conform traffic burst -n 100000 --fabric '$SCRATCH/one.yaml' \
    --from '$attach,device=mrc1,nic=h1' --to '$attach,device=mrc2,nic=h2'; status=\$?; wait; exit \$status"
contains '  with a message' "$output" 'the link is down, or the interface is gone'
end_fabric

first=$((20000 + $$ % 20000))
from=udp:127.0.0.1:$first,127.0.0.1:$((first + 1))
to=udp:127.0.0.1:$((first + 1)),127.0.0.1:$first
exits 0 'traffic crosses UDP, with a path' traffic burst -j -n 100 --gap 2ms --from "$from,path=fc00:42:400:c00::,source=2001:db8::1" --to "$to"
contains '  and nothing is lost' "$(counts)" 'whole:100,'
exits 0 'vectors are replayed' traffic replay -j --capture "$ROOT/tests/vectors/mrc-vectors.txt" --from "$from" --to "$to"
contains '  all come, and order is not judged' "$(counts)" 'sent:25,sent_bytes:2424,whole:23,marked:0,trimmed:2,trimmed_last_hop:1,lost:0,copies:0,reordered:null'
exits 0 'without a receiver that exists, all is lost' traffic burst -j -n 20 --wait 100ms --from "$from"
is '  which is counted' "$(value lost)" 20

exits 2 'a pattern must be one' traffic flood --from "$from"
contains '  they are named' "$output" 'burst, incast, replay or hostile'
exits 2 'a sender is necessary' traffic burst --to "$to"
exits 2 'replay needs a capture' traffic replay --from "$from"
exits 1 'a capture must exist' traffic replay --capture "$SCRATCH/none" --from "$from"
exits 2 'a NIC needs a fabric' traffic burst --from "$from,nic=h0"
exits 2 'a wrong key is reported' traffic burst --from "$from,paths=fc00::"
contains '  with a suggestion' "$output" "did you mean 'path'?"
exits 1 'an interface that does not exist is reported' traffic burst --from no-such
done_testing
