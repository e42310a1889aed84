/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of the whole fabric, planes side by side, open faults, and what a controller found. */
const overview = (() => {
    function tiles(names) {
        const values = new Map();
        const element = dom.make('div', { class: 'tiles six' }, names.map(([key, name, note]) => {
            const value = dom.make('span', { class: 'tile-value', 'data-tile': key }, units.none);
            const tile = dom.make('div', { class: 'tile' }, dom.make('span', { class: 'tile-name' }, name), value, dom.make('span', { class: 'tile-note' }, note));

            values.set(key, { value, tile });
            return tile;
        }));

        return {
            element,
            set: (key, text, isWarning = false) => {
                const { value, tile } = values.get(key);

                value.textContent = text;
                tile.classList.toggle('tile-warn', isWarning);
            },
        };
    }

    /* planes: of a sample, for one or two fabrics: sides = [{ name, planes }]. */
    function planeBars() {
        const grid = dom.make('div', { class: 'bars' });

        function bar(plane, side, sides) {
            const share = plane.capacity_bps > 0 ? plane.bps / plane.capacity_bps : 0;

            return dom.make('div', { class: 'track', role: 'img', 'aria-label': units.percent(share) },
                dom.make('i', { class: 'part bar', style: 'width: ' + Math.min(100, 100 * share).toFixed(1) + '%; background: var(--line-' + (sides.length > 1 ? 3 * side : 0) + ')' }));
        }

        function set(sides) {
            const rows = [];

            sides[0].planes.forEach((_, p) => sides.forEach((side, k) => {
                const plane = side.planes[p];

                if (!plane)
                    return;
                const troubles = [plane.down ? plane.down + ' down' : '', plane.impaired ? plane.impaired + ' impaired' : '', plane.lost ? units.count(plane.lost) + ' lost' : ''].filter(Boolean).join(', ');

                rows.push(dom.make('span', { class: 'name', 'data-plane-load': p }, (sides.length > 1 ? side.name + ', ' : '') + 'plane ' + p),
                    bar(plane, k, sides), dom.make('span', { class: 'number' }, units.rate(plane.bps)));
                if (troubles)
                    rows.push(dom.make('span', { class: 'note kind-fault' }, troubles));
            }));
            grid.replaceChildren(...rows);
        }

        return { element: dom.card('Load of the planes', 'What NICs send, as a share of their links. Healthy planes look alike.', grid), set };
    }

    function faultList(act) {
        const list = dom.make('ul', { class: 'list' });
        const clear = dom.make('button', { type: 'button', class: 'plain', 'data-action': 'clear', onclick: () => act({ clear: true }) }, 'End all faults');

        function set(faults) {
            clear.disabled = !faults.length || !act;
            list.replaceChildren(...faults.map((fault) => dom.make('li', {}, dom.make('span', {}, dom.make('b', {}, units.words(fault.kind)), ' ' + fault.where))),
                ...(faults.length ? [] : [dom.make('li', { class: 'note' }, 'none')]));
        }

        set([]);
        return { element: dom.card('Faults', 'Injected and not ended.', list, act ? dom.make('div', { class: 'actions' }, clear) : null), set };
    }

    /* Verdicts: { text, where, confidence, since_ms }, worst first; drained: names. */
    function verdictList(act, find) {
        const list = dom.make('ul', { class: 'list', 'data-verdicts': 0 });
        const drained = dom.make('ul', { class: 'list' });

        function verdictRow(verdict) {
            return dom.make('li', {}, dom.make('button', { type: 'button', class: 'link', onclick: () => find(verdict.where) }, verdict.text ?? verdict.where),
                units.isNumber(verdict.confidence) ? dom.make('span', { class: 'note number' }, units.percent(verdict.confidence, verdict.confidence > 0.99 ? 2 : 0)) : null);
        }

        function drainedRow(name) {
            return dom.make('li', {}, dom.make('span', { class: 'mono' }, name),
                act ? dom.make('button', { type: 'button', class: 'plain', onclick: () => act({ restore: name }) }, 'Restore') : null);
        }

        function set(verdicts, names, hasController) {
            list.dataset.verdicts = verdicts.length;
            list.replaceChildren(...(verdicts.length ? verdicts.map(verdictRow) :
                [dom.make('li', { class: 'note' }, hasController ? 'none: every element is healthy' : 'No controller looks for bad links here; mrcd does.')]));
            drained.replaceChildren(...names.map(drainedRow));
            drained.previousElementSibling.hidden = !names.length;
        }

        const element = dom.card('Verdicts', 'Elements that probes and traffic show to be bad.', list, dom.make('h3', { hidden: true }, 'Drained'), drained);

        return { element, set };
    }

    return { tiles, planeBars, faultList, verdictList };
})();
