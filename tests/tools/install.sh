# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What make install leaves below DESTDIR.
set -eu
. "$(dirname "$0")/../harness/tap.sh"

exits 0 'meson install succeeds' meson install -C "$BUILD" --no-rebuild --destdir "$SCRATCH"
installed=$(cd "$SCRATCH" && find . -type f | LC_ALL=C sort)
contains 'the dissector is installed' "$installed" /share/openmrc/mrc.lua
contains 'the licence is installed' "$installed" /share/doc/openmrc/LICENSE
for source in "$ROOT"/docs/man/*.scd; do
    [ -f "$source" ] || continue
    page=$(basename "$source" .scd)
    contains "the manual page $page is installed" "$installed" "/man/man${page##*.}/$page"
done
for program in "$BUILD"/bin/*; do
    [ -e "$program" ] || continue
    contains "the program ${program##*/} is installed" "$installed" "/bin/${program##*/}"
done
contains 'the example experiments are installed' "$installed" /share/openmrc/experiments/incast.yaml
contains 'the documents that messages name are installed' "$installed" /share/doc/openmrc/docs/clients.md
contains 'the packet vectors are installed' "$installed" /share/openmrc/vectors/mrc-vectors.txt
contains '  also the negative ones' "$installed" /share/openmrc/vectors/mrc-negative.txt
contains 'the scapy layer is installed' "$installed" /share/openmrc/scapy/mrc.py
contains 'the Python module is installed' "$installed" /openmrc/__init__.py
module=$(dirname "$(dirname "$(find "$SCRATCH" -path '*/openmrc/__init__.py')")")
exits 0 '  and can be imported' env PYTHONPATH="$module" PYTHONDONTWRITEBYTECODE=1 python3 -c 'import openmrc; openmrc.read_sweep'
contains 'the completion for bash is installed' "$installed" /share/bash-completion/completions/mrc

# A program that was written elsewhere: verbs for devices and memory, mrc.h for the rest.
cat >"$SCRATCH/program.c" <<'END'
#include <mrc.h>
#include <mrc_ctl.h>
#include <stdio.h>

int main(void)
{
    int count = 0;
    struct ibv_device **list = ibv_get_device_list(&count);
    struct ibv_context *verbs = list && list[0] ? ibv_open_device(list[0]) : NULL;
    struct mrc_context *mrc = verbs ? mrc_create_context(verbs, NULL) : NULL;

    printf("%d devices%s\n", count, mrc ? ", one open" : "");
    return 0;
}
END
pc=$(dirname "$(find "$SCRATCH" -name libmrc.pc)")
PKG_CONFIG_PATH=$pc
PKG_CONFIG_SYSROOT_DIR=$SCRATCH
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
if python3 -c 'import json, sys
sys.exit(next(o["value"] for o in json.load(open(sys.argv[1])) if o["name"] == "b_sanitize") != "none")' \
    "$BUILD/meson-info/intro-buildoptions.json"; then
    # shellcheck disable=SC2046
    exits 0 'a program finds headers and libraries with pkg-config' \
        "${CC:-cc}" "$SCRATCH/program.c" -o "$SCRATCH/program" $(pkg-config --cflags --libs libmrc)
    mkdir "$SCRATCH/run"
    exits 0 '  and runs with the installed libraries' env MRC_RUN_DIR="$SCRATCH/run" LD_LIBRARY_PATH="$(dirname "$pc")" "$SCRATCH/program"
    is '  and finds no devices' "$output" '0 devices'
else
    skip 'a program finds headers and libraries with pkg-config' 'libraries with a sanitizer need its run-time'
fi
done_testing
