/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of the plan: the tiles at the top, the bill of materials, and every figure with its formula. */
const figures = (() => {
    const { number } = strokes;

    function digits(value) {
        const size = Math.abs(value);

        return Number.isInteger(value) || size >= 1000 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 4;
    }

    function plain(value) {
        return value.toLocaleString('en-US', { maximumFractionDigits: digits(value) });
    }

    /* A figure is a number, a list of least and most, or a text. */
    function show(value, unit = '') {
        if (typeof value === 'string')
            return value;
        const [least, most] = Array.isArray(value) ? value.map(plain) : [plain(value), plain(value)];

        return (least === most ? least : least + ' to ' + most) + (unit ? '\u00a0' + unit : '');
    }

    /* Short forms: "92 to 151" of millions, thousands, ... */
    function scaled([least, most], steps) {
        const [factor, unit] = steps.find(([from]) => most >= from) ?? steps[steps.length - 1];
        const short = (value) => Number((value / factor).toPrecision(3)).toLocaleString('en-US');

        return short(least) === short(most) ? short(most) + '\u00a0' + unit : short(least) + '–' + short(most) + '\u00a0' + unit;
    }

    const dollars = (range) => scaled(range, [[1e9, 'G$'], [1e6, 'M$'], [1e3, 'k$'], [1, '$']]);
    const power = (range) => scaled(range, [[1e6, 'MW'], [1e3, 'kW'], [1, 'W']]);
    const hours = (range) => scaled(range, [[1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, '']]);

    function find(plan, name) {
        return plan.rows.find((row) => row.name === name)?.value;
    }

    function tile(name, value, note) {
        return dom.make('div', { class: 'tile' }, dom.make('span', { class: 'tile-name' }, name),
            dom.make('span', { class: 'tile-value' }, value), dom.make('span', { class: 'tile-note' }, note));
    }

    /* A colour and what it stands for. */
    function key(style, text, className = '') {
        return dom.make('span', { class: 'key' }, dom.make('i', { style, class: className }), text);
    }

    function percent(share) {
        return plain(100 * share) + '\u00a0%';
    }

    function tiles(plan) {
        const { fabric } = plan;
        const each = (range) => range.map((value) => value / fabric.gpus);
        const longest = find(plan, 'switches on the longest path');

        return dom.make('div', { class: 'tiles plan-tiles' },
            tile('switches', number(fabric.switches), fabric.tiers.map((tier, index) => number(tier.switches * fabric.planes) + ' T' + index).join(' + ')),
            tile('links', number(fabric.links), units.rate(fabric.port_bps) + ' to NICs'),
            tile('modules', number(find(plan, 'modules')), 'of 8 lanes'),
            tile('racks', number(fabric.gpu_racks + fabric.switch_racks), number(fabric.switch_racks) + ' of switches'),
            tile('cost', dollars(plan.usd), dollars(each(plan.usd)) + ' for a GPU'),
            tile('power', power(plan.watts), power(each(plan.watts)) + ' for a GPU'),
            tile('paths of a pair', number(find(plan, 'paths of a far pair')), 'over ' + (longest === 1 ? 'one switch' : longest + ' switches, if far')),
            tile('latency', show(find(plan, 'full packet, longest path')) + '\u00a0µs', 'one way, longest path'));
    }

    /* ---- bill ---- */

    const groups = [['switches', /^switches/], ['modules', /^modules/], ['cables', /^cables/], ['other', /./]];

    function middle(range) {
        return (range[0] + range[1]) / 2;
    }

    function total(part, key) {
        return part[key].map((value) => value * part.count);
    }

    function shares(plan) {
        const sums = groups.map(([name]) => ({ name, usd: 0 }));
        const all = middle(plan.usd);

        for (const part of plan.parts)
            sums[groups.findIndex(([, pattern]) => pattern.test(part.part))].usd += middle(total(part, 'usd_each'));
        const shown = sums.map((sum, index) => ({ ...sum, index, share: all ? sum.usd / all : 0 })).filter(({ share }) => share > 0.001);

        const color = (index) => 'background:var(--line-' + index + ')';

        return [dom.make('div', { class: 'stack' }, shown.map(({ name, index, share }) =>
            dom.make('i', { style: 'width:' + (100 * share).toFixed(2) + '%;' + color(index), title: name + ' ' + units.percent(share) }))),
        dom.make('div', { class: 'keys' }, shown.map(({ name, index, share }) => key(color(index), name + ' ' + units.percent(share, 0))))];
    }

    function cell(content) {
        return dom.make('span', { class: 'number' }, content);
    }

    function partRow(part) {
        return [dom.make('span', { title: part.formula }, part.part), cell(number(part.count)), cell(dollars(part.usd_each)),
            cell(dollars(total(part, 'usd_each'))), cell(power(total(part, 'watts_each')))];
    }

    function bill(plan) {
        const strong = (text) => dom.make('strong', { class: 'number' }, text);
        const sum = [dom.make('strong', {}, 'total'), '', '', strong(dollars(plan.usd)), strong(power(plan.watts))];

        return dom.card('Bill of materials', 'Ranges of a price file, mostly prices of resellers: ratios are safer than sums. ' +
            'The bar shows shares of the middle of the ranges.',
        ...shares(plan), dom.table(['part', 'count', 'price of one', 'price', 'power'], [...plan.parts.map(partRow), sum], 'bill'));
    }

    /* ---- figures ---- */

    function section([name, rows]) {
        return dom.make('div', { class: 'figures' }, dom.make('h3', {}, name), dom.make('dl', {}, rows.map((row) => [
            dom.make('dt', {}, row.name, dom.make('span', { class: 'formula' }, '= ' + row.formula)),
            dom.make('dd', { class: typeof row.value === 'string' && row.value.length > 24 ? 'wordy' : '' }, show(row.value, row.unit)),
        ])));
    }

    function all(plan) {
        const sections = new Map();

        for (const row of plan.rows.filter(({ section: of }) => of !== 'growth' && of !== 'cost and power'))
            sections.set(row.section, [...sections.get(row.section) ?? [], row]);
        return dom.card('Figures', 'Each with its formula.', dom.make('div', { class: 'figure-columns' }, [...sections].map(section)));
    }

    return { tiles, tile, bill, all, section, show, plain, percent, dollars, power, hours, cell, key };
})();
