#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc plan --report: the page, its data, the paths that it draws, and what a browser makes of it; mrc plan failures --measure.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc
page=$SCRATCH/page.html
cd "$ROOT" || exit 1

data() # FILTER: from the page
{
    sed -n 's/^<script type="application\/json" class="plan" id="plan">\(.*\)<\/script>$/\1/p' "$page" | jq -c "$1"
}

exits 0 'a page is written' "$mrc" plan --gpus 131072 --nic 800G --planes 8 --switch 51.2T --report "$page"
is '  and nothing is printed' "$output" ''
contains '  it is complete' "$(tail -n 1 "$page")" '</html>'
is '  every placeholder is replaced' "$(grep -c '{{[a-zA-Z_.]*}}' "$page")" 0
is '  it loads nothing' "$(grep -noE '(src|href|action)=["'\'']?[^ >]*|@import|url\([^)]*\)|fetch\(|XMLHttpRequest|import\(' "$page" || true)" ''
contains '  and forbids the browser to load anything' "$(cat "$page")" "default-src 'none'"
is '  it is small, since links are not listed' "$([ "$(wc -c <"$page")" -lt 200000 ] && echo small)" small
is '  it names the command, without the place of the page' "$(data '.command | join(" ")')" '"mrc plan --gpus 131072 --nic 800G --planes 8 --switch 51.2T"'
is '  it has the switches of each tier' "$(data '[.fabric.planes, .fabric.tiers[].switches]')" '[8,512,256]'
# The page has ten digits of each number.
rounded='walk(if type == "number" then . * 1000 | round else . end)'
is '  the rows of mrc plan' "$(data ".rows | $rounded" | cksum)" "$("$mrc" plan --gpus 131072 -j | jq -c ".rows | $rounded" | cksum)"
is '  the failures' "$(data '.failures | map(del(.gpu_hours_per_year))')" "$("$mrc" plan failures --gpus 131072 -j | jq -c '.failures | map(del(.gpu_hours_per_year))')"
is '  the fabrics of --compare' "$(data '.fabrics | map(del(.gpu_hours_per_year))')" "$("$mrc" plan --gpus 131072 --compare -j | jq -c '.fabrics | map(del(.gpu_hours_per_year))')"
is '  and no measurement' "$(data .measured)" null
is '  the curve of growth gets a third tier after 131,072 GPUs' "$(data '[.growth[] | select(.tiers == 3)][0].gpus > 131072')" true

mkdir "$SCRATCH/<"
"$mrc" plan --default-prices >"$SCRATCH/</script><b>.yaml"
"$mrc" plan --prices "$SCRATCH/</script><b>.yaml" --report "$page"
is 'markup in a name is escaped' "$(grep -c '</script><b>' "$page")" 0
contains '  and stays text' "$(cat "$page")" '\u003c/script>\u003cb>.yaml'

rm "$page"
exits 2 'a fabric that cannot be built has no page' "$mrc" plan --gpus 65537 --planes 1 --tiers 3 --report "$page"
is '  nothing is written' "$(find "$SCRATCH" -name 'page*')" ''
exits 1 'a page in a missing folder is a failure' "$mrc" plan --report "$SCRATCH/none/page.html"
contains '  and the message names the page' "$output" "$SCRATCH/none/page.html: No such file or directory"
if [ -w /dev/full ]; then
    exits 1 'a full disk is a failure' "$mrc" plan --report /dev/full
fi
is 'with a page, JSON is printed if it is wanted' "$("$mrc" plan --gpus 64 --report "$page" -j)" "$("$mrc" plan --gpus 64 -j)"
is '  and so is the comparison' "$("$mrc" plan --gpus 64 --report "$page" --compare)" "$("$mrc" plan --gpus 64 --compare)"
exits 2 '--measure without a page is refused' "$mrc" plan --measure
contains '  with the command that prints it' "$output" "'mrc plan failures --measure'"

# The paths that the page draws are those of the plan. shape.js runs outside a browser.
draws() # SENTENCE FROM TO OPTION...
{
    sentence=$1
    from=$2
    to=$3
    shift 3
    "$mrc" plan "$@" --report "$page"
    "$mrc" plan "$@" --yaml >"$SCRATCH/fabric.yaml"
    if ! command -v node >/dev/null; then
        skip "$sentence" 'there is no node'
        return
    fi
    drawn=$({ cat src/web/plan/shape.js && cat <<SCRIPT; } | node -
const fabric = $(data .fabric);
const model = shape.of(fabric);
const paths = [];
function choose(plane, choices, uplinks) {
    if (choices.length === uplinks.length)
        paths.push(model.path($from, $to, plane, choices).nodes.join(' '));
    else
        for (let uplink = 0; uplink < uplinks[choices.length]; uplink++)
            choose(plane, [...choices, uplink], uplinks);
}
if (model.kind === 'zcube')
    paths.push(...[true, false].map((isUpward) => model.path($from, $to, isUpward).nodes.join(' ')));
else
    for (let plane = 0; plane < fabric.planes; plane++)
        choose(plane, [], model.pair($from, $to).uplinks);
console.log(paths.sort().join('\n'));
SCRIPT
    )
    is "$sentence" "$drawn" "$("$mrc" plan path -f "$SCRATCH/fabric.yaml" -j "h$from" "h$to" |
        jq -r '([.paths[].hops | length] | min) as $least | .paths[].hops | select(length == $least) | join(" ")' | LC_ALL=C sort)"
}
draws 'two tiers: the paths are those of mrc plan path' 0 31 --gpus 32 --planes 2 --nic 200G --switch 800G
draws '  below one leaf' 1 3 --gpus 32 --planes 2 --nic 200G --switch 800G
draws '  with parallel links' 5 12 --gpus 16 --planes 2 --nic 200G --switch 1.6T
draws 'three tiers' 3 49 --gpus 54 --planes 1 --nic 100G --switch 600G --tiers 3
draws '  within a pod' 0 8 --gpus 54 --planes 1 --nic 100G --switch 600G --tiers 3
draws 'four tiers' 1 30 --gpus 32 --planes 1 --nic 100G --switch 400G --tiers 4
draws 'ZCube: the two shortest paths' 6 9 --gpus 16 --shape zcube --nic 200G --switch 800G --tiers 2
draws '  of three levels' 3 20 --gpus 27 --shape zcube --nic 300G --switch 900G --tiers 3

# Measured beside calculated: 8 NICs with two planes, as many as the fabric has.
exits 0 'failures are simulated' "$mrc" plan failures --gpus 8 --planes 2 --nic 200G --switch 400G --tiers 2 --measure
contains '  and the scale is told' "$output" 'in a simulation of the fabric at 1 : 1: 8 NICs'
"$mrc" plan failures --gpus 8 --planes 2 --nic 200G --switch 400G --tiers 2 --measure -j >"$SCRATCH/measured.json"
is '  each class but GPUs is measured' "$(jq '[.failures[].failure] - [.measured.failures[].failure]' -c "$SCRATCH/measured.json")" '["GPU or host fails"]'
is '  all losses are near the calculated ones' \
    "$(jq -c '[.measured.failures[] | (.measured.mrc.nic_share - .nic_share) | fabs < 0.03] | all' "$SCRATCH/measured.json")" true
is '  other NICs lose nothing' "$(jq '[.measured.failures[].measured.mrc.others_share | fabs < 0.02] | all' "$SCRATCH/measured.json")" true
is '  a large fabric is measured on a small one' \
    "$("$mrc" plan failures --gpus 4096 --planes 1 --nic 100G --switch 25.6T --measure -j | jq -c '.measured | [.nics, .scale, .tiers]')" '[32,128,2]'
printf '%s\n' 'shape: links' 'nics: 3' 'links:' '- { from: h0, to: p0.t0.0 }' '- { from: h1, to: p0.t0.1 }' '- { from: h2, to: p0.t0.2 }' \
    '- { from: p0.t0.0, to: p0.t0.1 }' '- { from: p0.t0.1, to: p0.t0.2 }' >"$SCRATCH/row.yaml"
exits 2 'a fabric that no generator builds is not simulated' "$mrc" plan failures -f "$SCRATCH/row.yaml" --measure
contains '  with the reason' "$output" '--measure: no generator builds a small fabric of this shape'
printf '%s\n' 'shape: zcube' 'n: 4' 'k: 2' >"$SCRATCH/zcube.yaml"
is 'the ZCube of a file is simulated' "$("$mrc" plan failures -f "$SCRATCH/zcube.yaml" --measure -j | jq -c '.measured | [.nics, .scale, .switches]')" '[16,1,8]'
exits 2 'an unknown contender is refused' "$mrc" plan failures --measure --protocols tcp
"$mrc" plan --gpus 8 --planes 2 --nic 200G --switch 400G --tiers 2 --measure --report "$page"
is 'the page has what was measured' "$(data ".measured | $rounded")" "$(jq -c ".measured | $rounded" "$SCRATCH/measured.json")"

. "$ROOT/tests/harness/browser.sh"
shown() # PAGE: the document after it, and after a click on everything that opens
{
    timeout 60 "$browser" --allow-file-access-from-files --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
        --disable-background-networking --disable-component-update --disable-sync \
        --user-data-dir="$SCRATCH/browser" --virtual-time-budget=5000 --dump-dom "file://$1" 2>/dev/null
}
opens() # SENTENCE OPTION...
{
    sentence=$1
    shift
    "$mrc" plan "$@" --report "$page"
    cat >>"$page" <<'SCRIPT'
<script>
(() => {
    let clicks = 0;
    const click = (element) => { clicks++; element.dispatchEvent(new MouseEvent('click', { bubbles: true })); };
    for (let depth = 0; depth < 4; depth++)
        [...document.querySelectorAll('.drawing .opens')].slice(depth % 2, depth % 2 + 1).forEach(click);
    document.querySelector('.crumbs button')?.click();
    document.querySelectorAll('.path-choice input, .path-choice button').forEach((input) => { input.value = input.max; input.dispatchEvent(new Event(input.type === 'range' ? 'input' : 'change')); input.click(); });
    document.documentElement.dataset.clicks = clicks;
})();
</script>
SCRIPT
    shown "$page" >"$SCRATCH/dom"
    is "$sentence" "$(grep -o '<html [^>]*>' "$SCRATCH/dom" | grep -c 'data-clicks="[34]"')" 1
    is '  without an error' "$(grep -o '<html [^>]*>' "$SCRATCH/dom" | grep -c data-error)" 0
}
if [ -n "$browser" ]; then
    opens 'a browser draws 131,072 GPUs, and zooms' --gpus 131072
    is '  with the number of paths of a pair' "$(grep -c '2,048 paths: 8 planes × 256 uplinks of T0, over 3 switches' "$SCRATCH/dom")" 1
    is '  with nine charts of comparisons' "$(grep -o 'class="multiple"' "$SCRATCH/dom" | wc -l)" 9
    cat >"$SCRATCH/narrow.html" <<'SCRIPT'
<iframe src="page.html" style="width: 400px; height: 800px; border: 0"></iframe>
<script>
onload = () => {
    const shown = document.querySelector('iframe').contentDocument.documentElement;
    document.documentElement.dataset.fits = shown.scrollWidth <= shown.clientWidth;
};
</script>
SCRIPT
    contains '  nothing is wider than a screen of 400 pixels' "$(shown "$SCRATCH/narrow.html" | grep -o '<html [^>]*>')" 'data-fits="true"'
    opens 'a browser draws a million GPUs in four tiers' --gpus 1000000 --planes 1
    opens 'a browser draws a ZCube' --shape zcube --nic 400G
    opens 'a browser draws the fabric of a file' -f experiments/fabric-64.yaml
else
    skip 'a browser draws 131,072 GPUs, and zooms' "$no_browser"
fi
done_testing
