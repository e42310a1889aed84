#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The command mrc itself: help, version, and what it makes of subcommands that are not there.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc

exits 2 'without a subcommand it shows its usage and fails' "$mrc"
contains 'the usage names the subcommands' "$output" '  decode '
exits 0 'asked for help it succeeds' "$mrc" --help
contains 'the help names the subcommands' "$output" '  decode '
is 'help is on standard output' "$("$mrc" help 2>/dev/null)" "$output"
exits 0 'it knows its version' "$mrc" --version
is 'the version is one line' "$(echo "$output" | sed 's/ [0-9.]*$/ N/')" 'mrc (OpenMRC) N'

exits 0 'help of a subcommand is its --help' "$mrc" help decode
is 'in the same words' "$output" "$("$mrc" decode --help)"
exits 0 'a subcommand may be shortened' "$mrc" dec --help
exits 0 'also behind help' "$mrc" help dec

exits 2 'a subcommand that does not exist is refused' "$mrc" dcode
is 'with the one that was meant' "$output" "mrc: there is no subcommand 'dcode'; did you mean 'decode'?"
exits 2 'also if two letters changed places' "$mrc" smi
is 'which is one mistake' "$output" "mrc: there is no subcommand 'smi'; did you mean 'sim'?"
exits 2 'whatever it is' "$mrc" sing
is 'with where to look' "$output" "mrc: there is no subcommand 'sing'; 'mrc help' lists them"
exits 2 'help of what does not exist is refused, too' "$mrc" help sing
exits 2 'an empty name is no abbreviation' "$mrc" ''
exits 2 'an option before the subcommand is refused' "$mrc" -v decode
is 'by name' "$output" "mrc: there is no option '-v'; before a subcommand, mrc takes --help and --version"
is 'errors leave standard output empty' "$("$mrc" dcode 2>/dev/null)" ''

if [ -w /dev/full ]; then
    # shellcheck disable=SC2016
    exits 1 'a full disk is an error' sh -c '"$1" --help >/dev/full' sh "$mrc"
    is 'that says so' "$output" 'mrc: standard output: No space left on device'
    # shellcheck disable=SC2016
    exits 1 'also when it is noticed before the end' sh -c '"$1" sim --parameters >/dev/full' sh "$mrc"
    # shellcheck disable=SC2016
    exits 0 'a reader that has seen enough is none' sh -c '"$1" sim --parameters | head -n 1' sh "$mrc"
    is 'and nothing is said about it' "$(echo "$output" | wc -l)" 1
fi
done_testing
