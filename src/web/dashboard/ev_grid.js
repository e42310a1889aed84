/* SPDX-License-Identifier: Apache-2.0 */
/* The entropy values of one QP as a map: a row for each plane, a field for each path, a colour for each state. */
const evGrid = (() => {
    const states = [['good', 'ev-good'], ['skip', 'ev-skip'], ['suspect', 'ev-suspect'], ['bad', 'ev-bad'], ['denied', 'ev-denied']];
    const labelWidth = 62;
    const font = '12px system-ui, sans-serif';

    function legend() {
        return dom.make('div', { class: 'keys' }, states.map(([name, color]) =>
            dom.make('span', { class: 'key' }, dom.make('i', { style: 'background: var(--' + color + ')' }), name)),
        dom.make('span', { class: 'key' }, dom.make('i', { class: 'pale', style: 'background: var(--ev-good)' }), 'pale: in reserve'));
    }

    /* Rows of a plane: [{ plane, evs }]. */
    function group(evs) {
        const rows = new Map();

        for (const ev of evs) {
            if (!rows.has(ev.plane))
                rows.set(ev.plane, []);
            rows.get(ev.plane).push(ev);
        }
        for (const list of rows.values())
            list.sort((a, b) => (a.uplink ?? a.index ?? 0) - (b.uplink ?? b.index ?? 0));
        return [...rows].sort((a, b) => a[0] - b[0]).map(([plane, list]) => ({ plane, evs: list }));
    }

    function describeEv(ev) {
        return 'EV ' + ev.ev + ', plane ' + ev.plane + (ev.uplink === undefined ? '' : ', uplink ' + ev.uplink) + ': ' + ev.state +
            (ev.active ? '' : ', in reserve') + (ev.cause ? ', ' + units.words(ev.cause) + (ev.ms_ago === undefined ? '' : ' ' + units.time(1000 * ev.ms_ago) + ' ago') : '');
    }

    function countText(evs) {
        return states.map(([name]) => [name, evs.filter((ev) => ev.state === name).length]).filter(([, count]) => count > 0)
            .map(([name, count]) => count + ' ' + name).join(', ') || 'no EVs';
    }

    function geometry(rows, width) {
        const columns = Math.max(1, ...rows.map((row) => row.evs.length));
        const size = Math.max(3, Math.min(22, Math.floor((width - labelWidth) / columns)));

        return { size, rowHeight: Math.max(size, 14) + 4 };
    }

    function paint(canvas, rows) {
        const width = canvas.clientWidth;
        const { size, rowHeight } = geometry(rows, width);
        const scale = devicePixelRatio || 1;

        canvas.style.height = rows.length * rowHeight + 'px';
        canvas.width = Math.round(width * scale);
        canvas.height = Math.round(rows.length * rowHeight * scale);
        const context = canvas.getContext('2d');

        context.setTransform(scale, 0, 0, scale, 0, 0);
        context.clearRect(0, 0, width, rows.length * rowHeight);
        context.font = font;
        context.textBaseline = 'middle';
        rows.forEach((row, r) => {
            context.globalAlpha = 1;
            context.fillStyle = theme.color('muted');
            context.fillText('plane ' + row.plane, 0, r * rowHeight + rowHeight / 2);
            row.evs.forEach((ev, k) => {
                const [, color] = states.find(([name]) => name === ev.state) ?? ['', 'muted'];

                context.globalAlpha = ev.active || ev.state === 'bad' || ev.state === 'suspect' ? 1 : 0.4;
                context.fillStyle = theme.color(color);
                context.fillRect(labelWidth + k * size, r * rowHeight + 2, Math.max(size - 1, 1), rowHeight - 4);
            });
        });
    }

    /* Returns { element, set(evs, title), head }; head is a place for what chooses the QP. */
    function make() {
        const canvas = dom.make('canvas', { role: 'img' });
        const counts = dom.make('p', { class: 'note ev-counts' });
        const readout = dom.make('p', { class: 'readout' });
        const head = dom.make('div', { class: 'filters' });
        let rows = [];

        function find(event) {
            const { size, rowHeight } = geometry(rows, canvas.clientWidth);

            return rows[Math.floor(event.offsetY / rowHeight)]?.evs[Math.floor((event.offsetX - labelWidth) / size)];
        }

        canvas.addEventListener('mousemove', (event) => {
            const ev = find(event);

            readout.textContent = ev ? describeEv(ev) : '';
        });
        theme.onChange(() => paint(canvas, rows));
        new ResizeObserver(() => requestAnimationFrame(() => paint(canvas, rows))).observe(head);

        function set(evs, title) {
            rows = group(evs);
            counts.textContent = title + countText(evs);
            canvas.setAttribute('aria-label', 'EVs: ' + countText(evs));
            counts.dataset.bad = evs.filter((ev) => ev.state === 'bad').length;
            counts.dataset.suspect = evs.filter((ev) => ev.state === 'suspect').length;
            counts.dataset.good = evs.filter((ev) => ev.state === 'good').length;
            paint(canvas, rows);
        }

        const element = dom.card('Entropy values', 'Every path of one queue pair.', head, legend(), dom.make('div', { class: 'evs' }, canvas), counts, readout);

        return { element, set, head };
    }

    return { make };
})();
