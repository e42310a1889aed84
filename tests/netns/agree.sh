#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The kernel and our switches agree about addresses: on random fabrics every packet that a NIC sends crosses exactly
# the switches that its uSIDs name, be they the kernel's or ours.
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/netns.sh"
needs_next_csid
command -v tshark >/dev/null || skip_all 'tshark is not installed'

random_shape() # SEED: planes T0s T1s hosts
{
    awk -v seed="$1" 'BEGIN { srand(seed); print 1 + int(rand() * 4), 2 + int(rand() * 2), 1 + int(rand() * 4),
        1 + int(rand() * 2) }'
}

address_of() # NIC
{
    awk '$1 == "address:" { print $2 }' "$MRC_RUN_DIR/mrc/mrc$1/config"
}

# How often a packet of this capture that the NIC itself sent names each switch. uSIDs: plane(3) type(3) index(10).
named() # CAPTURE SOURCE
{
    tshark -r "$1" -Y "ipv6.src == $2" -T fields -E occurrence=f -e ipv6.src -e ipv6.dst 2>/dev/null |
        awk -v source="$2" '
            function number(hex,    i, value) {
                for (i = 1; i <= length(hex); i++)
                    value = value * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
                return value
            }
            $1 == source {
                count = split($2, parts, ":")
                for (i = 3; i <= count && parts[i] != ""; i++) {
                    usid = number(parts[i])
                    type = int(usid / 1024) % 8
                    if (type == 1 || type == 2)
                        print "p" int(usid / 8192) ".t" type - 1 "." usid % 1024
                }
            }'
}

shifted_by_kernel()
{
    ip netns list | awk '{ print $1 }' | grep "^$fabric-p" | while read -r space; do
        ip -n "$space" -6 -s route show | awk -v name="${space#"$fabric-"}" '
            /seg6local/ { for (i = 1; i < NF; i++) if ($i == "packets" && $(i + 1) > 0) print name, $(i + 1) }'
    done
}

forwarded_by_ours()
{
    "$mrc" fabric show -n "$fabric" | awk '/^p[0-9]/ { sum[$1] += $5 } END { for (name in sum) print name, sum[name] }'
}

for seed in 1 2 3 4; do
    # The numbers hold no blanks.
    # shellcheck disable=SC2046
    set -- $(random_shape "$seed")
    last=$(($2 * $4 - 1))
    printf 'planes: %s\nt0s: %s\nt1s: %s\nhosts_per_t0: %s\n' "$@" >"$SCRATCH/random.yaml"
    for kind in kernel ours; do
        option=
        [ "$kind" = ours ] || option=--kernel
        # shellcheck disable=SC2086
        "$mrc" fabric up -q $option -n "$fabric" "$SCRATCH/random.yaml"
        captures=$SCRATCH
        writes "$1 planes of $2 T0s and $3 T1s, $4 hosts each: data crosses ($kind)" 0 "$last" -s 16K -n 40 -t 4
        is '  over exactly the switches that its addresses name' \
            "$(if [ "$kind" = ours ]; then forwarded_by_ours; else shifted_by_kernel; fi | sort)" \
            "$({
                named "$SCRATCH/h0" "$(address_of 0)"
                named "$SCRATCH/h$last" "$(address_of "$last")"
            } | sort | uniq -c | awk '{ print $2, $1 }' | sort)"
        "$mrc" fabric down -n "$fabric"
    done
done
nothing_is_left 'fabric down leaves nothing'
done_testing
