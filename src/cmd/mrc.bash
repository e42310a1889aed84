# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Completion of mrc for bash. Subcommands, verbs and options are read from --help, devices and fabrics from those
# that are there, so nothing here has to follow the program.

# The words that a help lists, one in front of each explanation.
_mrc_listed() # MRC ARGUMENT...
{
    "$@" --help 2>/dev/null | sed -n 's/^  \([a-z]\{1,\}\)  .*/\1/p'
}

_mrc_options() # MRC ARGUMENT...
{
    { echo --help; "$@" --help 2>/dev/null | grep -oE '(^|[ ,[|])--[a-z][a-z_-]*' | tr -d ' ,[|'; } | sort -u
}

_mrc_kinds() # MRC: of faults
{
    echo up
    "$1" fabric fault --help 2>/dev/null | sed -n '/^HOW/,/^clear/s/^ \{17\}\([a-z]\{1,\}\).*/\1/p'
}

_mrc_names() # MRC ARGUMENT...: the first column of a table; of "mrc0: free" what stands before the colon
{
    "$@" 2>/dev/null | sed -e '/^NAME /d' -e 's/[: ].*//'
}

_mrc()
{
    local mrc=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local command=${COMP_WORDS[1]} candidates=
    local -a said=("$mrc")

    ((COMP_CWORD > 1)) && said+=("$command")
    case $command in
    fabric | perf | plan) ((COMP_CWORD > 2)) && said+=("${COMP_WORDS[2]}") ;;
    esac
    case $command:$before:$word in
    *:*:-*) candidates=$(_mrc_options "${said[@]}") ;;
    dev:dev:* | qp:qp:* | ev:ev:* | stat:stat:*) candidates=show ;;
    port:port:*) candidates='show set' ;;
    dev:show:* | *:dev:* | perf:-d:* | perf:--device:* | exec:-n:* | exec:--nic:*)
        candidates=$(_mrc_names "$mrc" dev show)
        ;;
    fabric:-n:* | fabric:--name:*) candidates=$(_mrc_names "$mrc" fabric list) ;;
    fabric:direction:*) candidates='up down' ;;
    fabric:fault:*) candidates='link port switch plane nic group ev clear run' ;;
    fabric:*:*)
        case ${COMP_WORDS[COMP_CWORD - 2]} in
        link | port | switch | plane | nic | ev) candidates=$(_mrc_kinds "$mrc") ;;
        mrc | */mrc) candidates=$(_mrc_listed "${said[@]}") ;;
        esac
        ;;
    perf:perf:* | plan:plan:*) candidates=$(_mrc_listed "${said[@]}") ;;
    help:help:*) candidates=$(_mrc_listed "$mrc") ;;
    qp:* | ev:* | port:* | stat:* | monitor:*) candidates='dev qp port' ;;
    *) ((COMP_CWORD == 1)) && candidates="$(_mrc_listed "$mrc") help" ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$candidates" -- "$word")
}

complete -o default -F _mrc mrc
