#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The command mrc itself: help, version, and what it makes of subcommands that are not there.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc

exits 2 'without a subcommand, mrc prints its usage and fails' "$mrc"
contains 'the usage lists the subcommands' "$output" '  decode '
exits 0 'mrc --help exits with 0' "$mrc" --help
contains 'the help lists the subcommands' "$output" '  decode '
is 'help is printed to standard output' "$("$mrc" help 2>/dev/null)" "$output"
exits 0 'mrc --version exits with 0' "$mrc" --version
is 'the version is one line' "$(echo "$output" | sed 's/ [0-9.]*$/ N/')" 'mrc (OpenMRC) N'

exits 0 'mrc help SUBCOMMAND exits with 0' "$mrc" help decode
is '  and prints the same text as SUBCOMMAND --help' "$output" "$("$mrc" decode --help)"
exits 0 'a subcommand may be abbreviated' "$mrc" dec --help
exits 0 'a subcommand may be abbreviated after help' "$mrc" help dec

exits 2 'a misspelt subcommand is refused' "$mrc" dcode
is '  and the message suggests the right one' "$output" "mrc: there is no subcommand 'dcode'; did you mean 'decode'?"
exits 2 'a subcommand with two letters swapped is refused' "$mrc" smi
is '  and the message suggests the right one' "$output" "mrc: there is no subcommand 'smi'; did you mean 'sim'?"
exits 2 'an unknown subcommand is refused' "$mrc" sing
is '  and the message names the command that lists them' "$output" "mrc: there is no subcommand 'sing'; 'mrc help' lists them"
exits 2 'help for an unknown subcommand is refused' "$mrc" help sing
exits 2 'an empty name is not an abbreviation' "$mrc" ''
exits 2 'an option before the subcommand is refused' "$mrc" -v decode
is '  and the message names the option' "$output" "mrc: there is no option '-v'; before a subcommand, mrc takes --help and --version"
is 'errors print nothing to standard output' "$("$mrc" dcode 2>/dev/null)" ''

if [ -w /dev/full ]; then
    # shellcheck disable=SC2016
    exits 1 'a full disk is an error' sh -c '"$1" --help >/dev/full' sh "$mrc"
    is '  and the message says so' "$output" 'mrc: standard output: No space left on device'
    # shellcheck disable=SC2016
    exits 1 'a full disk is an error if a write before the last one fails' sh -c '"$1" sim --parameters >/dev/full' sh "$mrc"
    # shellcheck disable=SC2016
    exits 0 'a reader that closes the pipe is not an error' sh -c '"$1" sim --parameters | head -n 1' sh "$mrc"
    is '  and no message is printed' "$(echo "$output" | wc -l)" 1
fi
done_testing
