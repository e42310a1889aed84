/* SPDX-License-Identifier: Apache-2.0 */
/* The table of events: filtered by kind and by text, a page of rows at a time. */
const eventsTable = (() => {
    const step = 200;
    /* What `what` says in words already. */
    const known = new Set(['time_us', 'kind', 'what', 'fault', 'fault_kind', 'nic', 'ev', 'state']);

    function member(key, value) {
        if (Array.isArray(value))
            return value.length > 1 ? units.words(key) + ' ' + value.map(units.any).join(' ') : '';
        return key.endsWith('_us') ? units.words(key.slice(0, -3)) + ' ' + units.time(value) : units.words(key) + ' ' + units.any(value);
    }

    /* Whatever else an event says: duration 3 ms. */
    function rest(event) {
        return Object.entries(event).filter(([key]) => !known.has(key)).map(([key, value]) => member(key, value)).filter(Boolean).join(', ');
    }

    function text(event) {
        return (units.words(event.kind) + ' ' + (event.what ?? '') + ' ' + rest(event)).toLowerCase();
    }

    function row(event) {
        const isFault = String(event.kind).startsWith('fault') || event.kind === 'qp_failed';

        return dom.make('tr', {},
            dom.make('td', { class: 'number' }, units.isNumber(event.time_us) ? event.time_us.toLocaleString('en-US', { minimumFractionDigits: 3, maximumFractionDigits: 3 }) : units.none),
            dom.make('td', {}, dom.make('span', { class: 'kind' + (isFault ? ' kind-fault' : '') }, units.words(event.kind))),
            dom.make('td', {}, event.what ?? ''),
            dom.make('td', { class: 'dim' }, rest(event)));
    }

    function card(run, events) {
        const leftOut = run.events_left_out ?? 0;
        const missing = leftOut > 0 ? ' The result keeps the first ones; ' + units.count(leftOut) + ' more happened.' : '';

        if (!events.length)
            return dom.card('Events', 'None were recorded.' + missing);
        const kinds = new Map();

        events = [...events].sort((a, b) => a.time_us - b.time_us);
        for (const event of events)
            kinds.set(event.kind, (kinds.get(event.kind) ?? 0) + 1);

        const texts = events.map(text);
        const body = dom.make('tbody');
        const shown = dom.make('p', { class: 'note' });
        const more = dom.make('button', { type: 'button', class: 'plain', onclick: () => show(limit + step) }, 'show more');
        const search = dom.make('input', { type: 'search', placeholder: 'filter', 'aria-label': 'filter events', oninput: () => show(step) });
        const kind = dom.make('select', { 'aria-label': 'kind of event', onchange: () => show(step) },
            dom.make('option', { value: '' }, 'all kinds (' + units.count(events.length) + ')'),
            [...kinds].map(([name, count]) => dom.make('option', { value: name }, units.words(name) + ' (' + units.count(count) + ')')));
        let limit = step;

        function show(rows) {
            const wanted = search.value.trim().toLowerCase();
            const found = events.filter((event, i) => (!kind.value || event.kind === kind.value) && texts[i].includes(wanted));

            limit = rows;
            body.replaceChildren(...found.slice(0, limit).map(row));
            more.hidden = found.length <= limit;
            shown.textContent = found.length ? units.count(Math.min(limit, found.length)) + ' of ' + units.count(found.length) + ' shown.' : 'No event fits.';
        }

        show(step);
        return dom.card('Events', 'In the order of their time.' + missing,
            dom.make('div', { class: 'filters' }, kind, search),
            dom.make('div', { class: 'scroll tall' }, dom.make('table', { class: 'events' },
                dom.make('thead', {}, dom.make('tr', {}, [['time in µs', 'number'], ['kind', ''], ['what', ''], ['', '']].map(([head, className]) =>
                    dom.make('th', { scope: 'col', class: className }, head)))), body)),
            dom.make('div', { class: 'filters' }, shown, more));
    }

    return { card };
})();
