#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The units of contrib/systemd: which privileges they have, as they say and as systemd-analyze finds.
. "$(dirname "$0")/../harness/tap.sh"

for unit in mrc-controller mrc-agent; do
    file=$ROOT/contrib/systemd/$unit.service
    is "$unit does not run as root" "$(grep -cE '^User=(root|0)?$' "$file")" 0
    is '  it names its user' "$(grep -c '^User=' "$file")" 1
    is '  it has no capabilities' "$(grep -cE '^(CapabilityBoundingSet|AmbientCapabilities)=$' "$file")" 2
    is '  it can gain none' "$(grep -c '^NoNewPrivileges=yes$' "$file")" 1
    exits 0 '  its head says which privileges it needs' sh -c "sed -n '/^\[Unit\]/q;p' '$file' | grep -qE 'needs no privilege|not run as root'"
    if ! command -v systemd-analyze >/dev/null; then
        skip '  systemd-analyze finds little exposure' 'no systemd-analyze'
        continue
    fi
    # From 0.0, nothing exposed, to 10.0.
    found=$(systemd-analyze security --offline=true --no-pager "$file" 2>/dev/null | sed -n 's/.*Overall exposure level.*: \([0-9]*\)\.\([0-9]\) .*/\1\2/p')
    if [ -z "$found" ]; then
        skip '  systemd-analyze finds little exposure' 'systemd-analyze cannot judge a file'
    else
        is_more "  systemd-analyze finds little exposure ($found tenths)" 25 "$found"
    fi
done

done_testing
