/* SPDX-License-Identifier: Apache-2.0 */
/* What fails, how often, what it takes away, and what it costs; measured beside calculated losses. */
const outages = (() => {
    const { number } = strokes;

    /* A logarithmic scale over all values that are shown. */
    function scaleOf(values) {
        const positive = values.filter((value) => value > 0);
        const least = Math.floor(Math.log10(Math.min(...positive, 1)));
        const most = Math.ceil(Math.log10(Math.max(...positive, 10)));

        return { least, most, place: (value) => (Math.log10(Math.max(value, 10 ** least)) - least) / (most - least) };
    }

    function power10(exponent) {
        return exponent === 0 ? '1' : exponent === 3 ? '1 k' : exponent === 6 ? '1 M' : exponent === 9 ? '1 G' : '10' + [...String(exponent)].map((digit) => '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'['-0123456789'.indexOf(digit)]).join('');
    }

    function axis(scale) {
        const step = Math.ceil((scale.most - scale.least) / 6);
        const ticks = [];

        for (let exponent = scale.least; exponent <= scale.most; exponent += step)
            ticks.push(dom.make('i', { class: 'tick', style: 'left:' + (100 * (exponent - scale.least) / (scale.most - scale.least)).toFixed(1) + '%' }, power10(exponent)));
        return dom.make('div', { class: 'log-row log-axis' }, dom.make('span'), dom.make('span', { class: 'ticks' }, ticks));
    }

    function rangeMark(scale, range, color, title) {
        const from = scale.place(range[0]);
        const until = scale.place(range[1]);

        return dom.make('i', { class: 'span', title, style: 'left:' + (100 * from).toFixed(2) + '%;width:' + Math.max(100 * (until - from), 0.9).toFixed(2) + '%;background:var(--line-' + color + ')' });
    }

    function hoursChart(plan) {
        const protocols = Object.keys(plan.network_gpu_hours_per_year);
        const shown = plan.failures.filter(({ is_network }) => is_network);
        const scale = scaleOf(shown.flatMap((failure) => protocols.flatMap((protocol) => failure.gpu_hours_per_year[protocol])));
        const row = (name, hours, isSum) => dom.make('div', { class: 'log-row' + (isSum ? ' sum' : '') }, dom.make('span', { class: 'name' }, name), dom.make('span', { class: 'log-track' },
            protocols.map((protocol, index) => dom.make('span', { class: 'lane' }, rangeMark(scale, hours[protocol], index, protocol + ': ' + figures.hours(hours[protocol]) + ' GPU hours a year')))));

        return [dom.make('h3', {}, 'GPU hours lost in a year by failures of the network'),
            dom.make('div', { class: 'keys' }, protocols.map((protocol, index) => dom.make('span', { class: 'key' }, dom.make('i', { style: 'background:var(--line-' + index + ')' }),
                protocol + ': ' + figures.hours(plan.network_gpu_hours_per_year[protocol]) + ' in all'))),
            dom.make('div', { class: 'log-chart' }, axis(scale), shown.map((failure) => row(failure.failure, failure.gpu_hours_per_year)), row('all', plan.network_gpu_hours_per_year, true))];
    }

    function duration(seconds) {
        return seconds < 90 ? seconds + '\u00a0s' : seconds < 5400 ? figures.plain(seconds / 60) + '\u00a0min' : figures.plain(seconds / 3600) + '\u00a0h';
    }

    function share(value) {
        return dom.make('span', { class: 'share' }, dom.make('i', { style: 'width:' + (100 * value).toFixed(2) + '%' }), dom.make('b', {}, figures.plain(100 * value) + '\u00a0%'));
    }

    function right(content) {
        return dom.make('span', { class: 'number' }, content);
    }

    function table(plan) {
        return dom.table(['failure', 'of the rate', 'of NICs', 'elements', 'a year', 'lasts', 'source of the rate'], plan.failures.map((failure) => [failure.failure, share(failure.nic_share),
            right(number(failure.nics)), right(number(failure.elements)), right(figures.show(failure.per_year)), right(duration(failure.lasts_s)), dom.make('span', { class: 'source' }, failure.source)]), 'failures');
    }

    function pairs(plan) {
        const { nic_ports } = plan.fabric;

        if (plan.pairs.length)
            return dom.table(['two failures that cut a NIC off', 'pairs', 'times a year'], plan.pairs.map((pair) => [pair.pair, right(number(pair.count)),
                right(pair.per_year.map((value) => Number(value.toPrecision(2)).toString()).join(' to '))]));
        return dom.make('p', { class: 'note' }, nic_ports === 1 ? 'A NIC has one port: a single failure of its link, leaf or module cuts it off.' : 'No two failures of links and switches cut a NIC off: it has ' + nic_ports + ' ports.');
    }

    function every(minutes) {
        const seconds = minutes.map((value) => value * 60);
        const [factor, unit] = seconds[1] < 120 ? [1, 'seconds'] : seconds[1] < 7200 ? [60, 'minutes'] : [3600, 'hours'];

        return figures.show(seconds.map((value) => value / factor), unit);
    }

    function summary(plan) {
        const money = (protocol) => {
            const hours = plan.network_gpu_hours_per_year[protocol];

            return figures.dollars([hours[0] * plan.gpu_hour_usd[0], hours[1] * plan.gpu_hour_usd[1]]);
        };

        return dom.make('div', { class: 'tiles outage-tiles' },
            dom.make('div', { class: 'tile' }, dom.make('span', { class: 'tile-name' }, 'something of the network fails every'), dom.make('span', { class: 'tile-value' }, every(plan.minutes_between)), dom.make('span', { class: 'tile-note' }, 'flaps of links included')),
            Object.keys(plan.working).map((protocol) => dom.make('div', { class: 'tile' }, dom.make('span', { class: 'tile-name' }, protocol + ': a job on all GPUs works'),
                dom.make('span', { class: 'tile-value' }, plan.working[protocol].map((value) => figures.plain(Math.round(1000 * value) / 10)).join('–') + '\u00a0%'),
                dom.make('span', { class: 'tile-note' }, 'of the time; failures of the network cost ' + money(protocol) + ' a year'))));
    }

    function card(plan) {
        return dom.card('Failures', 'Rates are ranges of published figures. A job runs on all GPUs, at the pace of its slowest NIC; what a failure costs with each protocol follows from mrc job.',
            summary(plan), dom.make('div', {}, hoursChart(plan)), dom.make('h3', {}, 'What one failure takes'), table(plan), pairs(plan));
    }

    /* ---- measured ---- */

    function settles(us) {
        return us === null ? 'stopped' : us > 0 ? figures.plain(us) + '\u00a0µs' : 'at once';
    }

    function measuredCell(failure, result) {
        const end = Math.max(failure.nic_share, result.nic_share, 0) > 0.5 ? 1 : Math.max(failure.nic_share, result.nic_share) * 1.25;

        return dom.make('span', { class: 'beside' }, dom.make('span', { class: 'beside-track' },
            dom.make('i', { class: 'calculated', style: 'width:' + (100 * failure.nic_share / end).toFixed(1) + '%' }),
            dom.make('i', { class: 'measured', style: 'width:' + (100 * Math.max(result.nic_share, 0) / end).toFixed(1) + '%' })), dom.make('b', {}, (100 * result.nic_share).toFixed(2) + '\u00a0%'));
    }

    function measured(plan) {
        if (!plan.measured) {
            return dom.card('Measured', null, dom.make('p', { class: 'note' }, 'This page has calculated losses only. The same command with ', dom.make('code', {}, '--measure'),
                ' simulates a failure of each class, with packets, on a small fabric of this shape, and shows measured beside calculated losses.'));
        }
        const contenders = Object.keys(plan.measured.failures[0]?.measured ?? {});
        const full = new Map(plan.failures.map((failure) => [failure.failure, failure]));
        const { nics, scale, switches } = plan.measured;

        return dom.card('Measured', 'A simulation of the fabric at 1 : ' + figures.plain(scale) + ' (' + number(nics) + ' NICs, ' + number(switches) + ' switches, as many planes and tiers): NICs far from each other send as fast as they can; loss of the rate from 0.4 to 0.8 ms after the failure, and how long the rate takes to settle.',
            dom.make('div', { class: 'keys' }, dom.make('span', { class: 'key' }, dom.make('i', { class: 'key-calculated' }), 'calculated for the small fabric'), dom.make('span', { class: 'key' }, dom.make('i', { style: 'background:var(--line-2)' }), 'measured there')),
            dom.table(['failure', ...contenders.flatMap((name) => [name + ' loses', 'other NICs', 'settles', 'timeouts']), 'calculated, small fabric', 'calculated, this fabric'], plan.measured.failures.map((failure) => [failure.failure, ...contenders.flatMap((name) => {
                const result = failure.measured[name];

                return [measuredCell(failure, result), right(figures.plain(Math.round(1000 * result.others_share) / 10 || 0) + '\u00a0%'), right(settles(result.settles_us)), right(number(result.timeouts))];
            }), right(figures.plain(100 * failure.nic_share) + '\u00a0%'), right(figures.plain(100 * full.get(failure.failure).nic_share) + '\u00a0%')]), 'measured'));
    }

    return { card, measured };
})();
