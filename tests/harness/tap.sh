# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Helpers for tests written in sh, which print TAP. A test begins with
#     . "$(dirname "$0")/../harness/tap.sh"
# and ends with done_testing. It finds the tree in $ROOT, the build in $BUILD and a folder of its own in $SCRATCH.

ROOT=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$ROOT/build}
SCRATCH=$(mktemp -d)
trap 'rm -rf "$SCRATCH"' EXIT
tap_number=0
tap_failed=0
output=

ok() # SENTENCE
{
    tap_number=$((tap_number + 1))
    echo "ok $tap_number - $1"
}

not_ok() # SENTENCE [WHY...]
{
    tap_number=$((tap_number + 1))
    tap_failed=1
    echo "not ok $tap_number - $1"
    shift
    [ $# -eq 0 ] || printf '%s\n' "$@" | sed 's/^/#   /'
}

is() # SENTENCE GOT WANTED
{
    if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "got:" "$2" "wanted:" "$3"; fi
}

is_more() # SENTENCE NUMBER THAN
{
    if [ "${2:-0}" -gt "$3" ]; then ok "$1"; else not_ok "$1" "${2:-nothing} is not more than $3"; fi
}

contains() # SENTENCE TEXT PART
{
    case $2 in
    *"$3"*) ok "$1" ;;
    *) not_ok "$1" "no '$3' in:" "$2" ;;
    esac
}

# The output of the command is left in $output.
exits() # STATUS SENTENCE COMMAND...
{
    tap_wanted=$1
    tap_sentence=$2
    shift 2
    tap_status=0
    output=$("$@" 2>&1) || tap_status=$?
    if [ "$tap_status" -eq "$tap_wanted" ]; then
        ok "$tap_sentence"
    else
        not_ok "$tap_sentence" "exit status $tap_status instead of $tap_wanted from: $*" "$output"
    fi
}

skip() # SENTENCE WHY
{
    tap_number=$((tap_number + 1))
    echo "ok $tap_number - $1 # SKIP $2"
}

# For a whole test that cannot run here.
skip_all() # WHY
{
    echo "1..0 # SKIP $1"
    exit 0
}

# Turns lines such as "ok - SENTENCE" of another program into tests.
take_lines()
{
    while IFS= read -r tap_line; do
        case $tap_line in
        'ok - '*) ok "${tap_line#ok - }" ;;
        'not ok - '*) not_ok "${tap_line#not ok - }" ;;
        '#'*) echo "$tap_line" ;;
        esac
    done
}

done_testing()
{
    echo "1..$tap_number"
    exit "$tap_failed"
}
