/* SPDX-License-Identifier: Apache-2.0 */
/* What each fault cost, and what limits the rate. */
const recovery = (() => {
    const rowCountMax = 50;

    function row(what, change) {
        return [what, units.time(change.at_us), units.percent(change.depth), units.time(change.below_us),
            units.isNumber(change.recovered_us) ? units.time(change.recovered_us) : units.isNumber(change.depth) ? 'not recovered' : units.none];
    }

    function rows(fault) {
        const where = fault.where ?? [];
        const what = units.words(fault.kind ?? 'fault') + ' ' + (where[0] ?? '') + (where.length > 1 ? ' and ' + (where.length - 1) + ' more' : '');

        return [row(what, fault.began ?? {}), ...(fault.ended ? [row('its end', fault.ended)] : [])];
    }

    function faults(run) {
        const all = (run.summary.faults ?? []).flatMap(rows);

        return all.length ? [dom.table(['change', 'at', 'down to', 'below 95 %', 'recovered after'], all.slice(0, rowCountMax)),
            all.length > rowCountMax ? dom.make('p', { class: 'note' }, 'And ' + (all.length - rowCountMax) + ' more.') : null] : [];
    }

    function method(capacity) {
        if (!capacity || capacity.method === 'none')
            return 'The capacity is not known' + (capacity?.reason ? ': ' + capacity.reason : '') + '.';
        return 'Of the max-min capacity, in windows of ' + units.time(capacity.window_us) + '.' +
            (capacity.error > 0 ? ' It is an upper bound, at most ' + units.percent(capacity.error) + ' too high.' : '');
    }

    function card(run) {
        const { capacity } = run.summary;
        const limits = capacity?.limits ?? [];
        const table = faults(run);

        if (!capacity)
            return null;
        return dom.card(table.length ? 'Faults and limits' : 'Limits', method(capacity), ...table,
            limits.length ? dom.make('ul', { class: 'limits' }, limits.map((text) => dom.make('li', {}, text))) : null);
    }

    return { card };
})();
