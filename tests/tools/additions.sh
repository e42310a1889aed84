# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# The worked examples of CONTRIBUTING.md, followed literally in one copy of the tree.
set -eu
. "$(dirname "$0")/../harness/tap.sh"
tree=$SCRATCH/tree
steps=$SCRATCH/steps
mkdir "$tree" "$steps"
command -v meson >/dev/null || skip_all 'meson is not installed'

# ---- the steps of the examples -----------------------------------------------------------------------------

# Each step is a folder: what to do (write, add), the example, the file, the text after which to add, the new text.
awk -v steps="$steps" '
function step(action, line, part) {
    count++
    folder = sprintf("%s/%03d", steps, count)
    system("mkdir " folder)
    split(line, part, "`")
    print action >(folder "/action")
    print example >(folder "/example")
    print part[2] >(folder "/file")
    print part[4] >(folder "/after")
}
/^## / { is_inside = $0 == "## Worked examples" }
!is_inside { next }
/^```/ { is_code = !is_code; if (!is_code) close(folder "/text"); next }
is_code { print >(folder "/text"); next }
/^### / { example = substr($0, 5) }
/^Write `/ { step("write", $0) }
/^Add to `/ { step("add", $0) }
' "$ROOT/CONTRIBUTING.md"

is 'there is an example of every kind of addition' "$(cat "$steps"/*/example | uniq)" 'A counter
A NACK reason
A congestion control
A path policy
A workload
A fault
A topology
A command'

files() # EXAMPLE ACTION: the files that it writes, or to which it adds
{
    for folder in "$steps"/*; do
        if [ "$(cat "$folder/example")" = "$1" ] && [ "$(cat "$folder/action")" = "$2" ]; then cat "$folder/file"; fi
    done | LC_ALL=C sort -u
}

changed() # EXAMPLE: existing files other than meson.build and the manual
{
    files "$1" add | grep -v -e '/meson\.build$' -e '^docs/man/' | paste -s -d ' '
}

is 'a counter changes its list and the file in which it is counted' "$(changed 'A counter')" \
    'src/transport/counters.def src/transport/requester_send.c'
is 'a NACK reason changes only its list' "$(changed 'A NACK reason')" src/wire/nack.def
is 'a congestion control changes only its list' "$(changed 'A congestion control')" src/cc/algorithms.def
is 'a path policy changes only its list' "$(changed 'A path policy')" src/path/policies.def
is 'a workload changes only its list' "$(changed 'A workload')" src/sim/workloads.def
is 'a fault changes only its list' "$(changed 'A fault')" src/network/fault.def
is 'a topology changes only its list' "$(changed 'A topology')" src/topology/shapes.def
is 'a command changes only its list' "$(changed 'A command')" src/cmd/commands.def

# ---- the copy ----------------------------------------------------------------------------------------------

(cd "$ROOT" && find . -path './build*' -prune -o -path ./.git -prune -o -type f -print | tar -cf - -T -) | tar -xf - -C "$tree"

apply() # STEP
{
    file=$tree/$(cat "$1/file")
    case $(cat "$1/action") in
    write)
        [ ! -e "$file" ] || echo "$file exists"
        mkdir -p "$(dirname "$file")"
        cp "$1/text" "$file"
        ;;
    add)
        AFTER=$(cat "$1/after") awk -v text="$1/text" '
        { print }
        !done && index($0, ENVIRON["AFTER"]) {
            while ((getline line < text) > 0) print line
            done = 1
        }
        END { if (!done) print "no line contains " ENVIRON["AFTER"] >"/dev/stderr" }' "$file" >"$SCRATCH/new"
        cat "$SCRATCH/new" >"$file"
        ;;
    esac
}

is 'every step can be followed' "$(for folder in "$steps"/*; do apply "$folder" 2>&1; done)" ''
exits 0 'check-reference --fix writes the reference, and the manuals name the additions' "$tree/tools/check-reference" --fix
is 'only files that the examples name change' "$(
    diff -rq "$ROOT" "$tree" | grep -v -e '^Only in .*: build' -e '^Only in .*: \.git$' |
        sed -e "s|^Files .* and $tree/\(.*\) differ|\1|" -e "s|^Only in $tree/*\(.*\): |\1/|" | LC_ALL=C sort)" "$({
    cat "$steps"/*/file | grep -v '^src/cmd/kinds/'
    echo src/cmd/kinds
    echo docs/reference.md
    echo dissector/mrc.lua
} | LC_ALL=C sort -u)"
if command -v clang-format >/dev/null; then
    # shellcheck disable=SC2016,SC2046
    exits 0 'the examples are formatted as .clang-format says' \
        sh -c 'cd "$0" && clang-format --dry-run -Werror "$@"' "$tree" $(cat "$steps"/*/file | grep '\.c$' | LC_ALL=C sort -u)
fi
for check in columns layers listed spdx statics; do
    exits 0 "the copy passes check-$check" "$tree/tools/check-$check" "$tree"
done

# One build for all examples, without optimisation, which takes the least time.
exits 0 'the copy is configured' meson setup "$tree/build" "$tree" -Doptimization=0 -Ddebug=false -Dwerror=true
exits 0 'the copy is built' ninja -C "$tree/build" -j2 src/mrc
mrc=$tree/build/src/mrc
if [ ! -x "$mrc" ]; then
    not_ok 'the copy has a command mrc'
    done_testing
fi

# ---- using what is new -------------------------------------------------------------------------------------

cat >"$SCRATCH/all.yaml" <<'END'
name: additions
fabric: { shape: torus, columns: 3, rows: 4, hosts_per_switch: 2 }
duration: 200us
workloads:
  - { name: ring, kind: neighbour, message_bytes: 256KiB }
faults:
  - { kind: fade, where: p0.t0.0-t0.1, rate: 40Gb/s, probability: 10%, at: 50us, for: 100us }
parameters: { congestion_control: aimd, ev_policy: random }
END
value() # PATH: of the result
{
    python3 -c 'import json, sys
value = json.load(open(sys.argv[1]))
for key in sys.argv[2:]:
    value = value[int(key) if isinstance(value, list) else key]
print(value)' "$SCRATCH/result" "$@"
}

exits 0 'an experiment uses the workload, topology, fault, congestion control and path policy' \
    "$mrc" sim -q -o "$SCRATCH/result" "$SCRATCH/all.yaml"
if command -v python3 >/dev/null && [ -s "$SCRATCH/result" ]; then
    is 'the torus has 24 NICs' "$(value fabric nics)" 24
    is 'the result names the workload' "$(value runs 0 summary workloads ring kind)" neighbour
    is_more '  and its ranks send' "$(value runs 0 summary workloads ring goodput_bps)" 1000000000
    is 'the result names the fault' "$(value runs 0 summary faults 0 kind)" fade
    is_more '  and the fault loses packets' "$(value runs 0 summary lost fault)" 0
    is 'the result names the congestion control' "$(value experiment parameters congestion_control)" aimd
    is 'the result names the path policy' "$(value experiment parameters ev_policy)" random
    is 'the result has the counter' "$(value runs 0 summary counters ev_desperate)" 0
fi

sed -i 's/shape: torus, columns: 3/shape: torus, columns: 2/' "$SCRATCH/all.yaml"
exits 2 'a torus with too few columns is refused' "$mrc" sim -q "$SCRATCH/all.yaml"
contains '  and the message has the reason' "$output" '2 columns and 4 rows: a torus has at least 3'
exits 0 'sim --parameters lists the choices' "$mrc" sim --parameters
contains '  with the congestion control' "$output" aimd
contains '  and the path policy' "$output" random

# A NACK packet, its reason replaced.
sed -n 's/^N1 [0-9]* //p' "$ROOT/tests/vectors/mrc-vectors.txt" | sed 's/dd00ffff0000011100000105000001/dd00ffff000001110000010500000c/' \
    >"$SCRATCH/nack"
exits 0 'a NACK with the reason is decoded' "$mrc" decode -v --no-icrc "$SCRATCH/nack"
contains '  with its name' "$output" PAUSED
contains '  and its meaning' "$output" 'the responder is paused; retransmit'

exits 0 'the command runs' "$mrc" kinds
contains '  and prints the fault' "$output" fade
contains 'mrc help lists the command' "$("$mrc" help)" 'print the kinds of faults'
contains 'the shell completes the command' "$("$mrc" completion words kin)" kinds
contains 'mrc fabric fault --help lists the fault' "$("$mrc" fabric fault --help)" fade
done_testing
