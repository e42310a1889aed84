# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# The checks of the tree, on small trees made for them: each passes a good one and refuses a bad one.
set -eu
. "$(dirname "$0")/../harness/tap.sh"
licence='/* SPDX-License-Identifier: Apache-2.0 */'
tree=$SCRATCH/tree

fresh_tree()
{
    rm -rf "$tree"
    mkdir -p "$tree/docs" "$tree/src/base" "$tree/src/wire" "$tree/src/path" "$tree/src/cc" "$tree/include"
    cp "$ROOT/docs/layers.txt" "$tree/docs"
    cp "$ROOT/.clang-format" "$tree"
    for header in base/bits wire/psn path/path path/inner cc/cc; do
        printf '%s\n#pragma once\n' "$licence" >"$tree/src/$header.h"
    done
    echo "$licence" >"$tree/include/mrc.h"
    write src/path/path.c '#include "path/path.h"' '' '#include <string.h>' '' '#include "base/bits.h"' \
        '#include "path/inner.h"' '#include "wire/psn.h"'
}

write() # FILE LINE...
{
    file=$tree/$1
    shift
    printf '%s\n' "$licence" "$@" >"$file"
}

refuses_include() # SENTENCE FILE INCLUDE COMPLAINT
{
    fresh_tree
    write "$2" "#include $3"
    exits 1 "$1" "$ROOT/tools/check-layers" "$tree"
    contains "$1: the place is shown" "$output" "# $2:2: $4"
}

fresh_tree
exits 0 'layers: a tree in order passes' "$ROOT/tools/check-layers" "$tree"
contains 'layers: each layer is a test point' "$output" '1..4'
refuses_include 'layers: an upward include is refused' src/base/bits.c '"wire/psn.h"' 'base may not include'
refuses_include 'layers: a sideways include is refused' src/path/path.c '"cc/cc.h"' 'path may not include'
refuses_include 'layers: an upward include in angle brackets is refused' src/base/bits.c '<wire/psn.h>' 'base may not include'
refuses_include 'layers: an include with .. is refused' src/base/bits.c '"../wire/psn.h"' 'includes "../wire/psn.h": write'
refuses_include 'layers: a missing header is refused' src/wire/psn.c '"base/no.h"' 'includes "base/no.h", which is not'
refuses_include 'layers: a foreign header is refused' src/wire/psn.c '"tests/x.h"' 'includes "tests/x.h", which is in no'
refuses_include 'layers: only some layers may include the public header' src/base/bits.c '"mrc.h"' 'base may not include the public'
mkdir "$tree/src/transport"
write src/base/bits.c
write src/transport/qp.c '#include "path/inner.h"'
exits 1 'layers: a private header of another layer is refused' "$ROOT/tools/check-layers" "$tree"
contains 'layers: and the message names the public header of that layer' "$output" 'instead of the public header, path/path.h'
write src/transport/qp.c '#include "path/path.h"' '#include <sys/types.h>'
exits 0 'layers: the public header of a lower layer may be included' "$ROOT/tools/check-layers" "$tree"
write src/path/words.def
write src/transport/qp.c '#include "path/words.def"'
exits 0 'layers: a list of a lower layer may be included' "$ROOT/tools/check-layers" "$tree"
mkdir -p "$tree/src/cmd/sim" "$tree/src/cmd/perf"
write src/cmd/cmd.h
write src/cmd/sim/sim_progress.h
write src/cmd/sim/sim_progress.c '#include "cmd/cmd.h"' '#include "cmd/sim/sim_progress.h"'
exits 0 'layers: a command includes its own files and those of all commands' "$ROOT/tools/check-layers" "$tree"
write src/cmd/perf/perf_command.c '#include "cmd/sim/sim_progress.h"'
exits 1 'layers: a command may not include the files of another' "$ROOT/tools/check-layers" "$tree"
contains 'layers: and the message names the command to which it belongs' "$output" 'which belongs to mrc sim'
rm "$tree/src/cmd/perf/perf_command.c"
mkdir "$tree/src/utils"
write src/utils/misc.c
exits 1 'layers: a folder that docs/layers.txt lacks is refused' "$ROOT/tools/check-layers" "$tree"

fresh_tree
mkdir "$tree/src/sim"
write src/sim/look.c '/* of T0s and t1_count */ int uplinks;'
exits 0 'plan: comments may name a tier' "$ROOT/tools/check-plan" "$tree"
write src/sim/look.c 'int x = config.hosts_per_t0;'
exits 1 'plan: a tier outside topology is refused' "$ROOT/tools/check-plan" "$tree"
contains 'plan: and the file is named' "$output" 'tier src/sim/look.c'
write src/sim/look.c 'bool x = link.kind == TOPOLOGY_UPLINK;'
exits 1 'plan: the links between two tiers outside topology are refused' "$ROOT/tools/check-plan" "$tree"
contains 'plan: and the file is named' "$output" 'tier src/sim/look.c'
mkdir -p "$tree/src/plan"
write src/sim/look.c 'int x = ev >> fabric->uplink_bits;'
exits 1 'plan: splitting an EV is refused' "$ROOT/tools/check-plan" "$tree"
contains 'plan: and the file is named' "$output" 'ev src/sim/look.c'
write src/plan/plan.c 'int x = PLAN_USID_T0;'
exits 1 'plan: types of uSIDs that are named after tiers are refused' "$ROOT/tools/check-plan" "$tree"
write src/plan/plan.c 'int x = config.t0_count;'
exits 1 'plan: numbers of a tier are refused in plan/' "$ROOT/tools/check-plan" "$tree"
contains 'plan: and the file is named' "$output" 'tier src/plan/plan.c'
write src/plan/plan.c
write src/sim/look.c 'int x = plan_ev_split(8, ev).plane;'
exits 1 'plan: splitting an EV with a constant width is refused' "$ROOT/tools/check-plan" "$tree"
write src/sim/look.c 'int x = plan_ev_path(fabric, ev).plane; enum { OPTION_UPLINK_BITS };'
exits 0 'plan: asking plan/ for the path of an EV passes' "$ROOT/tools/check-plan" "$tree"

archive() # LAYER SOURCE-LINE...
{
    layer=$1
    shift
    printf '%s\n' "$@" | cc -O2 -x c -c -o "$SCRATCH/$layer.o" -
    mkdir -p "$SCRATCH/built/src"
    rm -f "$SCRATCH/built/src/lib$layer.a"
    ar cr "$SCRATCH/built/src/lib$layer.a" "$SCRATCH/$layer.o"
}

pure_tree()
{
    fresh_tree
    rm -r "$tree/src/path" "$tree/src/cc"
    touch "$tree/src/base/base.c" "$tree/src/wire/wire.c"
    archive base '#include <assert.h>' '#include <string.h>' \
        'static const char *const names[] = { "a", "b" };' \
        'const char *base(char *d, const char *s, unsigned n) { assert(n); memcpy(d, s, n); return names[n % 2]; }'
    archive wire 'unsigned libdeflate_crc32(unsigned, const void *, unsigned long);' \
        'const char *base(char *, const char *, unsigned);' \
        'unsigned wire(void) { return libdeflate_crc32(0, base(0, 0, 0), 0); }'
}

refuses_archive() # SENTENCE COMPLAINT LAYER SOURCE-LINE...
{
    sentence=$1
    complaint=$2
    shift 2
    pure_tree
    archive "$@"
    exits 1 "$sentence" "$ROOT/tools/check-purity" "$SCRATCH/built" "$tree"
    contains "$sentence: the symbol is shown" "$output" "$complaint"
}

pure_tree
exits 0 'purity: pure archives pass' "$ROOT/tools/check-purity" "$SCRATCH/built" "$tree"
contains 'purity: each layer has two test points' "$output" '1..4'
refuses_archive 'purity: printing is refused' 'calls puts' base '#include <stdio.h>' 'void f(void) { puts("x"); }'
refuses_archive 'purity: a clock is refused' 'calls clock' base '#include <time.h>' 'long f(void) { return clock(); }'
refuses_archive 'purity: allocation is refused' 'calls malloc' wire '#include <stdlib.h>' 'void *f(void) { return malloc(9); }'
refuses_archive 'purity: only wire may call crc32 of libdeflate' 'calls libdeflate_crc32' base \
    'unsigned libdeflate_crc32(unsigned, const void *, unsigned long);' 'unsigned f(void) { return libdeflate_crc32(0, 0, 0); }'
refuses_archive 'purity: wire may call no other function of libdeflate' 'calls libdeflate_adler32' wire \
    'unsigned libdeflate_adler32(unsigned, const void *, unsigned long);' 'unsigned f(void) { return libdeflate_adler32(0, 0, 0); }'
refuses_archive 'purity: a variable without an initial value is refused' 'bytes of .bss' base 'int f(void) { static int n; return ++n; }'
refuses_archive 'purity: a variable with an initial value is refused' 'bytes of .data' base 'int f(void) { static int n = 5; return ++n; }'
pure_tree
rm "$SCRATCH/built/src/libwire.a"
exits 1 'purity: a layer that was not built is refused' "$ROOT/tools/check-purity" "$SCRATCH/built" "$tree"

# Two files, of which the second calls the first.
objects=$SCRATCH/objects/src
mkdir -p "$objects" "$SCRATCH/exports/src/api"
echo '    mrc_open;' >"$SCRATCH/exports/src/api/libmrc.map"
object() # NAME SOURCE
{
    echo "$2" | gcc -x c -c -o "$objects/$1.o" -
}
set -- "$ROOT/tools/check-exports" "$SCRATCH/objects" "$SCRATCH/exports"

object a 'int used(void) { return 1; }'
object b 'int used(void); int mrc_open(void) { return used(); }'
exits 0 'exports: functions that another file calls and public symbols pass' "$@"
object a 'int used(void) { return 1; } int own(void) { return used(); } int other(void) { return own(); }'
exits 1 'exports: a function that only its own file calls is refused' "$@"
contains 'exports: and the function is named' "$output" 'own() of a.o'

# Two libraries with one function each. The structure is that of the public header.
library() # NAME MEMBERS LIBRARY
{
    mkdir -p "$SCRATCH/abi/lib" "$SCRATCH/interface/include" "$SCRATCH/interface/tests/golden/abi"
    printf 'struct %s_attr { %s };\n' "$1" "$2" >"$SCRATCH/interface/include/$1.h"
    printf '#include "%s.h"\nint %s_open(struct %s_attr *a) { return a->first; }\n' "$1" "$1" "$1" |
        gcc -g -shared -fPIC -x c -I "$SCRATCH/interface/include" -o "$SCRATCH/abi/lib/$3.so" -
}
set -- "$ROOT/tools/check-abi" "$SCRATCH/abi" "$SCRATCH/interface"

if command -v abidw >/dev/null; then
    library mrc 'int first; long second;' libmrc
    library verbs 'int first;' libmrc-verbs
    exits 0 'abi: a recorded interface passes' "$1" --record "$2" "$3"
    exits 0 'abi: the same interface passes again' "$@"
    library mrc 'int first; int second; int third;' libmrc
    exits 1 'abi: a changed structure is refused' "$@"
    contains 'abi: and the structure is named' "$output" 'struct mrc_attr'
    contains 'abi: the other library passes' "$output" 'ok 2 - libmrc-verbs'
    library mrc 'int first; long second;' libmrc
    library more 'int first;' libmrc-verbs
    exits 1 'abi: a missing function is refused' "$@"
    contains 'abi: and the function is named' "$output" 'verbs_open'
    exits 0 'abi: an intended change is recorded' "$1" --record "$2" "$3"
else
    skip 'abi: a changed structure is refused' 'abidw is not installed'
fi

fresh_tree
if command -v clang-format >/dev/null; then
    exits 0 'format: a formatted tree passes' "$ROOT/tools/check-format" "$tree"
    write src/base/bits.c 'int  f(void) {return 1;}'
    exits 1 'format: another style is refused' "$ROOT/tools/check-format" "$tree"
    contains 'format: the place is shown' "$output" 'src/base/bits.c:2:'
else
    skip 'format: another style is refused' 'clang-format is not installed'
fi

refuses_tree() # CHECK SENTENCE COMPLAINT
{
    exits 1 "$2" "$ROOT/tools/check-$1" "$tree"
    contains "$2: the place is shown" "$output" "$3"
}

fresh_tree
exits 0 'spdx: licensed sources pass' "$ROOT/tools/check-spdx" "$tree"
echo 'int f(void);' >"$tree/src/base/bits.h"
refuses_tree spdx 'spdx: a source without a licence is refused' './src/base/bits.h'
printf '%s\n%s\n' '/* Late. */' "$licence" >"$tree/src/base/bits.h"
refuses_tree spdx 'spdx: a source whose first line is not the licence is refused' './src/base/bits.h'
fresh_tree
mkdir "$tree/tools"
printf '#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n' >"$tree/tools/good"
exits 0 'spdx: a script may begin with its interpreter line' "$ROOT/tools/check-spdx" "$tree"
echo '#!/bin/sh' >"$tree/tools/bad"
refuses_tree spdx 'spdx: a script with only its interpreter line is refused' './tools/bad'
fresh_tree
write src/base/bits.c "/* TO""DO: later */"
refuses_tree spdx 'spdx: a to-do comment is refused' './src/base/bits.c:2:'
fresh_tree
echo "see /ho""me/somebody/notes" >"$tree/docs/notes.md"
refuses_tree spdx 'spdx: a path of a machine is refused' './docs/notes.md:1:'

fresh_tree
mkdir "$tree/docs/man"
printf '%0100d\n' 0 >"$tree/docs/notes.md"
printf '\t%092d\n' 0 >"$tree/docs/man/page.1.scd"
exits 0 'columns: documents of 100 columns pass' "$ROOT/tools/check-columns" "$tree"
printf 'short\n%0101d\n' 0 >"$tree/docs/notes.md"
refuses_tree columns 'columns: a line of 101 columns is refused' './docs/notes.md:2:'
printf '%0100d\n' 0 | sed 's/0/§/g' >"$tree/docs/notes.md"
exits 0 'columns: letters are counted, not bytes' "$ROOT/tools/check-columns" "$tree"
printf '\t%093d\n' 0 >"$tree/docs/man/page.1.scd"
refuses_tree columns 'columns: a tab counts up to the next multiple of 8' './docs/man/page.1.scd:1:'

fresh_tree
echo "pure_layers = ['path']" >"$tree/src/meson.build"
echo "sources = files('path.c')" >"$tree/src/path/meson.build"
exits 0 'listed: a tree whose sources are all built passes' "$ROOT/tools/check-listed" "$tree"
write src/path/lost.c
refuses_tree listed 'listed: a forgotten source is refused' "src/path/lost.c: no 'lost.c' in src/path/meson.build"
rm "$tree/src/path/lost.c"
write src/base/bits.c
refuses_tree listed 'listed: a forgotten layer is refused' "src/base/bits.c: no 'base' in src/meson.build"
rm "$tree/src/base/bits.c"
mkdir -p "$tree/src/cmd/sim"
write src/cmd/sim/sim_command.c
refuses_tree listed 'listed: a forgotten command is refused' "no COMMAND(sim) in src/cmd/commands.def"
rm -r "$tree/src/cmd"
mkdir -p "$tree/tests/unit/wire" "$tree/tests/fuzz" "$tree/bench"
write tests/unit/wire/psn_test.c
refuses_tree listed 'listed: a forgotten test is refused' "no 'unit/wire/psn' in tests/meson.build"
write tests/fuzz/frame_fuzz.c
refuses_tree listed 'listed: a forgotten fuzz entry is refused' "no 'frame' in tests/fuzz/meson.build"
write bench/wire.c
refuses_tree listed 'listed: a forgotten benchmark is refused' "no 'wire' in bench/meson.build"

fresh_tree
mkdir -p "$tree/src/api" "$tree/src/verbs" "$tree/tests/unit/api"
write src/api/post.c
write src/api/post.h
write tests/unit/api/api_write_test.c '/* Tests api/post.c. */'
exits 0 'named: a tree whose tests name every file passes' "$ROOT/tools/check-named" "$tree"
write src/verbs/wr.c
refuses_tree named 'named: a file that no test names is refused' 'src/verbs/wr: no test names verbs/wr.c'
fresh_tree
mkdir "$tree/src/cmd"
write src/cmd/ask.c 'static int ask_fabric(int number)' '{' '    return number;' '}' 'static int run(void)' '{' '    return ask_fabric(1);' '}' \
    'static int power(int number);'
refuses_tree statics 'statics: a static function that is only a verb is refused' 'src/cmd/ask.c:6: run() does not name its object'
is 'statics: no other is' "$(printf '%s\n' "$output" | grep -c '^#')" 1
write src/cmd/ask.c 'static int ask_fabric(int number)' '{' '    return number;' '}'
exits 0 'statics: one that names its object passes' "$ROOT/tools/check-statics" "$tree"
done_testing
