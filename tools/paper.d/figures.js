/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of the paper inside the page: for each a chart over time, and bars with what was published. */
(() => {
    const data = JSON.parse(document.getElementById('data').textContent);
    const starts = [];
    const formats = {
        share: units.percent, number: units.index, us: units.time, count: (value) => units.count(value < 100 ? value : Math.round(value)), rate: units.rate,
        bytes: (value) => units.count(Math.round(value / 1000)) + '\u00a0kB',
    };

    function chip(verdict, held, total) {
        const good = verdict === 'as published';

        return dom.make('span', { class: 'chip chip-' + (good ? 'good' : 'warn') },
            (good ? '✓ ' : '≠ ') + verdict + (held === total ? '' : ' in ' + (total - held) + ' of ' + total));
    }

    /* `code` in a text. */
    function text(words) {
        return words.split('`').map((part, i) => i % 2 ? dom.make('code', {}, part) : part);
    }

    /* ---- bars ---- */

    /* Rows of one unit have one scale: shares to 100 %, others to the largest value there is. */
    function scaleOf(rows, unit) {
        const all = rows.filter((row) => row.as === unit).flatMap((row) => [...row.values, row.at ?? 0, ...(row.range ?? [])]);
        const most = Math.max(...all, 0);

        return unit === 'share' || unit === 'number' ? Math.max(1, most) : most * 1.05 || 1;
    }

    function marks(row, scale, mean) {
        const format = formats[row.as];
        const range = row.range && bars.mark('published-range', row.range[0] / scale, row.range[1] / scale, 'published: ' + row.published);
        const at = units.isNumber(row.at) && bars.dot('published-at', Math.min(row.at / scale, 0.997), 'published: ' + row.published);
        const seeds = row.values.length > 1 && new Set(row.values).size > 1 ?
            row.values.map((value, i) => bars.dot('seed', value / scale, 'seed ' + (i + 1) + ': ' + format(value))) : [];

        return [bars.mark('bar', 0, mean / scale, format(mean)), range, at, ...seeds].filter(Boolean);
    }

    function spread(row, mean) {
        const format = formats[row.as];
        const [least, most] = [Math.min(...row.values), Math.max(...row.values)].map((value) => format(value));

        return [dom.make('strong', {}, format(mean)), least === most ? null : dom.make('span', { class: 'dim' }, ' ' + least + ' to ' + most)];
    }

    function bar(row, scale) {
        const mean = row.values.reduce((sum, value) => sum + value, 0) / row.values.length;

        return dom.make('div', { class: 'result' }, dom.make('span', { class: 'name' }, row.name),
            dom.make('span', { class: 'track' }, marks(row, scale, mean)), dom.make('span', { class: 'ours' }, spread(row, mean)),
            dom.make('span', { class: 'published' }, row.published ? 'paper: ' + row.published : ''));
    }

    /* ---- charts ---- */

    function chart({ y, times, faults, lines }, group) {
        const context = { times, faults: [{ spans: faults }], starts, group };

        return charts.overTime(context, lines.map(({ name, values }, i) => ({
            label: name, values, color: () => theme.line(i), width: 1.75, fill: lines.length === 1 ? () => theme.color('fill-0') : undefined,
        })), { format: formats[y], height: 240 });
    }

    function figure(one, index) {
        const id = 'figure-' + index;
        const known = one.rows.filter((row) => row.values.length);

        return dom.make('section', { class: 'card figure', id },
            dom.make('div', { class: 'card-head' }, dom.make('h2', {}, one.heading), chip(one.verdict, one.held, one.total),
                dom.make('p', { class: 'note' }, 'Paper: ' + one.published)),
            one.chart ? [chart(one.chart, id), one.chart.seed > 1 ? dom.make('p', { class: 'note' }, 'The chart shows seed ' + one.chart.seed + '.') : null] : null,
            dom.make('div', { class: 'results' }, known.map((row) => bar(row, scaleOf(known, row.as)))),
            one.differs.length ? dom.make('ul', { class: 'because' }, one.differs.map((because) => dom.make('li', {}, 'Differs: ', text(because)))) : null,
            one.remark ? dom.make('p', { class: 'note source' }, text(one.remark)) : null,
            dom.make('p', { class: 'note source' }, one.experiments.join(' · ')));
    }

    function counts() {
        return dom.card('Switches and optics (R20)', 'Eight planes of two tiers against three tiers, for as many NICs; optics in ends of 800 Gb/s.',
            dom.table(['', 'paper', 'two tiers', 'three tiers', 'ratio'], data.counts.map(([what, published, two, three, ratio]) =>
                [what, published, units.count(two), units.count(three), ratio ? units.index(ratio) : ''])));
    }

    function planned() {
        return dom.card('Counts of the planner (B12, B20)', 'What mrc plan says, and what papers and closed forms say.',
            dom.table(['', '', 'published', 'ours'], data.planner.map(([name, what, published, ours]) => [name, what, units.any(published), units.any(ours)])));
    }

    /* ---- the page ---- */

    function head() {
        const same = data.figures.filter((one) => one.verdict === 'as published').length;

        return dom.make('header', { class: 'top' },
            dom.make('div', { class: 'kicker' }, dom.make('span', {}, 'OpenMRC · make paper'),
                dom.make('button', { type: 'button', class: 'plain', id: 'theme', title: 'light or dark', onclick: theme.toggle }, '◐ theme')),
            dom.make('h1', {}, 'The figures of the MRC paper, published and simulated'),
            dom.make('p', { class: 'fabric' }, 'arXiv 2605.04333. Shares are of the line rate that headers and framing leave for payload. Shaded: faults.'),
            dom.make('div', { class: 'chips' }, dom.make('span', { class: 'chip chip-good' }, same + ' as published'),
                same < data.figures.length ? dom.make('span', { class: 'chip chip-warn' }, data.figures.length - same + ' differ in part') : null,
                dom.make('span', { class: 'chip chip-plain' }, units.plural(data.seeds, 'seed'))));
    }

    function key(className, text) {
        return dom.make('span', { class: 'key' }, dom.make('i', { class: className }), text);
    }

    function contents() {
        return dom.card('Figures', null,
            dom.make('div', { class: 'keys' }, key('key-bar', 'ours, mean'), key('key-seed', 'each seed, where they differ'), key('key-published', 'published')),
            dom.make('ul', { class: 'contents' }, data.figures.map((one, i) =>
                dom.make('li', {}, dom.make('a', { href: '#figure-' + i }, one.heading), chip(one.verdict, one.held, one.total)))));
    }

    document.getElementById('page').append(head(), contents(), ...data.figures.map(figure), counts(), planned());
    for (const start of starts)
        start();
    document.getElementById('footer').append(dom.make('p', {}, 'Charts show seed 1 unless stated otherwise. docs/results.md has the same figures as text. Charts: uPlot (MIT).'));
    document.documentElement.dataset.ready = String(data.figures.length);
})();
