/* SPDX-License-Identifier: Apache-2.0 */
/* The table that compares runs: a row each, sorted by any column. */
const runsTable = (() => {
    function settings(run) {
        return Object.entries(run.settings ?? {}).map(([key, value]) => key + '=' + units.any(value)).join(', ');
    }

    const time = (key) => ({ of: (run) => run.summary.completion_us?.[key], show: units.time });
    const columns = [
        { head: 'run', of: (run) => model.settingName(run), show: (text) => text },
        { head: 'seed', of: (run) => Number(run.seed), show: (_, run) => run.seed, number: true },
        { head: 'status', of: (run) => run.status, show: units.words },
        { head: 'goodput', of: (run) => run.summary.goodput_fraction, show: (fraction) => units.percent(fraction), number: true },
        { head: 'of capacity', of: (run) => run.summary.capacity_fraction, show: (fraction) => units.percent(fraction), number: true },
        { head: 'rate', of: (run) => run.summary.goodput_bps, show: units.rate, number: true },
        { head: 'median', ...time('p50'), number: true },
        { head: 'p99', ...time('p99'), number: true },
        { head: 'p99.9', ...time('p999'), number: true },
        { head: 'longest', ...time('max'), number: true },
        { head: 'Jain', of: (run) => run.summary.jain, show: units.index, number: true },
        { head: 'retransmitted', of: (run) => run.summary.retransmitted && model.sum(run.summary.retransmitted), show: units.count, number: true },
        { head: 'trimmed', of: (run) => run.summary.trimmed, show: units.count, number: true },
        { head: 'timeouts', of: (run) => run.summary.timeouts, show: units.count, number: true },
        { head: 'hash', of: (run) => run.hash, show: (text) => dom.make('code', {}, text) },
        { head: 'settings', of: settings, show: (text) => text },
    ];

    /* Numbers by size, text by alphabet with its numbers by size, what is missing last. */
    function compare(a, b) {
        const missing = (value) => value === null || value === undefined || Number.isNaN(value);

        if (missing(a) || missing(b))
            return missing(a) - missing(b);
        return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), 'en', { numeric: true });
    }

    /* onSelect(run) when a row is chosen. Yields { card, select(run) }. */
    function make(onSelect) {
        const used = columns.filter((column) => column.head !== 'settings' || model.runs.some((run) => settings(run)));
        const body = dom.make('tbody');
        const rows = new Map(model.runs.map((run) => [run, dom.make('tr', { onclick: () => onSelect(run) },
            used.map((column, i) => {
                const shown = column.show(column.of(run), run);

                return dom.make('td', { class: column.number ? 'number' : null },
                    i === 0 && model.runs.length > 1 ? dom.make('button', { class: 'link', type: 'button' }, shown) : shown);
            }))]));
        let order = { column: null, sign: 1 };

        const heads = used.map((column) => dom.make('th', { scope: 'col', class: column.number ? 'number' : null },
            dom.make('button', { type: 'button', onclick: () => sort(column) }, column.head)));

        function sort(column) {
            order = { column, sign: order.column === column ? -order.sign : 1 };
            const sorted = [...model.runs].sort((a, b) => order.sign * compare(column.of(a), column.of(b)) || a.position - b.position);

            body.append(...sorted.map((run) => rows.get(run)));
            heads.forEach((head, i) => {
                if (used[i] === column)
                    head.setAttribute('aria-sort', order.sign > 0 ? 'ascending' : 'descending');
                else
                    head.removeAttribute('aria-sort');
            });
        }

        function select(run) {
            for (const [other, row] of rows)
                row.classList.toggle('selected', other === run && model.runs.length > 1);
        }

        body.append(...rows.values());
        const card = dom.card(model.runs.length > 1 ? 'Runs' : 'Run', model.runs.length > 1 ?
            'Click a head to sort, a row to look at that run. Completion times are of all workloads.' : null,
        dom.make('div', { class: 'scroll tall' }, dom.make('table', { class: model.runs.length > 1 ? 'runs' : '' },
            dom.make('thead', {}, dom.make('tr', {}, heads)), body)));

        return { card, select };
    }

    return { make };
})();
