# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What make install leaves below DESTDIR.
set -eu
. "$(dirname "$0")/../harness/tap.sh"

exits 0 'everything is installed' meson install -C "$BUILD" --no-rebuild --destdir "$SCRATCH"
installed=$(cd "$SCRATCH" && find . -type f | LC_ALL=C sort)
contains 'with the dissector' "$installed" /share/openmrc/mrc.lua
contains 'with the licence' "$installed" /share/doc/openmrc/LICENSE
for source in "$ROOT"/docs/man/*.scd; do
    [ -f "$source" ] || continue
    page=$(basename "$source" .scd)
    contains "with the manual page $page" "$installed" "/man/man${page##*.}/$page"
done
for program in "$BUILD"/bin/*; do
    [ -e "$program" ] || continue
    contains "with the program ${program##*/}" "$installed" "/bin/${program##*/}"
done
done_testing
