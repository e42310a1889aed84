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

completes 'subcommands' 'sim stat switch' s
completes 'help knows them, too' 'doctor' help 'do'
completes 'shells' 'bash' completion b
completes 'verbs' 'run record' fabric r
completes 'tests' 'allreduce allgather alltoall' perf all
completes 'options of a subcommand' '--repeat' sim --rep
completes 'options of a verb' '--slower' fabric run --sl
completes 'what can break' 'switch' fabric fault sw
completes 'how it can break' 'loss' fabric fault link h0.p0 lo
completes 'and end' 'up' fabric fault link h0.p0 u
completes 'in which direction' 'up' fabric fault link h0.p0 blackhole direction u
completes 'what can be shown' 'show' ev s
completes 'devices' 'mrc4' ev show dev ''
completes 'devices for perf' 'mrc4' perf write -d mrc
completes 'files are for the shell' '' sim exp
completes 'names of parameters' 'parameters.ev_min_active=' sim --set parameters.ev_min_a
completes 'options of a script of faults' '--slower' fabric fault run --sl
completes 'nothing after a number' '' sim --jobs ''

# Parts of a fabric that runs.
printf 'planes: 2\nt0s: 2\nt1s: 1\nhosts_per_t0: 1\n' >"$SCRATCH/fabric.yaml"
"$BUILD/bin/mrc" fabric run -b -q -n lab "$SCRATCH/fabric.yaml"
completes 'fabrics' 'lab' fabric show --name l
completes 'NICs of a fabric' 'h0 h1' fabric fault -n lab nic ''
completes 'its planes' 'p0 p1' fabric fault -n lab plane ''
completes 'its switches' 'p1.t0.0 p1.t0.1' fabric fault -n lab switch p1.t0
completes 'its links' 'h1.p0 h1.p1' fabric fault -n lab link h1
completes 'all of them' 'p0.t0.1-t1.0' fabric fault -n lab link p0.t0.1
"$BUILD/bin/mrc" fabric stop -n lab

for subcommand in completion decode dev doctor ev exec monitor perf port qp report sim stat switch; do
    completes "mrc $subcommand has help" '--help' "$subcommand" --hel
done
done_testing
