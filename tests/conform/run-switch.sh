#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/conform/run-switch.sh DEVICE_BUILD: checks mrc switch of that build with mrc conform switch of $BUILD, and prints
# the JSON of the report. Exits with 77 where network namespaces cannot be made.
# Builds: src/mrc
DEVICE_BUILD=$1
. "$(dirname "$0")/../harness/tap.sh"
skip_all() # WHY
{
    echo "$1"
    exit 77
}
. "$(dirname "$0")/../harness/netns.sh"
. "$(dirname "$0")/../harness/switch_bench.sh"
start_switch
kit -j --set patience=2s
