#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures how often a browser redraws the page of a fabric of 10,000 links. Prints JSON lines for tools/bench. $DASHBOARD is
# the program that starts this script.
set -eu
mrc=$(dirname "$DASHBOARD")/../bin/mrc
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT PIPE TERM

if ! command -v chromium >/dev/null && ! command -v chromium-browser >/dev/null && ! command -v google-chrome >/dev/null; then
    echo 'dashboard: there is no chromium; nothing is measured' >&2
    exit 0
fi
"$mrc" report --dashboard -o "$folder/page.html" tests/golden/result_bare.json
python3 bench/dashboard.py "file://$folder/page.html"
