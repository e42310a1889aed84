#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Configurations that mrc plan config writes carry traffic: Linux scripts, files of mrc switch, and files of NICs.
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/netns.sh"
needs_next_csid
file=$SCRATCH/fabric.yaml
printf '%s\n' 'planes: 1' 't0s: 2' 't1s: 2' 'hosts_per_t0: 2' >"$file"
switches='p0.t0.0 p0.t0.1 p0.t1.0 p0.t1.1'

config() # FORMAT
{
    exits 0 "$1: configurations are written" "$mrc" plan config -f "$1" -o "$SCRATCH/$1" "$file"
}

# Namespaces and cables, but no switch process and no routes.
build()
{
    "$mrc" fabric up -q -n "$fabric" "$file"
    "$mrc" fabric stop -n "$fabric"
}

shifted_by() # SWITCH
{
    ip -n "$fabric-$1" -6 -s route show | awk '/seg6local/ { for (i = 1; i < NF; i++) if ($i == "packets") print $(i + 1) }'
}

build
config linux
for switch in $switches; do
    exits 0 "  the script of $switch runs" within "$switch" sh "$SCRATCH/linux/$switch/switch.sh"
    case $output in *warning*) echo "$output" | sed 's/^/# /' ;; esac
done
exits 0 '  also a second time' within p0.t0.0 sh "$SCRATCH/linux/p0.t0.0/switch.sh"
writes '  data crosses the T1s, and every byte is correct' 0 3 -s 64K -n 50
for t1 in p0.t1.0 p0.t1.1; do
    is_more "    also over $t1" "$(shifted_by $t1)" 0
done
writes '  data crosses a single T0' 0 1 -s 64K -n 20

# The same routes, with files for MRC_CONFIG in place of those of the fabric. Each host has its own folder of devices.
config nic
for nic in h0 h3; do
    mkdir "$SCRATCH/run-$nic"
    echo '  retry_exponential: 25' >>"$SCRATCH/nic/$nic/mrc.conf"
done
as_nic() # NIC COMMAND...
{
    nic=$1
    shift
    MRC_RUN_DIR=$SCRATCH/run-$nic MRC_CONFIG=$SCRATCH/nic/$nic/mrc.conf within "$nic" timeout 120 "$@"
}
as_nic h3 "$mrc" perf write -d mrc0 -c >"$SCRATCH/server" 2>&1 &
server=$!
as_nic h0 "$mrc" perf write -d mrc0 -c -s 64K -n 50 10.99.0.4 >"$SCRATCH/client" 2>&1 &
client=$!
end_writes '  data crosses between NICs that have these files'

if command -v "${CC:-cc}" >/dev/null; then
    cat >"$SCRATCH/main.c" <<'END'
#include "mrc_ctl.h"

int ev_profile_load(struct mrc_context *, uint64_t format, uint64_t profile, int32_t leaf, int32_t downlink);

int main(void)
{
    struct ibv_device **devices = ibv_get_device_list(NULL);
    struct ibv_context *device = ibv_open_device(devices[0]);
    struct mrc_context *mrc = mrc_create_context(device, NULL);

    struct mrc_ctl_ev_op_entry entry = { .ev = { .val = { 0, 1 }, .port = 1 } }; /* plane 0, uplink 1 */
    struct mrc_ctl_ev_profile_attr attr = { .ev_op = { .op = MRC_CTL_EV_OP_QUERY_EV_STATE, .entries = &entry, .entry_count = 1 } };

    if (ev_profile_load(mrc, 7, 9, 1, 1) != 0 || mrc_ctl_query_ev_profile(mrc, 9, &attr, MRC_CTL_EV_PROFILE_EV_OP) != 0)
        return 3;
    return entry.state == MRC_CTL_EV_DENIED ? 0 : 4;
}
END
    { cat "$file" && echo 'exceptions: [{ link: p0.t0.1-t1.1, missing: yes }]'; } >"$SCRATCH/less.yaml"
    "$mrc" plan config -f nic -o "$SCRATCH/less" -s h0 "$SCRATCH/less.yaml" 2>"$SCRATCH/said"
    exits 0 '  ev_profile.c compiles' "${CC:-cc}" -Wall -Werror -I"$ROOT/include" -o "$SCRATCH/load" "$SCRATCH/main.c" \
        "$SCRATCH/less/h0/ev_profile.c" -L"$BUILD/lib" -lmrc-verbs -lmrc -Wl,-rpath,"$(realpath "$BUILD/lib")"
    exits 0 '  and loads its profile, in which the path over a missing link is denied' as_nic h0 "$SCRATCH/load"
else
    skip '  ev_profile.c compiles' 'there is no C compiler'
fi
"$mrc" fabric down -n "$fabric"

build
config mrc-switch
name_of() # SWITCH: a name for its process
{
    echo "$fabric-$1" | tr . -
}
for switch in $switches; do
    "$mrc" switch -q --netns "$fabric" -n "$(name_of "$switch")" --only "$switch" \
        "$SCRATCH/mrc-switch/$switch/switch.yaml" 2>"$SCRATCH/said-$switch" &
done
for switch in $switches; do
    until "$mrc" fabric show -n "$(name_of "$switch")" >"$SCRATCH/show" 2>&1 || [ -s "$SCRATCH/said-$switch" ]; do :; done
done
is '  every process runs' "$(cat "$SCRATCH"/said-*)" ''
writes '  data crosses switches that each have their own file' 0 3 -s 64K -n 50
for switch in $switches; do "$mrc" fabric stop -n "$(name_of "$switch")"; done
wait
"$mrc" fabric down -n "$fabric"
rm -rf "$SCRATCH"/run-h?

# Fabrics with a shape: the scripts of all switches.
carries() # SENTENCE FROM TO LINE...
{
    sentence=$1
    from=$2
    to=$3
    shift 3
    printf '%s\n' "$@" >"$file"
    rm -rf "$SCRATCH/linux"
    build
    config linux
    refused=
    for folder in "$SCRATCH"/linux/*; do
        within "${folder##*/}" sh "$folder/switch.sh" >"$SCRATCH/ran" 2>&1 || refused="$refused ${folder##*/}"
    done
    is '  all scripts run' "$refused" ''
    writes "$sentence" "$from" "$to" -s 64K -n 50
    "$mrc" fabric down -n "$fabric"
}
carries '  data crosses three tiers' 0 3 'shape: clos' 'tiers: 3' 'hosts_per_leaf: 1' 'leaves_per_pod: 2' 'spines_per_pod: 2' 'pods: 2' 'cores: 4'
carries '  data crosses parallel links' 0 1 'shape: clos' 'hosts_per_leaf: 1' 'leaves_per_pod: 2' 'spines_per_pod: 1' 'leaf_links: 2'
carries '  data crosses a ZCube' 0 3 'shape: zcube' 'n: 2' 'k: 2'
nothing_is_left 'fabric down leaves nothing'
done_testing
