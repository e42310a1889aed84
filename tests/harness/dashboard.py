# SPDX-License-Identifier: Apache-2.0
"""dashboard.py live URL [FOLDER]: uses the page of a fabric as a person does, and prints TAP lines without numbers.
dashboard.py controller URL [FOLDER]: likewise the page of mrcd.
dashboard.py playback FILE TIMES [FOLDER]: moves the slider of a page with results. Pictures go to FOLDER."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser as chromium

PAGE = "document.documentElement.dataset"
COUNTS = "document.querySelector('.ev-counts').dataset"


def say(is_fine, sentence, found=None):
    """Prints the verdict on a sentence."""
    print(("ok - " if is_fine else "not ok - ") + sentence)
    if not is_fine:
        print("#   found: %r" % (found,))
    sys.stdout.flush()


def pictures(page, folder, name):
    """Takes pictures in light, in dark and on a telephone."""
    if not folder:
        return
    for kind, width, is_dark in (("light", 1400, False), ("dark", 1400, True), ("phone", 400, False)):
        page.window(width, 900, is_dark)
        page.window(width, min(page.value("document.documentElement.scrollHeight"), 4000), is_dark)
        page.value("new Promise((done) => setTimeout(done, 700))")
        page.picture(os.path.join(folder, "%s-%s.png" % (name, kind)))
    page.window(1400, 900)


def choose(page, name):
    """Types the name of an element into the search field."""
    page.value("(() => { const field = document.querySelector('input[size]'); field.value = '%s';"
               " field.dispatchEvent(new Event('change')); })()" % name)


def link_at(page, plane, share_x, share_y):
    """Returns a point of the drawing of a plane."""
    box = page.value("(() => { const c = document.querySelector('[data-plane=\"%d\"] canvas'); c.scrollIntoView({ block: 'center' });"
                     " const b = c.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; })()" % plane)
    return box[0] + share_x * box[2], box[1] + share_y * box[3]


def check_live(page, url, folder):
    """A link is clicked, taken down and restored."""
    page.open(url)
    found = page.until(PAGE + ".samples > 2 || " + PAGE + ".error")
    say(found is True, "the page shows samples of a running fabric", page.value(PAGE + ".error"))
    say(page.value("location.hash") == "", "the token leaves the address bar", page.value("location.href"))
    say(page.value("document.querySelectorAll('.plane canvas').length") == 4, "every plane is drawn")
    say(page.until(COUNTS + ".good > 0") is True, "the EVs of a queue pair are shown")
    say(page.until("document.querySelector('[data-tile=goodput]').textContent.endsWith('b/s') && "
                   "!document.querySelector('[data-tile=goodput]').textContent.startsWith('0')") is True,
        "the payload has a rate", page.value("document.querySelector('[data-tile=goodput]').textContent"))

    # The uplink of t0.0 to t1.0 is the left edge of the upper part, half way up.
    page.click_at(*link_at(page, 2, 0.275, 0.33))
    chosen = page.until("document.querySelector('[data-chosen]')?.dataset.chosen")
    say(chosen == "p2.t0.0-t1.0", "a click into the drawing chooses a link", chosen)
    say(page.value("document.querySelector('[data-action=drain]').disabled") is True,
        "without a controller, nothing can be drained")
    page.click("[data-action=down]")
    say(page.until("document.querySelector('[data-tile=down]').textContent.startsWith('1 ')") is True,
        "a click takes the link down", page.value("document.querySelector('[data-tile=down]').textContent"))
    say(page.until("Number(" + COUNTS + ".bad) + Number(" + COUNTS + ".suspect) > 0") is True,
        "and the map shows EVs that leave the rotation", page.value("document.querySelector('.ev-counts').textContent"))
    say(page.until("document.querySelector('.log').textContent.includes('fault: p2.t0.0-t1.0 down')") is True,
        "and the log has the fault", page.value("document.querySelector('.log').textContent")[:200])
    say(page.until("/EV \\d+ on plane 2 .*(suspect|bad)/.test(document.querySelector('.log').textContent)") is True,
        "and the changes of EVs with their causes")
    say("down, both directions" in page.value("document.querySelector('.facts').textContent"),
        "and the chosen link is down", page.value("document.querySelector('.facts').textContent"))
    pictures(page, folder, "live")
    page.click("[data-action=up]")
    say(page.until("document.querySelector('[data-tile=down]').textContent.startsWith('0 ')") is True,
        "a click ends the fault", page.value("document.querySelector('[data-tile=down]').textContent"))
    say(page.until(COUNTS + ".bad === '0'", 600) is True, "and the EVs return", page.value("document.querySelector('.ev-counts').textContent"))

    page.value("document.querySelector('[data-plane=\"1\"] canvas').focus()")
    page.press("ArrowRight")
    first = page.value("document.querySelector('[data-chosen]').dataset.chosen")
    page.press("ArrowRight")
    second = page.value("document.querySelector('[data-chosen]').dataset.chosen")
    say(first == "h0.p1" and second == "h1.p1", "arrow keys choose links", [first, second])
    page.press("Enter")
    say(page.value("document.querySelectorAll('.plane:not([hidden])').length") == 1, "Enter shows one plane alone")
    page.press("Escape")
    say(page.value("document.querySelectorAll('.plane:not([hidden])').length") == 4, "Escape shows all planes again")
    choose(page, "p3.t1.1")
    say(page.value("document.querySelector('[data-chosen]').dataset.chosen") == "p3.t1.1", "a switch is found by its name")
    say(page.value(PAGE + ".error") is None, "no script has failed", page.value(PAGE + ".error"))


def check_controller(page, url, folder):
    """A verdict is shown; a switch is drained and restored."""
    load = ("(async () => { const layout = await (await fetch('/dashboard/layout')).json();"
            " const sample = await (await fetch('/dashboard/sample')).json();"
            " return sample.links.at.filter((i, k) => layout.links[i][0].startsWith('p1.') &&"
            " layout.links[i][0].endsWith('-t1.%d') && sample.links.up[k] + sample.links.down[k] > 0).length; })()")
    page.open(url)
    say(page.until(PAGE + ".samples > 2") is True, "the page of the controller shows samples", page.value(PAGE + ".error"))
    verdict = page.until("document.querySelector('[data-verdicts] button')?.textContent")
    say(verdict == "plane 2, p2.t0.0-t1.1: 2 % loss", "and a verdict", verdict)
    page.click("[data-verdicts] button")
    chosen = page.value("document.querySelector('[data-chosen]')?.dataset.chosen")
    say(chosen == "p2.t0.0-t1.1", "a click on the verdict chooses its link", chosen)
    choose(page, "p1.t1.0")
    say(page.until(load % 0) == 2, "a switch carries traffic", page.value(load % 0))
    page.click("[data-action=drain]")
    say(page.until("[...document.querySelectorAll('.list .mono')].some((e) => e.textContent === 'p1.t1.0')") is True,
        "a click drains it", page.value("document.querySelector('#page').textContent")[:300])
    say(page.until(load % 0 + ".then((count) => count === 0)") is True, "and its load moves away", page.value(load % 0))
    say(page.until(load % 1) == 2, "to the other switch of the plane", page.value(load % 1))
    say(page.until("document.querySelector('.log').textContent.includes('operator: drain p1.t1.0, done')") is True,
        "and the log has it", page.value("document.querySelector('.log').textContent")[:300])
    pictures(page, folder, "controller")
    choose(page, "p1.t1.1")
    page.click("[data-action=drain]")
    page.click("[data-action=restore]")
    choose(page, "p1.t1.0")
    page.click("[data-action=restore]")
    say(page.until(load % 0) == 2, "a click restores it", page.value(load % 0))
    say(page.value(PAGE + ".error") is None, "no script has failed", page.value(PAGE + ".error"))


def check_refusals(page, url):
    """Without the token, the buttons say why they do nothing."""
    page.open(url.split("#")[0] + "?again")
    page.value("sessionStorage.clear()")
    page.open(url.split("#")[0])
    page.until(PAGE + ".samples > 0")
    choose(page, "p0.t1.0")
    page.click("[data-action=down]")
    text = "[...document.querySelectorAll('p[role=status]')].map((p) => p.textContent).join(' ')"
    say("token" in (page.until(text) or ""), "without a token, a button says what it needs", page.value(text))


# The names of links and nodes of a fabric that is made from its numbers, and the numbers of these names.
NAMES = """(() => {
    const model = fabricShape.fromFabric({ planes: 3, t0: 5, t1: 4, hosts_per_t0: 6, nics: 29 });
    let wrong = 0;

    for (let i = 0; i < model.linkCount; i++)
        wrong += model.linkIndex(model.linkName(i)) !== i;
    for (let node = 0; node < model.nodeCount; node++)
        wrong += model.nodeIndex(model.nodeName(node)) !== node;
    wrong += ['h29.p0', 'h0.p3', 'p3.t0.0-t1.0', 'p0.t0.5-t1.0', 'x', '', 'p0.t1.4', 'h29'].filter((name) =>
        model.linkIndex(name) >= 0 || model.nodeIndex(name) >= 0).length;
    return [wrong, model.linkCount, model.linkName(29 * 3), model.levels];
})()"""

# A large fabric, of which one link is down: it is found at its place in the matrix, and by its name.
DENSE = """(() => {
    const model = fabricShape.fromFabric({ planes: 2, t0: 256, t1: 128, hosts_per_t0: 64, nics: 16384 });
    const view = fabricDraw.wholeView(1);
    const state = fabricModel.emptyState(model);
    const down = model.linkIndex('p1.t0.200-t1.100');
    const context = document.createElement('canvas').getContext('2d');
    const rect = { x: 0, y: 0, width: 400, height: 300 };

    fabricModel.apply(model, state, { at: [down], state: [3] });
    fabricDraw.paint(context, rect, model, state, view, null);
    const found = [];

    for (let y = 0; y < 300 && !found.length; y++)
        for (let x = 0; x < 400; x++)
            if (fabricDraw.find(model, view, rect, x, y)?.index === down)
                return [fabricDraw.isDense(model, view), state.code[down] === fabricModel.at.down, x > 200 && y > 150];
    return 'not found';
})()"""


def check_playback(page, url, times, folder):
    """Prints the state of the page at some times, in thousandths of the run."""
    page.open(url)
    say(bool(page.until(PAGE + ".ready")), "the page plays back results", page.value(PAGE + ".error"))
    for time in times.split(","):
        page.value("(() => { const slider = document.getElementById('time'); slider.value = %s;"
                   " slider.dispatchEvent(new Event('input')); })()" % time)
        print("at %s: faults %s, bad %s" % (time, page.value("document.querySelector('[data-tile=faults]').textContent"),
                                            page.value(COUNTS + ".bad")))
    names = page.value(NAMES)
    say(names == [0, 29 * 3 + 3 * 5 * 4, "p0.t0.0-t1.0", 3], "links and nodes are found by their names", names)
    dense = page.value(DENSE)
    say(dense == [True, True, True], "a link among 65,536 has its place in the matrix", dense)
    pictures(page, folder, "playback")
    say(page.value(PAGE + ".error") is None, "no script has failed", page.value(PAGE + ".error"))


def main():
    """Runs one of the checks."""
    page = chromium.Browser()
    try:
        page.window(1400, 900)
        if sys.argv[1] == "live":
            check_live(page, sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None)
            check_refusals(page, sys.argv[2])
        elif sys.argv[1] == "controller":
            check_controller(page, sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None)
        else:
            check_playback(page, sys.argv[2], sys.argv[3], sys.argv[4] if len(sys.argv) > 4 else None)
    finally:
        page.close()


main()
