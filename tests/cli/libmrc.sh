#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The libraries and headers as somebody else's program meets them: what is exported, what is needed, which versions
# compile, and a program with every call as C and as C++, against what make install leaves.
. "$(dirname "$0")/../harness/tap.sh"

cc=${CC:-cc}
include=$ROOT/include
lib=$BUILD/lib

needed() # LIBRARY: what it needs beside the C library and its loader
{
    readelf -d "$1" | sed -n 's/.*NEEDED.*\[\(.*\)\].*/\1/p' | grep -vE '^(libc\.so|ld-linux|lib[at]san|libubsan)' | tr '\n' ' '
}

exported() # LIBRARY: symbols without their versions
{
    nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }'
}

is 'libmrc.so.1 needs only the C library' "$(needed "$lib/libmrc.so.1")" ''
is 'besides the C library, libmrc-verbs.so.1 needs only libmrc.so.1' "$(needed "$lib/libmrc-verbs.so.1")" 'libmrc.so.1 '
is 'libmrc.so.1 exports nothing but its interface' "$(exported "$lib/libmrc.so.1" | grep -v '^mrc_')" ''
is 'libmrc-verbs.so.1 exports nothing but verbs' "$(exported "$lib/libmrc-verbs.so.1" | grep -vE '^_?ibv_|_to_ibv_rate$')" ''
is 'private symbols have their own version' \
    "$(nm -D --defined-only "$lib/libmrc.so.1" | grep mrc_private_ | grep -vc '@@MRC_PRIVATE_1')" 0
is 'every declared function is exported' "$(
    sed -n 's/^[a-z].*[ *]\(mrc_[a-z_]*\)(.*/\1/p' "$include/mrc.h" "$include/mrc_ctl.h" | LC_ALL=C sort -u >"$SCRATCH/declared"
    exported "$lib/libmrc.so.1" | LC_ALL=C sort -u >"$SCRATCH/exported"
    LC_ALL=C comm -23 "$SCRATCH/declared" "$SCRATCH/exported"
)" ''
is '41 functions are declared' "$(wc -l <"$SCRATCH/declared")" 41

# ---- versions --------------------------------------------------------------------------------------------------------

# shellcheck disable=SC2317
compiles() # TEXT OPTION...: as C, warnings are errors
{
    printf '%s\n' "$1" >"$SCRATCH/version.c"
    shift
    "$cc" -std=c17 -Wall -Wextra -Werror -I"$include" "$@" -fsyntax-only "$SCRATCH/version.c"
}
both='#include <mrc_ctl.h>'

exits 0 'a program that asks for no version gets the newest' compiles "$both
_Static_assert(MRC_API_VER_USED == 0x01000001 && MRC_CTL_API_VER_USED == 0x01000001, \"\");"
exits 0 'a program that asks for LATEST gets the newest version' compiles "$both
_Static_assert(MRC_API_VER_USED == 0x01000001 && MRC_CTL_VENDOR_API_VER_USED == 0x01000000, \"\");" \
    '-DMRC_API_VER_USED=MRC_API_VER_LATEST' '-DMRC_CTL_VENDOR_API_VER_USED=MRC_CTL_API_VER_LATEST'
for used in MRC_API MRC_CTL_API MRC_VENDOR_API MRC_CTL_VENDOR_API; do
    exits 1 "${used}_VER_USED beyond this header is an error" compiles "$both" "-D${used}_VER_USED=0x01000002"
    contains '  and the message says that a newer version is required' "$output" 'asks for a newer'
    exits 1 "${used}_VER_USED at the end of support is a warning" compiles "$both" "-D${used}_VER_USED=0"
    contains '  and the message says that it is the oldest version' "$output" 'oldest version'
done
old='-DMRC_API_VER_USED=MRC_API_VER(1,0,0)'
old_ctl='-DMRC_CTL_API_VER_USED=MRC_CTL_API_VER(1,0,0)'
exits 1 'programs for version 1.0.0 have no mrc_query_device_ex' compiles "$both
int (*call)(struct ibv_context *, struct mrc_context *, struct mrc_device_attr *, int *) = mrc_query_device_ex;" "$old"
exits 1 'programs for version 1.0.0 have no mrc_ctl_query_device_ex' compiles "$both
void *call = (void *)mrc_ctl_query_device_ex;" "$old_ctl"
exits 0 'EV events of programs for version 1.0.0 have 48 bytes' compiles "$both
_Static_assert(sizeof(struct mrc_ctl_ev_event) == 48, \"\");" "$old_ctl"

# ---- a program -------------------------------------------------------------------------------------------------------

exits 0 'meson installs the libraries' meson install -C "$BUILD" --no-rebuild --destdir "$SCRATCH/root"
pc=$(find "$SCRATCH/root" -name libmrc.pc)
is '  with the name lib_mrc.so, which the makefile of OCP uses' "$(readlink "$(find "$SCRATCH/root" -name lib_mrc.so)")" libmrc.so
is '  and without the private header' "$(find "$SCRATCH/root" -name mrc_private.h)" ''
flags=$(PKG_CONFIG_PATH=${pc%/*} PKG_CONFIG_SYSROOT_DIR=$SCRATCH/root pkg-config --cflags --libs libmrc)

program() # LANGUAGE COMPILER OPTION...
{
    language=$1
    shift
    if ! command -v "$1" >/dev/null; then
        skip "a program that uses every function compiles as $language" "no $1"
        return
    fi
    # shellcheck disable=SC2086 # the flags are words
    exits 0 "a program that uses every function compiles as $language" "$@" -Wall -Wextra -Werror -pedantic \
        "$ROOT/tests/cli/every_call.c" -x none -o "$SCRATCH/every_call" $flags
    if nm -D "$BUILD/lib/libmrc.so.1" | grep -q ' __[at]san_init'; then
        skip '  and the program links and runs' 'a program without a sanitizer cannot load libraries with one'
        return
    fi
    is '  and the program links and runs' "$(LD_LIBRARY_PATH=${pc%/pkgconfig/*} "$SCRATCH/every_call")" \
        '41 calls, version 1000001, context none, ev port 0'
}

program C "$cc" -x c -std=c17
program C++ g++ -x c++ -std=c++11
program 'C++ for clang' clang++ -x c++ -std=c++11
done_testing
