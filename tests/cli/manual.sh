#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every subcommand explains itself, and its manual page knows the options of its table and no others.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc

options() # of a text on standard input, one a line
{
    grep -oE -- '(^|[^a-z-])--[a-z][a-z_-]*' | sed 's/^[^-]*//' | LC_ALL=C sort -u
}

agree() # PAGE COMMAND...: a command is the words behind mrc
{
    page=$1
    shift
    : >"$SCRATCH/help"
    : >"$SCRATCH/table"
    for command; do
        # shellcheck disable=SC2086
        exits 0 "mrc $command --help exits with 0" "$mrc" $command --help
        printf '%s\n' "$output" >>"$SCRATCH/help"
        # shellcheck disable=SC2086
        "$mrc" completion words $command -- >"$SCRATCH/own"
        is "  and lists each option once" "$(LC_ALL=C sort "$SCRATCH/own" | uniq -d | xargs)" ''
        cat "$SCRATCH/own" >>"$SCRATCH/table"
    done
    LC_ALL=C sort -u "$SCRATCH/table" >"$SCRATCH/in-table"
    { options <"$SCRATCH/help"; echo --help; } | LC_ALL=C sort -u >"$SCRATCH/in-help"
    { sed -n '/^# EXAMPLES/q; p' "$ROOT/docs/man/$page.1.scd" | options; echo --help; } | LC_ALL=C sort -u >"$SCRATCH/in-page"
    is "$page(1) describes all options of its commands" "$(LC_ALL=C comm -23 "$SCRATCH/in-table" "$SCRATCH/in-page" | xargs)" ''
    is "  and no other options" "$(LC_ALL=C comm -13 "$SCRATCH/in-table" "$SCRATCH/in-page" | xargs)" ''
    is "  and the help has no other options" "$(LC_ALL=C comm -13 "$SCRATCH/in-table" "$SCRATCH/in-help" | xargs)" ''
}

agree mrc-claims claims
agree mrc-compare compare
agree mrc-completion completion
agree mrc-conform 'conform capture'
agree mrc-conform-api 'conform api'
agree mrc-conform-endpoint 'conform endpoint'
agree mrc-conform-switch 'conform switch'
agree mrc-conform-traffic 'conform traffic'
agree mrc-ctl ctl
agree mrc-decode decode
agree mrc-dev dev qp ev port stat monitor
agree mrc-doctor doctor
agree mrc-drain drain restore
agree mrc-exec exec
agree mrc-fabric 'fabric run' 'fabric up' 'fabric down' 'fabric list' 'fabric show' 'fabric fault' 'fabric fault run' 'fabric record' 'fabric web' 'fabric stop'
agree mrc-job job
agree mrc-map map
agree mrc-perf perf
agree mrc-plan 'plan size' 'plan failures' 'plan chips' 'plan path' 'plan config' 'plan check' 'plan diff'
agree mrc-report report
agree mrc-search search
agree mrc-sim sim
agree mrc-sweep sweep
agree mrc-switch switch
# mrcd has no completion: its page is compared with its help.
for subcommand in init controller agent; do
    "$BUILD/bin/mrcd" "$subcommand" --help
done | options >"$SCRATCH/in-help"
{ sed -n '/^# EXAMPLES/q; p' "$ROOT/docs/man/mrcd.8.scd" | options; echo --help; } | LC_ALL=C sort -u >"$SCRATCH/in-page"
is 'mrcd(8) describes all options of mrcd, and no others' "$(diff "$SCRATCH/in-help" "$SCRATCH/in-page")" ''
for subcommand in $("$mrc" help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
    contains "mrc(1) lists $subcommand" "$(cat "$ROOT/docs/man/mrc.1.scd")" "*$subcommand*"
done
done_testing
