#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A fabric of namespaces with mrc switch: data across T1s while links and switches fail, trimming on a slow port.
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/netns.sh"
file=$(tiny 'buffers: { data: 64KiB, host_data: 64KiB }')

link_of() # HOST INTERFACE
{
    if ip -n "$fabric-$1" link show dev "$2" | grep -q LOWER_UP; then echo up; else echo down; fi
}

crossed() # SWITCH
{
    "$mrc" fabric show -n "$fabric" | awk -v name="$1" '$1 == name { sum += $5 } END { print sum + 0 }'
}

trimmed()
{
    echo $(($(counted trimmed_arriving) + $(counted trimmed_tail)))
}

exits 0 'fabric up succeeds' "$mrc" fabric up -q -n "$fabric" "$file"
writes 'data crosses the T1s, and every byte is correct' 0 3 -s 64K -n 200
for t1 in p0.t1.0 p0.t1.1 p1.t1.0 p1.t1.1; do
    is_more "  also over $t1" "$(crossed $t1)" 0
done
writes 'data crosses a single T0' 0 1 -s 64K -n 50
writes 'data of random sizes arrives in both directions' 3 0 -s 64K --random -b -n 100

keep_writing 0 3 -s 64K -n 1000
let_frames_cross 2000
"$mrc" fabric fault -n "$fabric" port h3.p0 down
is 'a link that is taken down is down for the host' "$(link_of h3 p0)" down
is '  and its other link stays up' "$(link_of h3 p1)" up
let_frames_cross 2000
"$mrc" fabric fault -n "$fabric" switch p1.t1.0 blackhole
let_frames_cross 2000
is_more 'a blackholed T1 loses frames' "$(counted lost)" 0
"$mrc" fabric fault -n "$fabric" port h3.p0 up
is 'the link comes up again' "$(link_of h3 p0)" up
let_frames_cross 2000
stop_writing 'a link that is down and a blackholed T1 cost no byte and no QP'
"$mrc" fabric fault -n "$fabric" clear

# In the middle of writes of random sizes, this goes down and comes back.
survives() # SENTENCE FAULT
{
    keep_writing 0 3 -s 256K --random -q 2 -n 400
    let_frames_cross 2000
    # shellcheck disable=SC2086
    "$mrc" fabric fault -n "$fabric" $2 down
    let_frames_cross 2000
    before=$(crossed p0.t1.1)
    let_writes_end 1
    is "$1, and writes complete" "$(crossed p0.t1.1)" "$before"
    "$mrc" fabric fault -n "$fabric" clear
    goal=$((before + 1000))
    while [ "$(crossed p0.t1.1)" -lt "$goal" ] && kill -0 "$client" 2>/dev/null; do :; done
    is_more '  it comes up and carries data again' "$(crossed p0.t1.1)" "$((goal - 1))"
    stop_writing '  no byte is wrong, and no QP fails'
}

survives 'a T1 that is down carries nothing' 'switch p0.t1.1'
survives 'a T1 of a plane that is down carries nothing' 'plane p0'

before=$(trimmed)
"$mrc" fabric fault -n "$fabric" port h3.p1 slow 100Mb/s
writes 'data arrives over a port that has become slow' 0 3 -s 64K -n 1000
is_more '  and packets are trimmed at that port' "$(trimmed)" "$before"
"$mrc" fabric fault -n "$fabric" clear
"$mrc" fabric down -n "$fabric"

# Two processes in place of one: plane 0 and plane 1.
"$mrc" fabric up -q -n "$fabric" "$file"
"$mrc" fabric stop -n "$fabric"
for plane in 0 1; do
    "$mrc" switch -q --netns "$fabric" -n "$fabric-plane$plane" \
        --only "p$plane.t0.0,p$plane.t0.1,p$plane.t1.0,p$plane.t1.1" "$file" 2>"$SCRATCH/plane$plane" &
done
for plane in 0 1; do
    until "$mrc" fabric show -n "$fabric-plane$plane" >"$SCRATCH/show" 2>&1; do :; done
done
writes 'data crosses switches that run in several processes' 0 3 -s 64K -n 200
for plane in 0 1; do
    shown=$("$mrc" fabric show -n "$fabric-plane$plane" | awk 'NR > 2 && $1 ~ /^p/ { print substr($1, 1, 2) }' | sort -u)
    is "  and each process shows its own switches" "$shown" "p$plane"
    "$mrc" fabric stop -n "$fabric-plane$plane"
done
wait
"$mrc" fabric down -n "$fabric"

exits 0 'fabric up --slower 100 succeeds' "$mrc" fabric up -q -n "$fabric" --slower 100 "$file"
is '  and links have a hundredth of 100 Gb/s' \
    "$("$mrc" fabric show -n "$fabric" -a | awk '$2 == "h0.p0" { print $4 }' | sort -u)" 1.0
contains '  and the configuration of a device has the slower rate' "$(cat "$MRC_RUN_DIR/mrc/mrc0/config")" 'link_bps: 2000000000'
writes '  and data arrives' 0 3 -s 64K -n 200
"$mrc" fabric down -n "$fabric"
nothing_is_left 'fabric down leaves nothing'
done_testing
