#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/conform/run-endpoint.sh DEVICE_BUILD: checks libmrc of that build with mrc conform endpoint of $BUILD, and prints the
# JSON of the report.
# Builds: src/lib/libmrc.so.1.0.0
DEVICE_BUILD=$1
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/soft.sh"
. "$(dirname "$0")/../harness/endpoint_bench.sh"
kit -j --set patience=2s
