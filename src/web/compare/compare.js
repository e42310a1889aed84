/* SPDX-License-Identifier: Apache-2.0 */
/* The comparison inside the page, as tables and bars. */
(() => {
    const data = JSON.parse(document.getElementById('comparison').textContent);
    const contenders = new Map(data.contenders.map((contender) => [contender.name, contender]));

    const formats = { rate: units.rate, fraction: (share) => units.percent(share, share < 0.01 && share > 0 ? 2 : 1), time: units.time, count: units.count };

    function mean(entry, key) {
        return entry.figures[key]?.mean;
    }

    function caseName(one) {
        return one.label ? units.words(one.label) : 'all contenders';
    }

    function name(contender) {
        return dom.make('span', { class: 'contender' }, dom.make('strong', {}, contender.name), dom.make('span', { class: 'note' }, contender.title));
    }

    function faultText(fault) {
        return units.words(fault.kind) + ' ' + (fault.where[0] ?? '') + (fault.where.length > 1 ? ' and others' : '') + ' at ' + units.time(fault.at_us);
    }

    /* ---- the matrix: contenders by cases ---- */

    function best(one) {
        return Math.max(...one.entries.map((entry) => mean(entry, 'goodput_fraction') ?? 0));
    }

    function share(entry, most) {
        const spread = entry.figures.goodput_fraction;

        if (!spread)
            return units.none;
        return dom.make('span', { class: 'share' + (spread.mean >= most - 0.005 ? ' best' : ''), title: 'from ' + units.percent(spread.min) + ' to ' + units.percent(spread.max) },
            dom.make('i', { style: 'width:' + (100 * Math.min(spread.mean, 1)).toFixed(1) + '%' }),
            dom.make('b', {}, units.percent(spread.mean)),
            spread.runs > 1 ? dom.make('span', { class: 'note' }, '± ' + (100 * spread.deviation).toFixed(1)) : null);
    }

    function matrix(title, note, cases, cell) {
        return dom.card(title, note, dom.table(['', ...cases.map(caseName)],
            data.contenders.map((contender, index) => [name(contender), ...cases.map((one) => cell(one.entries[index], one))]), 'matrix'));
    }

    function recoveryCell(entry) {
        const recovered = entry.figures.recovery_us;
        const stood = mean(entry, 'stood_us');

        return [entry.unrecovered > 0 ?
            dom.make('span', { class: 'never' }, entry.unrecovered === entry.runs ? 'not in this run' : 'not in ' + entry.unrecovered + ' of ' + entry.runs + ' runs') :
            recovered?.max === 0 ? 'no dip' : units.time(recovered?.mean), dom.make('div', { class: 'note' }, 'lost ' + units.time(stood))];
    }

    function recoveryCard() {
        const cases = data.cases.filter((one) => one.entries[0].faults.length);

        return cases.length ? matrix('Recovery from faults', 'How long until goodput and the share of the capacity were no longer below half of what they were before the fault, and for how long the contender would have had to stand still to lose as much as it lost to the end of the run. Without a time: the fault found no goodput to lose.', cases, recoveryCell) : null;
    }

    function victimBars(one) {
        return [dom.make('h3', {}, caseName(one)), bars.rows(one.entries.map((entry) => {
            const kept = mean(entry, 'victim_fraction') ?? 0;

            return { name: entry.contender, marks: [bars.mark('bar', 0, kept, units.percent(kept))], value: units.percent(kept) };
        }))];
    }

    function victimCard() {
        const cases = data.cases.filter((one) => one.entries.some((entry) => entry.figures.victim_fraction));

        return cases.length ? dom.card('The victim', 'What a flow keeps of its rate that has nothing to do with the congestion beside it.', ...cases.map(victimBars)) : null;
    }

    /* ---- one case ---- */

    function completionBars(one) {
        const entries = one.entries.filter((entry) => entry.figures.p50_us);
        const end = 1.02 * Math.max(...entries.map((entry) => mean(entry, 'max_us')));

        if (!entries.length)
            return null;
        return [dom.make('h3', {}, 'Completion times, to ' + units.time(end)), bars.rows(entries.map((entry) => ({
            name: entry.contender,
            marks: [bars.mark('range', 0, mean(entry, 'max_us') / end, 'longest ' + units.time(mean(entry, 'max_us'))),
                bars.mark('box', mean(entry, 'p50_us') / end, mean(entry, 'p99_us') / end, 'median to p99'),
                bars.dot('median', mean(entry, 'p50_us') / end, 'median ' + units.time(mean(entry, 'p50_us')))],
            value: ['p50_us', 'p99_us', 'max_us'].map((key) => units.time(mean(entry, key))).join(' / '),
        })))];
    }

    /* Counts that are zero for all are left out. Recovery has a card of its own. */
    function isShown(one, { key, unit }) {
        return key !== 'recovery_us' && one.entries.some((entry) => entry.figures[key] && (unit !== 'count' || entry.figures[key].max > 0));
    }

    function caseCard(one) {
        const shown = data.figures.filter((figure) => isShown(one, figure));
        const ideal = ['ideal', ...shown.map(({ key }) => key === 'goodput_bps' ? units.rate(one.ideal_bps) : key === 'goodput_fraction' ? units.percent(1) : '')];

        return dom.card(caseName(one), one.entries[0].faults.map(faultText).join(', ') || null,
            dom.table(['contender', ...shown.map(({ heading }) => heading)],
                [ideal, ...one.entries.map((entry) => [entry.contender, ...shown.map(({ key, unit }) => entry.figures[key] ? formats[unit](mean(entry, key)) : units.none)])]),
            completionBars(one));
    }

    /* ---- state and cost ---- */

    function range(least, most) {
        if (!(most > 0))
            return units.none;
        return most > least ? units.bytes(least) + ' to ' + units.bytes(most) : units.bytes(most);
    }

    function stateCard() {
        const [first] = data.cases;
        const origin = { measured: 'good', published: 'good', assumed: 'warn' };

        return dom.card('State', 'What the NIC with the most connections and a switch keep, in the case ' + caseName(first) + '.', dom.table(
            ['contender', 'QPs of a NIC', 'a QP', 'a NIC', 'routes of a switch', 'PFC headroom of a switch', 'a switch keeps', 'origin', 'source'],
            first.entries.map((entry) => {
                const { state } = contenders.get(entry.contender);
                const own = entry.state.qp_bytes;
                const [least, most] = units.isNumber(own) ? [own, own] : [state.qp_bytes_least, state.qp_bytes_most];
                const qps = entry.state.qps_per_nic;

                return [entry.contender, units.count(qps), range(least, most), range(least * qps, most * qps), units.count(entry.state.switch_routes),
                    entry.state.switch_headroom_bytes ? units.bytes(entry.state.switch_headroom_bytes) : units.none, dom.make('span', { class: 'contender' }, state.switch_keeps),
                    dom.make('span', { class: 'chip chip-' + (origin[state.origin] ?? 'plain') }, state.origin), dom.make('span', { class: 'contender' }, state.source)];
            })));
    }

    function dollars(value) {
        return value >= 1e6 ? (value / 1e6).toFixed(2) + ' M$' : value >= 1e4 ? (value / 1e3).toFixed(0) + ' k$' : value.toFixed(value < 100 ? 2 : 0) + ' $';
    }

    function costCard() {
        const [first] = data.cases;
        const span = ({ least_usd, most_usd }, divisor) => dollars(least_usd / divisor) + ' to ' + dollars(most_usd / divisor);
        const perRate = (entry, cost) => {
            const gbps = (mean(entry, 'goodput_bps') ?? 0) / 1e9;

            return gbps > 0 ? span(cost, gbps) : units.none;
        };

        return dom.card('Cost', 'Switches and optics of the fabric of each contender. ' + Object.values(data.contenders[0].cost.parts).map((part) => part.source).join('; ') +
            '. These are prices of resellers, the same for all protocols: compare, do not budget.',
            dom.table(['contender', 'fabric', 'cost', 'for 1 Gb/s of goodput, ' + caseName(first)], first.entries.map((entry) => {
                const { fabric, cost } = contenders.get(entry.contender);

                return [entry.contender, dom.make('span', { class: 'contender' }, fabric), span(cost, 1), perRate(entry, cost)];
            })));
    }

    /* ---- the search ---- */

    function searchCard() {
        const searched = data.contenders.filter(({ search }) => search);

        return searched.length ? dom.card('Best settings found', 'Each contender had the same number of random trials over its settings, on seeds that this page does not show. The score is the mean share of the ideal in all cases. A row “+best” elsewhere has the settings found here; without such a row, the usual settings were the best.',
            dom.table(['contender', 'trials', 'usual', 'best', 'settings found'], searched.map(({ name, search }) =>
                [name, units.count(search.trials), units.percent(search.usual_score), units.percent(search.best_score),
                    dom.make('span', { class: 'contender' }, search.found.replaceAll(' ', ', ') || 'the usual ones')]))) : null;
    }

    /* ---- the page ---- */

    function sentence(text) {
        return text[0].toUpperCase() + text.slice(1) + '.';
    }

    function head() {
        const { experiment } = data;
        const title = experiment.title || experiment.name;
        const chip = (text) => dom.make('span', { class: 'chip chip-plain' }, text);

        document.title = title + ' · OpenMRC comparison';
        return dom.make('header', { class: 'top' },
            dom.make('div', { class: 'kicker' }, dom.make('span', {}, 'OpenMRC comparison · ' + experiment.name),
                dom.make('button', { type: 'button', class: 'plain', id: 'theme', title: 'light or dark', onclick: theme.toggle }, '◐ theme')),
            dom.make('h1', {}, title), dom.make('p', { class: 'fabric' }, header.fabricLine(data.fabric)), dom.make('p', { class: 'note' }, sentence(data.normalisation.meaning)),
            dom.make('div', { class: 'chips' }, chip(units.plural(data.contenders.filter(({ is_best }) => !is_best).length, 'contender')), chip(units.plural(data.cases.length, 'case')),
                chip(units.plural(data.cases[0].entries[0].runs, 'seed') + ' each'), chip(data.normalisation.letter + ': ' + data.normalisation.title), chip('mrc ' + data.version)));
    }

    document.getElementById('page').append(...[head(),
        matrix('Goodput', 'Of what the links carry without faults and without the headers of the contender. The goodput in Tb/s, below, pays for them. Green: within half a point of the best of its column.', data.cases, (entry, one) => share(entry, best(one))),
        recoveryCard(), victimCard(), searchCard(), ...data.cases.map(caseCard), stateCard(), costCard()].filter(Boolean));
    document.getElementById('footer').append(dom.make('p', {}, data.normalisation.letter + ', ' + data.normalisation.title + ': ' + sentence(data.normalisation.meaning) + ' What the models leave out: docs/rivals.md.'));
    document.documentElement.dataset.ready = String(data.cases.length);
})();
