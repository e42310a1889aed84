#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc sim --live: what is seen of a run while it goes on.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc
experiment=$SCRATCH/small.yaml
cat >"$experiment" <<'YAML'
name: small
title: four NICs on two planes
fabric: { planes: 2, t0s: 2, t1s: 2, hosts_per_t0: 2 }
duration: 400 us
sample: 4 us
workloads:
  - { name: ring, kind: send_recv, message_bytes: 1 MiB, iterations: 0 }
faults:
  - { kind: down, where: p1.t1.0, at: 100 us, for: 100 us }
YAML

lines=$("$mrc" sim --live -o "$SCRATCH/result.json" "$experiment" 2>&1 >/dev/null)
is 'to a file, --live first prints the title' "$(echo "$lines" | head -n 1)" 'four NICs on two planes'
is '  and then ten lines of progress' "$(echo "$lines" | grep -c 'goodput .* planes .* EVs ')" 10
is '  and each fault and its end' "$(echo "$lines" | grep p1.t1.0 | tr -s ' ' | tr '\n' ';')" \
    ' 100 us down of p1.t1.0; 200 us down of p1.t1.0: over;'
is '  in the order of time' "$(echo "$lines" | sed -n 's/^ *\([0-9]*\)\(\.[0-9]*\)\{0,1\} us .*/\1/p' | sort -nc 2>&1)" ''
is '  and no terminal control sequences' "$(printf '%s' "$lines" | grep -c "$(printf '\033')")" 0

# On a terminal it draws frames one over the other, all of the same height.
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    LC_ALL=C.UTF-8 TERM=xterm script -qec "'$mrc' sim --live -o '$SCRATCH/again.json' '$experiment'" /dev/null \
        </dev/null >"$SCRATCH/seen"
    contains 'to a terminal, --live draws a bar for each plane' "$(tr '\r' '\n' <"$SCRATCH/seen")" 'plane 1 '
    contains '  and shows recent faults' "$(cat "$SCRATCH/seen")" 'down of p1.t1.0: over'
    is '  and all frames have the same height' "$(grep -ao "$(printf '\033')"'\[[0-9]*A' "$SCRATCH/seen" | sort -u | wc -l)" 1
    seen() # COMMAND-PREFIX: what --live prints on a terminal, with ESC as ^[
    {
        LC_ALL=C.UTF-8 script -qec "$1 '$mrc' sim --live -o '$SCRATCH/again.json' '$experiment'" /dev/null </dev/null |
            sed "s/$(printf '\033')/^[/g"
    }
    colored=$(TERM=xterm seen '')
    plain=$(TERM=xterm NO_COLOR=1 seen '')
    contains 'with colors' "$colored" '^[[36m'
    is '  unless NO_COLOR is set' "$(printf '%s' "$plain" | grep -c '\^\[\[[0-9;]*m')" 0
    contains '  which does not prevent drawing' "$plain" '^[[K'
    is 'on a dumb terminal it prints lines' "$(TERM=dumb seen '' | grep -c 'goodput .* planes .* EVs ')" 10
    is '  without control sequences' "$(TERM=dumb seen '' | grep -c '\^\[')" 0
    is 'on a small terminal it prints lines' "$(TERM=xterm seen 'stty cols 30 rows 10;' | grep -c 'goodput .* planes .* EVs ')" 10
else
    skip 'to a terminal, --live draws a bar for each plane' 'no script(1), or no terminals for it'
fi
is '--live does not change the result' "$("$mrc" sim -o "$SCRATCH/plain.json" "$experiment" >/dev/null 2>&1 &&
    grep -o '"hash": *"[0-9a-f]*"' "$SCRATCH/plain.json")" "$(grep -o '"hash": *"[0-9a-f]*"' "$SCRATCH/result.json")"
done_testing
