/* SPDX-License-Identifier: Apache-2.0 */
/* The EV activity map: a row for each EV of one flow, grouped by plane or port, a colour for each state over time. */
const evmap = (() => {
    const states = [
        { letter: 'G', name: 'good', color: 'ev-good' },
        { letter: 'S', name: 'skipped', color: 'ev-skip' },
        { letter: 'U', name: 'suspect', color: 'ev-suspect' },
        { letter: 'D', name: 'denied', color: 'ev-denied' },
        { letter: 'B', name: 'assumed bad', color: 'ev-bad' },
    ];
    const backup = states.length; /* added to the index of a state */
    const unknown = 2 * states.length;

    /* Codes, ordered so that the larger one is worth seeing where two share a pixel. */
    function codeTable() {
        const table = new Uint8Array(256).fill(unknown);

        states.forEach(({ letter }, i) => {
            table[letter.charCodeAt(0)] = i;
            table[letter.toLowerCase().charCodeAt(0)] = i + backup;
        });
        return table;
    }

    /* Rows by plane, in use before backup, then by uplink. */
    function rowOrder(map) {
        const first = map.states[0] ?? '';
        const isBackup = (i) => first[i] !== undefined && first[i] !== first[i].toUpperCase();

        return map.evs.map((_, i) => i).sort((a, b) =>
            (map.evs[a].plane ?? 0) - (map.evs[b].plane ?? 0) || isBackup(a) - isBackup(b) ||
            (map.evs[a].uplink ?? 0) - (map.evs[b].uplink ?? 0) || a - b);
    }

    /* codes[sample * rows + row] */
    function encode(map, order) {
        const table = codeTable();
        const codes = new Uint8Array(map.states.length * order.length);

        map.states.forEach((text, sample) => {
            for (let row = 0; row < order.length; row++)
                codes[sample * order.length + row] = table[text.charCodeAt(order[row]) & 255];
        });
        return codes;
    }

    /* Runs of rows of one plane: [{ plane, from, until }]. */
    function planeRows(map, order) {
        const found = [];

        order.forEach((ev, row) => {
            const plane = map.evs[ev].plane ?? 0;
            const last = found[found.length - 1];

            if (last && last.plane === plane)
                last.until = row + 1;
            else
                found.push({ plane, from: row, until: row + 1 });
        });
        return found;
    }

    function rgba(text) {
        const probe = document.createElement('canvas').getContext('2d', { willReadFrequently: true });

        probe.fillStyle = text;
        probe.fillRect(0, 0, 1, 1);
        return probe.getImageData(0, 0, 1, 1).data;
    }

    function palette() {
        const colors = states.map(({ color }) => rgba(theme.color(color)));
        /* A suspect or bad EV is out of rotation whatever it was before: it stays as visible. */
        const pale = colors.map(([r, g, b], i) => [r, g, b, 'BU'.includes(states[i].letter) ? 255 : 105]);

        return [...colors, ...pale, [0, 0, 0, 0]];
    }

    /* What is worth seeing where several samples share a pixel: a bad one above all. */
    const rank = (code) => code === unknown ? -1 : code % backup;

    /* A pixel column shows the worst state of the samples that fall into it. */
    function paintColumn(image, column, view, first, last) {
        const { codes, rows, colors } = view;

        for (let row = 0; row < rows; row++) {
            let worst = codes[first * rows + row];

            for (let sample = first + 1; sample <= last; sample++) {
                const code = codes[sample * rows + row];

                if (rank(code) > rank(worst))
                    worst = code;
            }
            image.data.set(colors[worst], 4 * (row * image.width + column));
        }
    }

    function paint(plot, view) {
        const { left, top, width, height } = plot.bbox;
        const columns = Math.max(1, Math.round(width));
        const canvas = document.createElement('canvas');
        const context = canvas.getContext('2d');
        const image = context.createImageData(columns, view.rows);
        const { min, max } = plot.scales.x;
        const times = view.times;
        let first = 0;

        canvas.width = columns;
        canvas.height = view.rows;
        view.colors = palette();
        for (let column = 0; column < columns; column++) {
            const from = min + (max - min) * column / columns;
            const until = min + (max - min) * (column + 1) / columns;

            /* A sample covers the time up to its own, so the first one that ends after `from`. */
            while (first < times.length && times[first] <= from)
                first++;
            if (first === times.length)
                break;
            let last = first;

            while (last + 1 < times.length && times[last] < until)
                last++;
            paintColumn(image, column, view, first, last);
        }
        context.putImageData(image, 0, 0);
        plot.ctx.save();
        plot.ctx.imageSmoothingEnabled = false;
        plot.ctx.drawImage(canvas, left, top, width, height);
        plot.ctx.fillStyle = theme.color('card');
        for (const { until } of view.planes.slice(0, -1))
            plot.ctx.fillRect(left, plot.valToPos(until, 'y', true) - devicePixelRatio, width, 2 * devicePixelRatio);
        plot.ctx.restore();
    }

    /* The row under the pointer; none while the pointer is in another chart. */
    function followPointer(plot, view) {
        plot.over.addEventListener('mousemove', (event) => {
            view.hovered = Math.floor(plot.posToVal(event.offsetY, 'y'));
        }, { capture: true }); /* before the chart itself moves its cursor */
        plot.over.addEventListener('mouseleave', () => {
            view.hovered = -1;
        });
    }

    function describe(map, view, words, plot) {
        const { idx } = plot.cursor;

        if (idx === null || idx === undefined)
            return 'Move over the map to read a path.';
        const row = view.hovered;
        const at = units.time(view.times[idx]) + ': ';

        if (row >= 0 && row < view.rows) {
            const ev = map.evs[view.order[row]];
            const code = view.codes[idx * view.rows + row];

            return at + 'EV ' + ev.ev + ', ' + words.plane + ' ' + ev.plane + ', ' + words.uplink + ' ' + ev.uplink + ': ' +
                (code === unknown ? 'unknown' : states[code % backup].name + (code >= backup ? ', not in rotation' : ''));
        }
        const counts = states.map(() => 0);

        for (let i = 0; i < view.rows; i++)
            if (view.codes[idx * view.rows + i] !== unknown)
                counts[view.codes[idx * view.rows + i] % backup]++;
        return at + states.map(({ name }, i) => counts[i] + ' ' + name).join(', ');
    }

    function legend() {
        const entry = (color, className, text) => dom.make('span', { class: 'key' },
            dom.make('i', { class: className, style: 'background: var(--' + color + ')' }), text);

        return dom.make('div', { class: 'keys' },
            states.map(({ name, color }) => entry(color, '', name)), entry('ev-good', 'pale', 'pale: not in rotation'));
    }

    function card(context) {
        const map = context.series.ev_map;

        if (!map || !map.evs?.length || !map.states?.length)
            return null;
        const words = model.placeWords(context.run.fabric);
        const order = rowOrder(map);
        const view = { times: context.times, rows: order.length, order, codes: encode(map, order), planes: planeRows(map, order), hovered: -1 };
        const readout = dom.make('p', { class: 'readout', 'aria-live': 'off' }, 'Move over the map to read a path.');
        const rowPixels = view.rows <= 32 ? 10 : view.rows <= 96 ? 5 : 2;
        const centre = ({ from, until }) => (from + until) / 2;

        return dom.card('EV activity', 'Every path of one flow, ' + (map.flow ?? '') + '. Where states share a pixel, the worst shows.',
            legend(),
            /* A line that is not drawn gives the rows their scale. */
            charts.overTime(context, [{ values: context.times.map(() => 0), color: () => 'transparent', paths: () => null }], {
                legend: false,
                height: Math.min(Math.max(view.rows * rowPixels, 120), 560) + 44,
                scales: { y: { range: () => [0, view.rows], dir: -1 } },
                axes: [
                    charts.axis({ values: (plot, ticks) => ticks.map((tick) => tick === 0 ? '0' : units.time(tick)), size: 30, space: 80, grid: { show: false } }),
                    charts.axis({
                        scale: 'y', size: charts.axisWidth, grid: { show: false },
                        splits: () => view.planes.map(centre),
                        values: () => view.planes.map(({ plane }) => words.plane + ' ' + plane),
                    }),
                ],
                hooks: {
                    ready: [(plot) => followPointer(plot, view)],
                    draw: [(plot) => paint(plot, view)],
                    setCursor: [(plot) => { readout.textContent = describe(map, view, words, plot); }],
                },
            }), readout);
    }

    return { card };
})();
