#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The patches of tests/conform/mutants apply to the tree; tools/conform-mutants builds and runs what they make.
. "$(dirname "$0")/../harness/tap.sh"
command -v patch >/dev/null || skip_all 'patch is not installed'
command -v python3 >/dev/null || skip_all 'python3 is not installed'
exec python3 "$ROOT/tools/conform-mutants" --apply
