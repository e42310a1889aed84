# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Which mutations tools/mutate draws. What becomes of them takes minutes: make check-all.
set -eu
. "$(dirname "$0")/../harness/tap.sh"

listed() # OPTION...
{
    "$ROOT/tools/mutate" --list --count 20 "$@"
}

files_of() # LIST
{
    printf '%s\n' "$1" | sed 's|^\(src/[a-z]*\)/.*|\1|' | sort -u | tr '\n' ' '
}

default=$(listed --seed 5)
is '--count sets the number of mutations' "$(printf '%s\n' "$default" | wc -l)" 20
is 'the same seed draws the same mutations' "$default" "$(listed --seed 5)"
is 'another seed draws other mutations' "$([ "$default" = "$(listed --seed 6)" ] || echo others)" others
is 'by default, the folders of the protocol are mutated' "$(files_of "$(listed --count 400)")" 'src/cc src/path src/transport '
is '--only selects folders' "$(files_of "$(listed --only src/switch src/wire)")" 'src/switch src/wire '
is '--only selects files' "$(listed --only src/path/path_feedback.c | sed 's/:.*//' | sort -u)" src/path/path_feedback.c
is 'a mutation changes its line' \
    "$(printf '%s\n' "$default" | awk -F '  ->  ' '{ sub(/^[^ ]* /, "", $1); if ($1 == $2) print }')" ''
exits 2 'a name that no file has is refused' "$ROOT/tools/mutate" --only src/nowhere
contains '  and the message names it' "$output" 'no file of a pure layer has src/nowhere in its name'
done_testing
