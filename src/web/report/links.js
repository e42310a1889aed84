/* SPDX-License-Identifier: Apache-2.0 */
/* Where packets were lost, link by link, and why packets were lost, repeated and paths left. */
const links = (() => {
    const shownMax = 12;
    const bucketsMax = 240;

    /* Sums of neighbouring samples, few enough to draw. */
    function condense(values) {
        const size = Math.max(1, Math.ceil(values.length / bucketsMax));
        const sums = [];

        values.forEach((value, i) => {
            sums[Math.floor(i / size)] = (sums[Math.floor(i / size)] ?? 0) + value;
        });
        return sums;
    }

    function spark(values) {
        const sums = condense(values);
        const most = Math.max(...sums, 1);
        const width = 1000 / sums.length;
        const path = sums.map((sum, i) => sum ?
            'M' + (i * width).toFixed(1) + ' 24h' + Math.max(width, 2).toFixed(1) + 'v' + (-Math.max(23 * sum / most, 1.5)).toFixed(1) +
            'h' + (-Math.max(width, 2)).toFixed(1) + 'z' : '').join('');

        return dom.svg('svg', { viewBox: '0 0 1000 24', preserveAspectRatio: 'none', class: 'spark', 'aria-hidden': 'true' },
            dom.svg('path', { d: path }));
    }

    function card(context) {
        const all = Object.entries(context.series.lost_by_link ?? {})
            .map(([name, values]) => ({ name, values, total: model.sum(values) }))
            .filter(({ total }) => total > 0)
            .sort((a, b) => (a.name === 'other') - (b.name === 'other') || b.total - a.total);

        if (!context.times.length)
            return null;
        if (!all.length)
            return dom.card('Losses by link', 'No link lost a packet.');
        const shown = all.slice(0, shownMax);
        const rest = all.slice(shownMax);

        return dom.card('Losses by link', 'Packets lost on the way, over the time of the run; each row has its own scale.',
            dom.make('div', { class: 'sparks' }, shown.map(({ name, values, total }) => [
                dom.make('span', { class: 'mono' }, name), spark(values), dom.make('span', { class: 'number' }, units.count(total)),
            ])),
            rest.length ? dom.make('p', { class: 'note' }, 'And ' + units.plural(rest.length, 'link') + ' with ' +
                units.plural(model.sum(rest.map(({ total }) => total)), 'packet') + ' together.') : null);
    }

    /* The registry of metrics explains each name. Names of retransmissions are without their prefix. */
    function help(group, name) {
        const known = model.metrics().find((metric) => metric.group === group && metric.name === name);

        return known ? known.help : null;
    }

    function list(title, counts, group, prefix = '') {
        const entries = Object.entries(counts ?? {}).filter(([, count]) => count > 0).sort((a, b) => b[1] - a[1]);

        return dom.make('div', {}, dom.make('h3', {}, title),
            entries.length ? dom.make('dl', { class: 'counts' }, entries.slice(0, 10).map(([name, count]) =>
                [dom.make('dt', { title: help(group, prefix + name) }, units.words(name).replaceAll('>', ' → ').replaceAll(':', ': ')), dom.make('dd', {}, units.count(count))])) :
                dom.make('p', { class: 'note' }, 'none'));
    }

    function reasons(run) {
        const { summary } = run;

        return dom.card('Why', units.isNumber(summary.packets_sent) ?
            units.count(summary.packets_sent) + ' packets sent, ' + units.count(summary.packets_delivered) + ' delivered.' : null,
        dom.make('div', { class: 'columns' },
            list('Lost', summary.lost, 'loss'), list('Retransmitted', summary.retransmitted, 'counter', 'retransmit_'), list('EVs changed', summary.ev_transitions)));
    }

    return { card, reasons };
})();
