# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# For tests that start MPI ranks on this machine, through shared memory, more than processors if need be. Read after
# tap.sh.
ldd "$BUILD/bin/mrc" | grep -q libmpi || skip_all 'this build has no MPI: install libopenmpi-dev'
command -v mpirun >/dev/null || skip_all 'mpirun is not installed: install openmpi-bin'
command -v python3 >/dev/null || skip_all 'python3 is not installed'

OMPI_MCA_btl=self,vader
OMPI_MCA_rmaps_base_oversubscribe=1
OMPI_MCA_btl_vader_single_copy_mechanism=none
OMPI_ALLOW_RUN_AS_ROOT=1
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ASAN_OPTIONS=detect_leaks=0 # MPI itself leaks
export OMPI_MCA_btl OMPI_MCA_rmaps_base_oversubscribe OMPI_MCA_btl_vader_single_copy_mechanism
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM ASAN_OPTIONS

# Starts two ranks in the background, as process $launcher, and waits until both catch SIGTERM and have run for a while.
# Their process numbers are in the files pid.0 and pid.1, their output in long.out.
start_ranks() # COMMAND...
{
    rm -f pid.0 pid.1
    # shellcheck disable=SC2016
    mpirun -n 2 sh -c 'echo $$ >pid.$OMPI_COMM_WORLD_RANK; exec "$@"' sh "$@" >long.out 2>&1 &
    # shellcheck disable=SC2034
    launcher=$!
    tries=0
    while [ $tries -lt 1200 ] && ! { catches_term 0 && catches_term 1; }; do
        tries=$((tries + 1))
        sleep 0.05
    done
    sleep 1
}

catches_term() # RANK
{
    [ -s "pid.$1" ] || return 1
    mask=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$(cat "pid.$1")/status" 2>/dev/null)
    [ $((0x${mask:-0} & 0x4000)) -ne 0 ]
}
