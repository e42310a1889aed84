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
