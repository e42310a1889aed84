# SPDX-License-Identifier: Apache-2.0
"""Measures how often a browser redraws a fabric of 10,000 links, all of which change. Prints JSON lines for tools/bench.
dashboard.py PAGE, where PAGE is the URL of a dashboard without results."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "harness"))
import browser as chromium

# Draws all planes side by side and then one of them alone, and counts the frames that the browser shows. Each canvas is read
# after it was drawn, because a browser may draw later than it is told to.
SCRIPT = """
(async () => {
    const model = fabricShape.fromFabric({ name: 'bench', planes: %(planes)d, t0: %(t0)d, t1: %(t1)d, hosts_per_t0: %(hosts)d, nics: %(t0)d * %(hosts)d });
    const state = fabricModel.emptyState(model);
    const view = fabricView.make({ model, state, summary: () => '', describe: () => '', onChoose: () => {} });
    const at = Array.from({ length: model.linkCount }, (_, i) => i);
    const main = document.getElementById('page');

    main.replaceChildren(view.element);
    document.body.classList.add('wide');
    const frame = () => new Promise((done) => requestAnimationFrame(done));

    function change() {
        const up = at.map(() => Math.floor(1000 * Math.random()));

        fabricModel.apply(model, state, { at, up, down: up, state: at.map((i) => Math.random() < 0.01 ? 3 : 0) });
    }

    async function measure(frames) {
        let busy = 0;

        await frame();
        const begin = performance.now();

        for (let k = 0; k < frames; k++) {
            const start = performance.now();

            change();
            view.drawNow();
            for (const canvas of main.querySelectorAll('figure:not([hidden]) canvas'))
                canvas.getContext('2d').getImageData(0, 0, 1, 1);
            busy += performance.now() - start;
            await frame();
        }
        return { fps: 1000 * frames / (performance.now() - begin), ms: busy / frames };
    }

    const all = await measure(%(frames)d);

    view.showPlane(0);
    return { links: model.linkCount, all, one: await measure(%(frames)d) };
})()
"""


def report(metric, value, unit):
    """Prints a result."""
    print(json.dumps({"bench": "dashboard", "metric": metric, "value": round(value, 2), "unit": unit}))


def main():
    """Measures a fabric of 10,000 links, and one of a million."""
    page = chromium.Browser()
    try:
        page.window(1400, 900)
        page.open(sys.argv[1])
        page.until("typeof fabricView !== 'undefined' && document.documentElement.dataset.ready !== undefined")
        found = page.value(SCRIPT % {"planes": 4, "t0": 32, "t1": 32, "hosts": 47, "frames": 50})
        report("%d links, 4 planes" % found["links"], found["all"]["fps"], "frames/s")
        report("%d links, 4 planes, a frame" % found["links"], found["all"]["ms"], "ms")
        report("%d links, one of 4 planes" % found["links"], found["one"]["fps"], "frames/s")
        found = page.value(SCRIPT % {"planes": 8, "t0": 512, "t1": 256, "hosts": 256, "frames": 5})
        report("%d links of 131,072 NICs, a frame" % found["links"], found["all"]["ms"], "ms")
    finally:
        page.close()


main()
