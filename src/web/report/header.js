/* SPDX-License-Identifier: Apache-2.0 */
/* The top of the page: what was run, whether it met its criteria, and the figures that matter most. */
const header = (() => {
    const statusText = {
        finished: 'finished', out_of_time: 'ended with its time', partial: 'interrupted: partial', violated: 'invariant violated',
    };

    function chip(kind, text) {
        return dom.make('span', { class: 'chip chip-' + kind }, text);
    }

    function statusChip(status) {
        const kind = { finished: 'good', violated: 'bad', partial: 'warn' }[status] ?? 'plain';

        return chip(kind, statusText[status] ?? units.words(status));
    }

    function fabricLine(fabric) {
        const parts = [];

        if (fabric.nics)
            parts.push(units.plural(fabric.nics, 'NIC') + (fabric.switches ?
                ' with ' + units.plural(fabric.planes, 'port') : ' on ' + units.plural(fabric.planes, 'plane')));
        if (fabric.switches)
            parts.push(fabric.switches + ' switches');
        if (fabric.t0)
            parts.push(fabric.t0 + ' T0' + (fabric.t1 ? ' and ' + fabric.t1 + ' T1' : '') + ' switches a plane');
        if (units.isNumber(fabric.host_link_bps))
            parts.push('host links ' + units.rate(fabric.host_link_bps));
        if (units.isNumber(fabric.uplink_bps) && fabric.uplink_bps > 0)
            parts.push((fabric.switches ? 'links between switches ' : 'uplinks ') + units.rate(fabric.uplink_bps));
        if (units.isNumber(fabric.base_rtt_us))
            parts.push('base RTT ' + units.time(fabric.base_rtt_us));
        return (fabric.name ? fabric.name + ': ' : '') + parts.join(', ');
    }

    function seeds(runs) {
        const all = [...new Set(runs.map((run) => run.seed))];

        return all.length === 1 ? 'seed ' + all[0] : all.length <= 6 ? 'seeds ' + all.join(', ') : all.length + ' seeds';
    }

    function title() {
        const [first] = model.runs;
        const versions = [...new Set(model.runs.map((run) => run.version))];
        const statuses = new Map();

        for (const { status } of model.runs)
            statuses.set(status, (statuses.get(status) ?? 0) + 1);
        const isOne = model.experimentCount === 1;

        document.title = (isOne ? model.experimentTitle(first) : model.experimentCount + ' experiments') + ' · OpenMRC';
        return dom.make('header', { class: 'top' },
            dom.make('div', { class: 'kicker' },
                dom.make('span', {}, 'OpenMRC simulation report' + (isOne && first.experiment.name ? ' · ' + first.experiment.name : '')),
                dom.make('button', { type: 'button', class: 'plain', id: 'theme', title: 'light or dark', onclick: theme.toggle }, '◐ theme')),
            dom.make('h1', {}, isOne ? model.experimentTitle(first) : model.experimentCount + ' experiments compared'),
            isOne ? dom.make('p', { class: 'fabric' }, fabricLine(first.fabric)) : null,
            dom.make('div', { class: 'chips' },
                [...statuses].map(([status, count]) => [statusChip(status), model.runs.length > 1 ? '× ' + count : null]),
                chip('plain', units.plural(model.runs.length, 'run')), chip('plain', seeds(model.runs)),
                chip('plain', 'mrc ' + versions.join(', ')), criteriaChip()));
    }

    function criteriaChip() {
        const all = model.runs.flatMap((run) => run.criteria);
        const passed = all.filter((criterion) => criterion.pass).length;

        if (!all.length)
            return null;
        return passed === all.length ? chip('good', '✓ ' + (passed === 1 ? 'its criterion is met' : 'all ' + passed + ' criteria met')) :
            chip('bad', '✗ ' + (all.length - passed) + ' of ' + units.plural(all.length, 'criterion').replace('criterions', 'criteria') + ' not met');
    }

    /* The same criterion of several runs is one row. */
    function criteria() {
        const byText = new Map();

        for (const run of model.runs)
            for (const criterion of run.criteria) {
                const key = run.documentIndex + ' ' + criterion.text;

                if (!byText.has(key))
                    byText.set(key, { ...criterion, run, values: [], passed: 0, count: 0 });
                const entry = byText.get(key);

                entry.values.push(criterion.value);
                entry.passed += criterion.pass ? 1 : 0;
                entry.count++;
            }
        if (!byText.size)
            return null;
        const ours = (values) => {
            const distinct = [...new Set(values.map(units.any))];

            if (distinct.length <= 3)
                return distinct.join(', ');
            return values.every(units.isNumber) ? units.any(Math.min(...values)) + ' to ' + units.any(Math.max(...values)) : distinct.length + ' values';
        };

        const hasPaper = [...byText.values()].some((entry) => entry.paper);

        return dom.card('Criteria', null, dom.table(
            ['', ...(model.experimentCount > 1 ? ['experiment'] : []), 'criterion', ...(hasPaper ? ['paper', 'ours'] : ['measured'])],
            [...byText.values()].map((entry) => [
                entry.passed === entry.count ? chip('good', '✓ pass') :
                    chip('bad', entry.count === 1 ? '✗ fail' : '✗ ' + (entry.count - entry.passed) + ' of ' + entry.count + ' fail'),
                ...(model.experimentCount > 1 ? [entry.run.experiment.name ?? ''] : []),
                [entry.text ?? '', entry.scale ? dom.make('div', { class: 'note' }, units.any(entry.scale)) : null], ...(hasPaper ? [entry.paper ? units.any(entry.paper) : units.none] : []), dom.make('strong', {}, ours(entry.values)),
            ]), 'criteria'));
    }

    /* kind: what colours the figure: 'zero' is good when it is nought. */
    function tile(name, value, note, kind = '') {
        return dom.make('div', { class: 'tile ' + kind },
            dom.make('span', { class: 'tile-name' }, name), dom.make('span', { class: 'tile-value' }, value),
            dom.make('span', { class: 'tile-note' }, note ?? ''));
    }

    function tiles(run) {
        const { summary } = run;
        const lost = summary.lost && model.sum(summary.lost);
        const sent = summary.packets_sent;
        const share = (count) => units.isNumber(count) && sent > 0 ? units.percent(count / sent, 3) + ' of packets' : '';
        const completion = summary.completion_us ?? {};

        return dom.make('div', { class: 'tiles' },
            tile('Goodput', units.percent(summary.goodput_fraction), units.isNumber(summary.goodput_bps) ? units.rate(summary.goodput_bps) + ', of the ideal' : ''),
            tile('Of capacity', units.percent(summary.capacity_fraction), units.isNumber(summary.capacity_fraction) ? 'of the max-min rates' : ''),
            tile('Completion p99', units.time(completion.p99), units.isNumber(completion.p50) ? 'median ' + units.time(completion.p50) : ''),
            tile('Fairness (Jain)', units.index(summary.jain), units.isNumber(summary.victim_fraction) ? 'victim ' + units.percent(summary.victim_fraction) : 'one is equal shares'),
            tile('Trimmed', units.count(summary.trimmed), share(summary.trimmed)),
            tile('Lost', units.count(lost), share(lost)),
            tile('Timeouts', units.count(summary.timeouts), summary.timeouts === 0 ? 'none fired' : 'retransmission timers', summary.timeouts > 0 ? 'tile-warn' : ''));
    }

    return { title, criteria, tiles, fabricLine, statusChip };
})();
