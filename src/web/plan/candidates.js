/* SPDX-License-Identifier: Apache-2.0 */
/* Other fabrics for the same GPUs, a chart for each figure. */
const candidates = (() => {
    const { number } = strokes;

    /* A bar from zero to the value, or to the least with the rest of the range paler. */
    function bar(range, end, className) {
        return [bars.mark('bar ' + className, 0, range[0] / end), range[1] > range[0] ? bars.mark('bar pale ' + className, range[0] / end, range[1] / end) : null];
    }

    function isThis(fabric) {
        return fabric.name === 'this fabric';
    }

    function label(fabric) {
        return fabric.name + (fabric.fabrics > 1 ? ' ×\u2060' + number(fabric.fabrics) : '');
    }

    /* values(fabric): [least, most]; null: not known. */
    function chart(fabrics, title, note, values, show) {
        const known = fabrics.filter(({ fabrics: copies }) => copies > 0);
        const end = 1.02 * Math.max(...known.map((fabric) => values(fabric)?.[1] ?? 0));

        return dom.make('div', { class: 'multiple' }, dom.make('h3', {}, title), dom.make('p', { class: 'note' }, note), dom.make('div', { class: 'bars' }, fabrics.map((fabric) => {
            const range = fabric.fabrics > 0 ? values(fabric) : null;

            return [dom.make('span', { class: 'name' + (isThis(fabric) ? ' selected' : ''), title: fabric.reason || fabric.name }, label(fabric)),
                dom.make('span', { class: 'track' }, range && end > 0 ? bar(range, end, isThis(fabric) ? 'own' : '') : null), dom.make('span', { class: 'number' }, range ? show(range) : units.none)];
        })));
    }

    /* Two protocols on one scale. */
    function hours(fabrics, protocol, end) {
        return dom.make('div', { class: 'multiple' }, dom.make('h3', {}, 'GPU hours lost, ' + protocol), dom.make('p', { class: 'note' }, 'a year, by the network; one scale for all protocols'),
            dom.make('div', { class: 'bars' }, fabrics.map((fabric) => {
                const range = fabric.fabrics === 1 ? fabric.gpu_hours_per_year[protocol] : null;

                return [dom.make('span', { class: 'name' + (isThis(fabric) ? ' selected' : '') }, label(fabric)), dom.make('span', { class: 'track' }, range ? bar(range, end, isThis(fabric) ? 'own' : '') : null),
                    dom.make('span', { class: 'number' }, range ? figures.hours(range) : units.none)];
            })));
    }

    function card(plan) {
        const { fabrics } = plan;

        if (!fabrics)
            return dom.card('Compared', null, dom.make('p', { class: 'note' }, 'A fabric from a file is not compared: other fabrics are sized from --gpus, --nic and --switch.'));
        const protocols = Object.keys(plan.network_gpu_hours_per_year);
        const hoursEnd = 1.02 * Math.max(...fabrics.filter(({ fabrics: copies }) => copies === 1).flatMap((fabric) => protocols.map((protocol) => fabric.gpu_hours_per_year[protocol][1])));
        const one = (value) => [value, value];
        const apart = fabrics.filter(({ fabrics: copies }) => copies > 1);
        const impossible = fabrics.filter(({ fabrics: copies }) => copies === 0);

        return dom.card('Compared', 'Other fabrics for the same GPUs, rates and switches. Pale: to the upper end of a range.' +
            (apart.length ? ' ×N: one such fabric ends before this number of GPUs; N that are not connected.' : ''),
        dom.make('div', { class: 'multiples' },
            chart(fabrics, 'Switches', 'of all planes and tiers', (fabric) => one(fabric.switches), ([value]) => number(value)),
            chart(fabrics, 'Modules', 'in NICs and switches, 8 lanes each', (fabric) => one(fabric.modules), ([value]) => number(value)),
            chart(fabrics, 'Cost', 'count × price, from the price file', (fabric) => fabric.usd, figures.dollars),
            chart(fabrics, 'Power', 'count × watts, from the price file', (fabric) => fabric.watts, figures.power),
            chart(fabrics, 'Latency', 'full packet, longest path, empty network', (fabric) => one(fabric.latency_s * 1e6), ([value]) => value.toFixed(2) + '\u00a0µs'),
            chart(fabrics, 'One failure', 'share of the rate of a NIC that it takes', (fabric) => one(fabric.worst_share), ([value]) => units.percent(value)),
            protocols.map((protocol) => hours(fabrics, protocol, hoursEnd)),
            chart(fabrics, 'GPUs for the same cost', 'of such a fabric, for what this fabric costs', (fabric) => fabric.gpus_for_budget ? one(fabric.gpus_for_budget) : null, ([value]) => number(value))),
        impossible.length ? dom.make('ul', { class: 'limits note' }, impossible.map((fabric) => dom.make('li', {}, fabric.name + ': ' + fabric.reason))) : null);
    }

    return { card };
})();
