#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The scapy layer: all golden vectors have the fields of mrc decode and are built again bit by bit, and golden, negative
# and damaged packets have the verdict of our parser.
. "$(dirname "$0")/../harness/tap.sh"
PYTHONPATH=$ROOT/contrib/scapy
PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE

for python in python3 /usr/bin/python3 ''; do
    [ -z "$python" ] || ! "$python" -c 'import scapy.packet' 2>/dev/null || break
done
[ -n "$python" ] || skip_all 'python3-scapy is not installed'
exec "$python" "$ROOT/tests/tools/scapy_vectors.py" "$BUILD/bin/mrc" "$ROOT/tests/vectors"
