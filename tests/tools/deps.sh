# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# tools/deps with the system around it replaced: what it does for root, and what it asks of others.
set -eu
. "$(dirname "$0")/../harness/tap.sh"
deps=$ROOT/tools/deps
PATH=$SCRATCH/bin:$PATH
mkdir "$SCRATCH/bin"

pretend() # PROGRAM SCRIPT-LINE...
{
    program=$SCRATCH/bin/$1
    shift
    printf '%s\n' '#!/bin/sh' "$@" >"$program"
    chmod +x "$program"
}

apt_was_called_with()
{
    cat "$SCRATCH/apt" 2>/dev/null || echo never
}

# shellcheck disable=SC2016 # expanded when the script runs
# Knows every package but those in $SCRATCH/missing.
pretend dpkg-query 'for package; do case $package in -*|*{*) ;; *)' \
    "grep -qx \"\$package\" '$SCRATCH/missing' || echo \"installed \$package\" ;; esac; done"
pretend apt-get "echo \"\$*\" >>'$SCRATCH/apt'"

pretend id 'echo 1000'
: >"$SCRATCH/missing"
exits 0 'tools/deps succeeds when nothing is missing' "$deps" build test fuzz bench check-all demo format
is '  and prints nothing' "$output" ''

printf 'meson\nlibdeflate-dev\n' >"$SCRATCH/missing"
exits 2 'for a user who is not root, a missing package is an error' "$deps" build
is '  and the command that installs it is printed' "$output" 'apt-get install --no-install-recommends meson libdeflate-dev'
is '  and apt-get is not called' "$(apt_was_called_with)" never
exits 0 'a purpose that does not need the missing package succeeds' "$deps" format
echo clang >"$SCRATCH/missing"
exits 2 'a package that two purposes need is missing' "$deps" build test fuzz
is '  and is printed once' "$output" 'apt-get install --no-install-recommends clang'
echo tshark >"$SCRATCH/missing"
exits 0 'for a user who is not root, the demo succeeds without tshark' "$deps" build demo

pretend id 'echo 0'
exits 0 'for root, a missing package of the demo is installed' "$deps" build demo
contains '  after apt-get update' "$(apt_was_called_with | head -n 1)" update
contains '  without a question, and no other package is installed' "$(apt_was_called_with | tail -n 1)" \
    'install -y --no-install-recommends tshark'
pretend apt-get 'exit 100'
exits 100 'a failure of apt-get is an error' "$deps" build demo

exits 2 'an unknown purpose is refused' "$deps" world-peace
contains '  and the message lists the purposes' "$output" 'build test'
exits 2 'a call without a purpose is refused' "$deps"

rm "$SCRATCH/bin/dpkg-query"
for tool in sh awk tr printf dirname cat; do ln -s "$(command -v "$tool")" "$SCRATCH/bin/$tool" 2>/dev/null || :; done
exits 0 'without dpkg, the build continues' env PATH="$SCRATCH/bin" "$deps" build
contains '  and the Debian packages are printed' "$output" 'libdeflate-dev'
done_testing
