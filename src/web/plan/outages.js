/* SPDX-License-Identifier: Apache-2.0 */
/* What fails, how often, what it takes away, and what it costs; measured beside calculated losses. */
const outages = (() => {
    const { number } = strokes;
    const { cell, key, percent, plain } = figures;

    /* ---- GPU hours, on a logarithmic scale ---- */

    function scaleOf(values) {
        const positive = values.filter((value) => value > 0);
        const least = Math.floor(Math.log10(Math.min(...positive, 1)));
        const most = Math.ceil(Math.log10(Math.max(...positive, 10)));

        return { least, most, place: (value) => (Math.log10(Math.max(value, 10 ** least)) - least) / (most - least) };
    }

    const prefixes = new Map([[0, '1'], [3, '1 k'], [6, '1 M'], [9, '1 G']]);

    function powerOfTen(exponent) {
        const raised = [...String(exponent)].map((digit) => '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'['-0123456789'.indexOf(digit)]);

        return prefixes.get(exponent) ?? '10' + raised.join('');
    }

    function axis(scale) {
        const step = Math.ceil((scale.most - scale.least) / 6);
        const ticks = [];

        for (let exponent = scale.least; exponent <= scale.most; exponent += step)
            ticks.push(dom.make('i', { class: 'tick', style: 'left:' + (100 * scale.place(10 ** exponent)).toFixed(1) + '%' }, powerOfTen(exponent)));
        return dom.make('div', { class: 'log-row log-axis' }, dom.make('span'), dom.make('span', { class: 'ticks' }, ticks));
    }

    function rangeMark(scale, range, color, title) {
        const from = scale.place(range[0]);
        const width = Math.max(scale.place(range[1]) - from, 0.009);
        const style = 'left:' + (100 * from).toFixed(2) + '%;width:' + (100 * width).toFixed(2) + '%;background:var(--line-' + color + ')';

        return dom.make('i', { class: 'span', title, style });
    }

    function hoursRow(scale, name, hours, className = '') {
        const lanes = Object.keys(hours).map((protocol, index) => dom.make('span', { class: 'lane' },
            rangeMark(scale, hours[protocol], index, protocol + ': ' + figures.hours(hours[protocol]) + ' GPU hours a year')));

        return dom.make('div', { class: 'log-row ' + className }, dom.make('span', { class: 'name' }, name), dom.make('span', { class: 'log-track' }, lanes));
    }

    function hoursChart(plan) {
        const all = plan.network_gpu_hours_per_year;
        const shown = plan.failures.filter(({ is_network }) => is_network);
        const scale = scaleOf(shown.flatMap((failure) => Object.values(failure.gpu_hours_per_year).flat()));
        const keys = Object.keys(all).map((protocol, index) => key('background:var(--line-' + index + ')', protocol + ': ' + figures.hours(all[protocol]) + ' in all'));

        return [dom.make('h3', {}, 'GPU hours lost in a year by failures of the network'), dom.make('div', { class: 'keys' }, keys),
            dom.make('div', { class: 'log-chart' }, axis(scale), shown.map((failure) => hoursRow(scale, failure.failure, failure.gpu_hours_per_year)),
                hoursRow(scale, 'all', all, 'sum'))];
    }

    /* ---- one failure of each class ---- */

    function duration(seconds) {
        return seconds < 90 ? seconds + '\u00a0s' : seconds < 5400 ? plain(seconds / 60) + '\u00a0min' : plain(seconds / 3600) + '\u00a0h';
    }

    function share(value) {
        return dom.make('span', { class: 'share' }, dom.make('i', { style: 'width:' + (100 * value).toFixed(2) + '%' }), dom.make('b', {}, percent(value)));
    }

    function failureRow(failure) {
        return [failure.failure, share(failure.nic_share), cell(number(failure.nics)), cell(number(failure.elements)), cell(figures.show(failure.per_year)),
            cell(duration(failure.lasts_s)), dom.make('span', { class: 'source' }, failure.source)];
    }

    function table(plan) {
        return dom.table(['failure', 'of the rate', 'of NICs', 'elements', 'a year', 'lasts', 'source of the rate'], plan.failures.map(failureRow), 'failures');
    }

    function pairRow(pair) {
        return [pair.pair, cell(number(pair.count)), cell(pair.per_year.map((value) => String(Number(value.toPrecision(2)))).join(' to '))];
    }

    function pairs(plan) {
        const { nic_ports } = plan.fabric;

        if (plan.pairs.length)
            return dom.table(['two failures that cut a NIC off', 'pairs', 'times a year'], plan.pairs.map(pairRow));
        return dom.make('p', { class: 'note' }, nic_ports === 1 ?
            'A NIC has one port: a single failure of its link, leaf or module cuts it off.' :
            'No two failures of links and switches cut a NIC off: it has ' + nic_ports + ' ports.');
    }

    function every(minutes) {
        const [factor, unit] = minutes[1] < 2 ? [60, 'seconds'] : minutes[1] < 120 ? [1, 'minutes'] : [1 / 60, 'hours'];

        return figures.show(minutes.map((value) => value * factor), unit);
    }

    function summary(plan) {
        const money = (protocol) => figures.dollars(plan.network_gpu_hours_per_year[protocol].map((hours, end) => hours * plan.gpu_hour_usd[end]));
        const working = (protocol) => plan.working[protocol].map((value) => plain(Math.round(1000 * value) / 10)).join('–') + '\u00a0%';

        return dom.make('div', { class: 'tiles outage-tiles' },
            figures.tile('something of the network fails every', every(plan.minutes_between), 'flaps of links included'),
            Object.keys(plan.working).map((protocol) => figures.tile(protocol + ': a job on all GPUs works', working(protocol),
                'of the time; failures of the network cost ' + money(protocol) + ' a year')));
    }

    function card(plan) {
        return dom.card('Failures', 'Rates are ranges of published figures. A job runs on all GPUs, at the pace of its slowest NIC; what a failure costs ' +
            'with each protocol follows from mrc job.',
        summary(plan), dom.make('div', {}, hoursChart(plan)), dom.make('h3', {}, 'What one failure takes'), table(plan), pairs(plan));
    }

    /* ---- measured ---- */

    function settles(us) {
        return us === null ? 'stopped' : us > 0 ? plain(us) + '\u00a0µs' : 'at once';
    }

    /* Small shares fill the track, so that a difference shows. */
    function shareBars(failure, result) {
        const most = Math.max(failure.nic_share, result.nic_share);
        const width = (value) => 'width:' + (100 * Math.max(value, 0) / (most > 0.5 ? 1 : most * 1.25)).toFixed(1) + '%';

        return dom.make('span', { class: 'beside' }, dom.make('span', { class: 'beside-track' },
            dom.make('i', { class: 'calculated', style: width(failure.nic_share) }), dom.make('i', { class: 'measured', style: width(result.nic_share) })),
        dom.make('b', {}, (100 * result.nic_share).toFixed(2) + '\u00a0%'));
    }

    function contenderCells(failure, result) {
        return [shareBars(failure, result), cell(percent(Math.round(1000 * result.others_share) / 1000 || 0)), cell(settles(result.settles_us)), cell(number(result.timeouts))];
    }

    function measuredTable(plan) {
        const contenders = Object.keys(plan.measured.failures[0].measured);
        const full = new Map(plan.failures.map((failure) => [failure.failure, failure.nic_share]));
        const head = ['failure', ...contenders.flatMap((name) => [name + ' loses', 'other NICs', 'settles', 'timeouts']), 'calculated, small fabric', 'calculated, this fabric'];

        return dom.table(head, plan.measured.failures.map((failure) => [failure.failure,
            ...contenders.flatMap((name) => contenderCells(failure, failure.measured[name])), cell(percent(failure.nic_share)), cell(percent(full.get(failure.failure)))]), 'measured');
    }

    function measured(plan) {
        if (!plan.measured?.failures.length)
            return dom.card('Measured', null, dom.make('p', { class: 'note' }, 'This page has calculated losses only. The same command with ',
                dom.make('code', {}, '--measure'), ' simulates a failure of each class, with packets, on a small fabric of this shape, and shows measured beside calculated losses.'));
        const { nics, scale, switches } = plan.measured;

        return dom.card('Measured', 'A simulation of the fabric at 1 : ' + plain(scale) + ' (' + number(nics) + ' NICs, ' + number(switches) + ' switches, as many planes ' +
            'and tiers): NICs far from each other send as fast as they can; loss of the rate from 0.4 to 0.8 ms after the failure, and how long the rate takes to settle.',
        dom.make('div', { class: 'keys' }, key('', 'calculated for the small fabric', 'key-calculated'), key('background:var(--line-2)', 'measured there')), measuredTable(plan));
    }

    return { card, measured };
})();
