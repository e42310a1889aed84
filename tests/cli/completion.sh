#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Completion in bash: words come from the commands and their tables, devices and parts of fabrics from those that are
# there.
. "$(dirname "$0")/../harness/tap.sh"
command -v bash >/dev/null || skip_all 'there is no bash'
export MRC_RUN_DIR="$SCRATCH"
unset MRC_CONFIG
mkdir -p "$SCRATCH/mrc/mrc4"
printf 'mrc4:\n  address: 2001:db8::4\n  ports: [ "udp:127.0.0.1:7000,127.0.0.1:7001" ]\n' >"$SCRATCH/mrc/mrc4/config"

"$BUILD/bin/mrc" completion bash >"$SCRATCH/mrc.bash"

completes() # SENTENCE WANTED WORD...: what the last word, which may be empty, can become
{
    sentence=$1
    wanted=$2
    shift 2
    # shellcheck disable=SC2016
    is "$sentence" "$(bash -c '. "$1"
COMP_WORDS=("${@:2}")
COMP_CWORD=$(($# - 2))
_mrc
echo "${COMPREPLY[@]}"' bash "$SCRATCH/mrc.bash" "$BUILD/bin/mrc" "$@" 2>&1)" "$wanted"
}

completes 'completes subcommands' 'search sim stat sweep switch' s
completes 'completes subcommands after help' 'doctor' help 'do'
completes 'completes the shells of mrc completion' 'bash' completion b
completes 'completes the verbs of a subcommand' 'run record' fabric r
completes 'completes the tests of mrc perf' 'allreduce allgather alltoall' perf all
completes 'completes options of a subcommand' '--repeat' sim --rep
completes 'completes options of a verb' '--slower' fabric run --sl
completes 'completes the kind of component in mrc fabric fault' 'switch' fabric fault sw
completes 'completes the kind of fault' 'loss' fabric fault link h0.p0 lo
completes 'completes up, which ends a fault' 'up' fabric fault link h0.p0 u
completes 'completes the direction of a fault' 'up' fabric fault link h0.p0 blackhole direction u
completes 'completes the verbs of mrc ev' 'show' ev s
completes 'completes the names of devices' 'mrc4' ev show dev ''
completes 'completes the names of devices of mrc perf' 'mrc4' perf write -d mrc
completes 'offers nothing where a file is expected: the shell completes files' '' sim exp
completes 'completes the names of parameters after --set' 'parameters.ev_min_active=' sim --set parameters.ev_min_a
completes 'completes the contenders of mrc compare' 'roce-1qp roce-16qp' compare --protocols roce-1
completes '  in a list' 'mrc,roce-8qp' compare --protocols mrc,roce-8
completes 'completes the formats of mrc plan config' 'nvue nic' plan config --format n
completes 'completes the options of mrc fabric fault run' '--slower' fabric fault run --sl
completes 'offers nothing where a number is expected' '' sim --jobs ''

# Parts of a fabric that runs.
printf 'planes: 2\nt0s: 2\nt1s: 1\nhosts_per_t0: 1\n' >"$SCRATCH/fabric.yaml"
"$BUILD/bin/mrc" fabric run -b -q -n lab "$SCRATCH/fabric.yaml"
completes 'completes the names of running fabrics' 'lab' fabric show --name l
completes 'completes the NICs of a fabric' 'h0 h1' fabric fault -n lab nic ''
completes 'completes the planes of a fabric' 'p0 p1' fabric fault -n lab plane ''
completes 'completes the switches of a fabric' 'p1.t0.0 p1.t0.1' fabric fault -n lab switch p1.t0
completes 'completes the host links of a fabric' 'h1.p0 h1.p1' fabric fault -n lab link h1
completes 'completes the links between switches of a fabric' 'p0.t0.1-t1.0' fabric fault -n lab link p0.t0.1
"$BUILD/bin/mrc" fabric stop -n lab

for subcommand in claims compare completion decode dev doctor ev exec job monitor perf port qp report search sim stat sweep switch; do
    completes "completes --help of mrc $subcommand" '--help' "$subcommand" --hel
done
done_testing
