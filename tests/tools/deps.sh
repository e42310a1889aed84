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
exits 0 'nothing is said when nothing is missing' "$deps" build test fuzz bench check-all demo format
is 'nothing at all' "$output" ''

printf 'meson\nlibdeflate-dev\n' >"$SCRATCH/missing"
exits 2 'who is not root is refused when something is missing' "$deps" build
is 'with the one line to run' "$output" 'apt-get install --no-install-recommends meson libdeflate-dev'
is 'and apt-get is left alone' "$(apt_was_called_with)" never
exits 0 'a purpose that does not need it is served' "$deps" format
echo clang >"$SCRATCH/missing"
exits 2 'a package of two purposes' "$deps" build test fuzz
is 'is asked for once' "$output" 'apt-get install --no-install-recommends clang'
echo tshark >"$SCRATCH/missing"
exits 0 'the demo does without tshark' "$deps" build demo

pretend id 'echo 0'
exits 0 'root gets it for the demo' "$deps" build demo
contains 'after an update' "$(apt_was_called_with | head -n 1)" update
contains 'without being asked, and nothing but it' "$(apt_was_called_with | tail -n 1)" \
    'install -y --no-install-recommends tshark'
pretend apt-get 'exit 100'
exits 100 'what apt-get cannot do is an error' "$deps" build demo

exits 2 'an unknown purpose is refused' "$deps" world-peace
contains 'with the known ones' "$output" 'build test'
exits 2 'so is none' "$deps"

rm "$SCRATCH/bin/dpkg-query"
for tool in sh awk tr printf dirname cat; do ln -s "$(command -v "$tool")" "$SCRATCH/bin/$tool" 2>/dev/null || :; done
exits 0 'without dpkg the names are given and the build goes on' env PATH="$SCRATCH/bin" "$deps" build
contains 'with the packages of Debian' "$output" 'libdeflate-dev'
done_testing
