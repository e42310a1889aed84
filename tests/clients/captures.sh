#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc conform capture with a few captures of the simulator and of a soft fabric, clean and with a violation each;
# tools/conform-captures alone takes a thousand.
. "$(dirname "$0")/../harness/tap.sh"
command -v python3 >/dev/null || skip_all 'python3 is not installed'
export BUILD
exec python3 "$ROOT/tools/conform-captures" --count 16 --seed "${CAPTURES_SEED:-1}"
