#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/conform/run-library.sh DEVICE_BUILD: checks libmrc of that build with mrc conform api of $BUILD, and prints the JSON of
# the report.
# Builds: src/lib/libmrc.so.1.0.0 src/lib/libmrc-verbs.so.1.0.0
exec "${BUILD:-$(dirname "$0")/../../build}/bin/mrc" conform api -j --patience 8s "$1/lib/libmrc.so.1"
