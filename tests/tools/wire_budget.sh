# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# The headers of a full SRv6 data packet are parsed, and built, in no more instructions than their budget allows.
# Callgrind counts the same on every machine, so this can be a test.
set -eu
. "$(dirname "$0")/../harness/tap.sh"

command -v valgrind >/dev/null || skip_all 'valgrind is not installed'
results=$("$BUILD/bench/wire" --instructions)
case $results in
*'"built_with": "gcc, optimised"'*) ;;
*) skip_all 'the budget is for an optimised gcc build' ;;
esac

value_of() # KEY METRIC
{
    printf '%s\n' "$results" | sed -n "s/.*\"metric\": \"$2\".*\"$1\": \([0-9]*\).*/\1/p"
}

within_budget() # SENTENCE METRIC
{
    count=$(value_of value "$2")
    budget=$(value_of reference "$2")
    if [ "${count:-0}" -gt 0 ] && [ "$count" -le "$budget" ]; then
        ok "$1"
    else
        not_ok "$1" "$count instructions, budget $budget" "$results"
    fi
}

within_budget 'parsing the headers of a full SRv6 data packet stays within 400 instructions' 'parse headers'
within_budget 'building the headers of a full SRv6 data packet stays within 400 instructions' 'build headers'
done_testing
