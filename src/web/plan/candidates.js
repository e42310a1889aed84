/* SPDX-License-Identifier: Apache-2.0 */
/* Other fabrics for the same GPUs, a chart for each figure. */
const candidates = (() => {
    const { number } = strokes;

    function isThis(fabric) {
        return fabric.name === 'this fabric';
    }

    /* A word joiner keeps the number beside its sign. */
    function label(fabric) {
        return fabric.name + (fabric.fabrics > 1 ? ' ×\u2060' + number(fabric.fabrics) : '');
    }

    /* A bar from zero to the least, and a paler one to the most. */
    function marks(range, end, className) {
        return [bars.mark('bar ' + className, 0, range[0] / end), range[1] > range[0] ? bars.mark('bar pale ' + className, range[0] / end, range[1] / end) : null];
    }

    function row(fabric, range, end, show) {
        return [dom.make('span', { class: 'name' + (isThis(fabric) ? ' selected' : ''), title: fabric.reason || fabric.name }, label(fabric)),
            dom.make('span', { class: 'track' }, range && end > 0 ? marks(range, end, isThis(fabric) ? 'own' : '') : null),
            dom.make('span', { class: 'number' }, range ? show(range) : units.none)];
    }

    /* values(fabric): [least, most]; null: not known. end: of the scale; without it, the largest value. */
    function chart(fabrics, { title, note, values, show, end }) {
        const range = (fabric) => fabric.fabrics > 0 ? values(fabric) : null;
        const last = end ?? 1.02 * Math.max(...fabrics.map((fabric) => range(fabric)?.[1] ?? 0));

        return dom.make('div', { class: 'multiple' }, dom.make('h3', {}, title), dom.make('p', { class: 'note' }, note),
            dom.make('div', { class: 'bars' }, fabrics.map((fabric) => row(fabric, range(fabric), last, show))));
    }

    const one = (value) => [value, value];

    const figuresShown = [
        { title: 'Switches', note: 'of all planes and tiers', values: (fabric) => one(fabric.switches), show: ([value]) => number(value) },
        { title: 'Modules', note: 'in NICs and switches, 8 lanes each', values: (fabric) => one(fabric.modules), show: ([value]) => number(value) },
        { title: 'Cost', note: 'count × price, from the price file', values: (fabric) => fabric.usd, show: figures.dollars },
        { title: 'Power', note: 'count × watts, from the price file', values: (fabric) => fabric.watts, show: figures.power },
        { title: 'Latency', note: 'full packet, longest path, empty network', values: (fabric) => one(fabric.latency_s * 1e6), show: ([value]) => value.toFixed(2) + '\u00a0µs' },
        { title: 'One failure', note: 'share of the rate of a NIC that it takes', values: (fabric) => one(fabric.worst_share), show: ([value]) => units.percent(value) },
    ];

    /* All protocols have one scale. Fabrics that are not connected have no common job. */
    function hoursCharts(fabrics) {
        const known = fabrics.filter(({ fabrics: copies }) => copies === 1);
        const end = 1.02 * Math.max(...known.flatMap((fabric) => Object.values(fabric.gpu_hours_per_year).flat()));

        return Object.keys(known[0]?.gpu_hours_per_year ?? {}).map((protocol) => chart(fabrics, {
            title: 'GPU hours lost, ' + protocol, note: 'a year, by the network; one scale for all protocols', end,
            values: (fabric) => fabric.fabrics === 1 ? fabric.gpu_hours_per_year[protocol] : null, show: figures.hours,
        }));
    }

    const budget = {
        title: 'GPUs for the same cost', note: 'of such a fabric, for what this fabric costs',
        values: (fabric) => fabric.gpus_for_budget ? one(fabric.gpus_for_budget) : null, show: ([value]) => number(value),
    };

    function card({ fabrics }) {
        if (!fabrics)
            return dom.card('Compared', null, dom.make('p', { class: 'note' }, 'A fabric from a file is not compared: other fabrics are sized from --gpus, --nic and --switch.'));
        const hasCopies = fabrics.some(({ fabrics: copies }) => copies > 1);
        const impossible = fabrics.filter(({ fabrics: copies }) => copies === 0);

        return dom.card('Compared', 'Other fabrics for the same GPUs, rates and switches. Pale: to the upper end of a range.' +
            (hasCopies ? ' ×N: one such fabric ends before this number of GPUs; N that are not connected.' : ''),
        dom.make('div', { class: 'multiples' }, figuresShown.map((figure) => chart(fabrics, figure)), hoursCharts(fabrics), chart(fabrics, budget)),
        impossible.length ? dom.make('ul', { class: 'limits note' }, impossible.map((fabric) => dom.make('li', {}, fabric.name + ': ' + fabric.reason))) : null);
    }

    return { card };
})();
