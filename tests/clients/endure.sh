#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Two processes over a soft fabric of four planes, while something breaks every 100 ms for ENDURE_SECONDS, and on until
# ENDURE_GIB have arrived. Then the receiver is killed. ENDURE_SEED chooses the faults; at any time one plane at least is
# whole.
# shellcheck disable=SC2317 # exits calls functions
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/soft.sh"
seconds=${ENDURE_SECONDS:-12}
gib=${ENDURE_GIB:-0}
seed=${ENDURE_SEED:-$(date +%s)}
quiet=3 # seconds without a fault before and after
echo "# replay: ENDURE_SEED=$seed ENDURE_SECONDS=$seconds ENDURE_GIB=$gib sh tests/clients/endure.sh"

begin_fabric 1
perf()
{
    timeout $((seconds + 120)) "$mrc" perf "$@"
}

# What the fabric's process has, and the sockets of all.
held()
{
    echo "$(find "/proc/$fabric/task" -mindepth 1 -maxdepth 1 | wc -l) threads," \
        "$(find "/proc/$fabric/fd" -mindepth 1 | wc -l) descriptors," \
        "$(grep -o " $MRC_RUN_DIR.*" /proc/net/unix | sort -u | xargs)"
}
held_before=$(held)

# One fault a line, for mrc fabric fault: of every kind, at every kind of place, short, several at once. A plane is left
# alone for two seconds, and the next one from 0.8 s before its turn, so that one whole plane is always ready.
faults() # SEED
{
    awk -v seed="$1" -v count="$((seconds * 10))" '
        function below(n) { return int(rand() * n) }
        function one_of(text,    part) { return part[1 + below(split(text, part, "|"))] }
        function place(plane,    kind) {
            kind = one_of("link|port|switch|plane|ev")
            if (kind == "link") return "link p" plane ".t0." below(2) "-t1." below(2)
            if (kind == "port") return "port h" one_of("0|3") ".p" plane
            if (kind == "switch") return "switch p" plane "." one_of("t0|t1") "." below(2)
            if (kind == "plane") return "plane p" plane
            return "ev p" plane "/u" below(2)
        }
        function kind_of(where) {
            if (where ~ /^ev/) return one_of("blackhole|loss 30%|loss 100%")
            return one_of("down|blackhole|flap 40ms 50%|loss 1%|loss 30%|corrupt 1%|corrupt 30%|slow 1Gb/s")
        }
        BEGIN {
            srand(seed)
            whole = below(4)
            for (i = 0; i < count; i++) {
                if (i % 20 == 0) {
                    whole = i ? following : whole
                    following = (whole + 1 + below(3)) % 4
                }
                do plane = below(4); while (plane == whole || (i % 20 >= 12 && plane == following))
                where = place(plane)
                print where, kind_of(where), "for", 50 + below(350) "ms"
            }
        }'
}

now_ms()
{
    date +%s%3N
}

# Until the next one is due. Who is late hurries, but not so much that a plane has no time to become whole.
pace()
{
    left_ms=$((began_ms + injected * 100 - $(now_ms)))
    [ "$left_ms" -gt 80 ] || left_ms=80
    sleep "0.$(printf %03d "$left_ms")"
}

inject() # FAULT
{
    # shellcheck disable=SC2086
    "$mrc" fabric fault $1 >>"$SCRATCH/refused" 2>&1 || echo "$1" >>"$SCRATCH/refused"
}

breaks() # SEED
{
    sleep $quiet
    faults "$1" >"$SCRATCH/faults"
    began_ms=$(now_ms)
    injected=0
    while read -r fault && [ $(($(now_ms) - began_ms)) -lt $((seconds * 1000)) ]; do
        inject "$fault" &
        injected=$((injected + 1))
        pace
    done <"$SCRATCH/faults"
    echo $((($(now_ms) - began_ms) / injected)) >"$SCRATCH/pace_ms"
    wait
    "$mrc" fabric fault clear
    date +%s.%N >"$SCRATCH/repaired"
}

# Writes of random sizes while things break; what they say is in $SCRATCH/perf.
endures() # SEED
{
    : >"$SCRATCH/refused"
    breaks "$1" &
    breaking=$!
    began=$(date +%s.%N)
    exits 0 "random writes arrive, with faults every 100 ms for $seconds seconds" \
        perf write --devices mrc0,mrc3 -D $((seconds + 2 * quiet + 4)) -s 1M -t 32 -q 2 --random -c --seed "$1" --interval 1
    printf '%s\n' "$output" >"$SCRATCH/perf"
    wait $breaking
    echo "# a fault every $(cat "$SCRATCH/pace_ms") ms"
    is '  the fabric accepts every fault' "$(cat "$SCRATCH/refused")" ''
    contains '  every byte is correct' "$output" 'Out of bounds values : 0 OK'
    pauses_shortly '  writes complete in every second'
}

# Bytes complete in every window of a second if no pause is as long. A machine on which even the faults come late, because
# others have the processors, says nothing about that.
pauses_shortly() # SENTENCE
{
    pause=$(sed -n 's/^# Longest pause *: \([0-9.]*\) ms.*/\1/p' "$SCRATCH/perf")
    if [ "$(cat "$SCRATCH/pace_ms")" -gt 130 ] && [ "${pause%.*}" -ge 1000 ]; then
        skip "$1" "this machine is too busy: $pause ms without a completion, but also a fault only every $(cat "$SCRATCH/pace_ms") ms"
    else
        is_more "$1" 1000 "${pause%.*}"
    fi
}

mib_so_far()
{
    awk '$3 == "s" && $5 == "Gb/s" { bytes += $6 } END { print int(bytes / 1048576) }' "$SCRATCH/perf"
}

endures "$seed"
# The rates include making and comparing the bytes.
awk -v seed="$seed" -v quiet="$quiet" -v pause="$pause" -v repaired="$(cat "$SCRATCH/repaired")" -v began="$began" '
    $3 == "s" && $5 == "Gb/s" {
        bytes += $6
        at = $2
        if (at <= quiet) { before += $4; before_count++ }
        else if (at > repaired - began + 2) { after += $4; after_count++ }
        else { during += $4; during_count++ }
    }
    END {
        printf "# %.2f GiB; Gb/s, checks included: %.2f before, %.2f while things broke, %.2f after the last repair; longest pause %s ms\n",
            bytes / 1073741824, before_count ? before / before_count : 0, during_count ? during / during_count : 0,
            after_count ? after / after_count : 0, pause
        is_back = before_count && after_count && after / after_count >= before / before_count / 4
        print (is_back ? "back" : "not back") >back
    }' back="$SCRATCH/back" "$SCRATCH/perf"
is 'the rate recovers after the faults' "$(cat "$SCRATCH/back")" back

mib=$(mib_so_far)
rounds=1
while [ "$mib" -lt $((gib * 1024)) ] && [ "$rounds" -lt 20 ]; do
    endures $((seed + rounds))
    mib=$((mib + $(mib_so_far)))
    rounds=$((rounds + 1))
done
[ "$gib" -eq 0 ] || is_more "$gib GiB arrive" "$mib" $((gib * 1024 - 1))

# ---- a receiver that is killed -----------------------------------------------------------------------------

port=$((20000 + $$ % 12000)) # below those that the system gives to clients
"$mrc" perf write -d mrc3 -p "$port" 2>"$SCRATCH/server" &
server=$!
timeout 60 "$mrc" perf write -d mrc0 -p "$port" -s 1M -D 50 --last_word 127.0.0.1 >"$SCRATCH/client" 2>&1 &
client=$!
until_true grep -q '#bytes' "$SCRATCH/client"
sleep 1
# So many timeouts T, then 2 T, 4 T and so on.
budget=$("$mrc" qp show dev mrc0 -j | awk '
    { value = $2 + 0 }
    $1 == "\"timeout_ns\":" { timeout_s = value / 1e9 }
    $1 == "\"retry_linear\":" { linear = value }
    $1 == "\"retry_exponential\":" { exponential = value }
    END { printf "%.2f", timeout_s * (linear + 1 + 2 ^ (exponential + 1) - 2) }')
kill -KILL $server
wait $server 2>/dev/null
wait $client
is 'perf fails if its peer is killed' $? 1
contains '  with a completion error' "$(cat "$SCRATCH/client")" IBV_WC_RETRY_EXC_ERR
waited=$(sed -n 's/.*; after \([0-9.]*\) s a write to it.*/\1/p' "$SCRATCH/client")
is "  within its retry budget of $budget s, and a second for a busy machine" \
    "$(echo "$waited" | awk -v budget="$budget" '{ print ($1 > 0 && $1 <= budget + 1 ? "yes" : "after " $1 " s") }')" yes
echo "# the error came ${waited:-never} s after the kill"

released()
{
    tries=0
    while [ "$tries" -lt 50 ] && [ "$(held)" != "$held_before" ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
    held
}
is 'no thread, descriptor or socket of either process is left' "$(released)" "$held_before"
exits 0 'both NICs can be used again' perf write --devices mrc0,mrc3 -n 50 -s 100K -c
is 'no socket is left in the folder of a device' "$(find "$MRC_RUN_DIR"/mrc/mrc* -type s)" ''
is 'no process is left but the fabric' \
    "$(cat /proc/[0-9]*/stat 2>/dev/null | awk -v parent=$$ '$2 == "(mrc)" && $4 == parent { print $1 }')" "$fabric"
end_fabric
is 'no file is left after the fabric has ended' "$(find "$MRC_RUN_DIR" -mindepth 1 ! -path "$MRC_RUN_DIR/mrc")" ''
done_testing
