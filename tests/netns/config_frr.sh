#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# FRR loads what mrc plan config writes for it, as far as the installed version knows the commands: FRR 8.4 of Debian 12
# knows interfaces and routes, and refuses exactly the lines of SRv6, which came later.
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/netns.sh"
daemons=${FRR_DAEMONS:-/usr/lib/frr}
vtysh=${FRR_VTYSH:-vtysh}
command -v "$vtysh" >/dev/null || skip_all 'FRR is not installed: apt install frr'
[ -x "$daemons/zebra" ] || skip_all "there is no $daemons/zebra: apt install frr"
file=$(tiny '')
conf=$SCRATCH/frr.conf
"$mrc" plan config -f frr -s p1.t0.1 "$file" >"$conf"

"$vtysh" --dryrun --inputfile "$conf" >"$SCRATCH/said" 2>&1 || true
# A version that knows SRv6 refuses nothing.
is 'vtysh refuses no line but those of SRv6' \
    "$(sed -n 's/.*Unknown command[^:]*: *//p' "$SCRATCH/said" | grep -vE '^(prefix .* block-len 32 |behavior usid|format usid-f3216|static-sids|sid )')" ''
echo "# vtysh refuses $(grep -c 'Unknown command' "$SCRATCH/said") lines"

# zebra reads the interfaces, staticd the routes, which vtysh would distribute.
"$mrc" fabric up -q --kernel -n "$fabric" "$file"
space=$fabric-p1.t0.1
ip -n "$space" -6 route flush proto boot
grep '^ipv6 route' "$conf" >"$SCRATCH/static.conf"
# The daemons refuse root unless it is in their group, so they run as the user of the package.
user=frr
id $user >/dev/null 2>&1 || user=root
chmod 777 "$SCRATCH"
start_daemon() # NAME FILE
{
    ip netns exec "$space" "$daemons/$1" -f "$2" -i "$SCRATCH/$1.pid" -z "$SCRATCH/zserv" --vty_socket "$SCRATCH" \
        -u $user -g $user -P 0 >"$SCRATCH/$1.said" 2>&1 &
}
start_daemon zebra "$conf"
zebra=$!
start_daemon staticd "$SCRATCH/static.conf"
staticd=$!
# shellcheck disable=SC2317
stop_daemons()
{
    kill "$staticd" "$zebra" 2>/dev/null
    wait
    clean_up
}
trap stop_daemons EXIT
routes()
{
    ip -n "$space" -6 route show | sed -n 's/^\(fc00:42:2[8c]0[01]::\/48\) .*dev \([du][01]\) .*/\1 \2/p' | sort
}
wanted='fc00:42:2800::/48 u0
fc00:42:2801::/48 u1
fc00:42:2c00::/48 d0
fc00:42:2c01::/48 d1'
tries=0
until [ "$(routes)" = "$wanted" ] || [ $tries -ge 100 ] || ! kill -0 $staticd 2>/dev/null; do
    tries=$((tries + 1))
    sleep 0.1
done
if ! kill -0 $zebra 2>/dev/null; then
    skip 'zebra and staticd install the routes of the plan' "they do not start here: $(tail -n 1 "$SCRATCH/zebra.said")"
else
    is 'zebra and staticd install the routes of the plan' "$(routes)" "$wanted"
fi
done_testing
