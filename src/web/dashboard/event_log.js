/* SPDX-License-Identifier: Apache-2.0 */
/* The log of events with their causes, newest first. */
const eventLog = (() => {
    const keptMax = 1000;
    const shownMax = 200;

    /* A sentence for an event of a running NIC, fabric or controller. */
    function sentence(event) {
        const device = event.device ? event.device + ' ' : '';

        switch (event.event) {
        case 'ev':
            return device + 'QP ' + event.qpn + ': EV ' + event.ev + ' on plane ' + event.plane + ' ' + event.from + ' → ' + event.to + ' (' + units.words(event.cause) + ')';
        case 'port':
            return device + 'port ' + event.port + ' ' + units.words(event.change);
        case 'qp':
            return device + 'QP ' + event.qpn + ' ' + event.from + ' → ' + event.to + (event.cause === 'modify' ? '' : ' (' + units.words(event.cause) + ')');
        case 'timeout':
            return device + 'QP ' + event.qpn + ' timeout after ' + units.time(event.interval_ns / 1000);
        case 'lost':
            return device + units.plural(event.count, 'event') + ' not shown: too many at once';
        case 'fault_began':
            return 'fault: ' + event.where + ' ' + units.words(event.kind);
        case 'fault_ended':
            return 'fault ended: ' + event.where + ' ' + units.words(event.kind);
        default:
            return event.text ?? device + units.words(event.event ?? 'event');
        }
    }

    function isFault(event) {
        return /^fault|^verdict/.test(event.event) || event.to === 'bad' || event.to === 'ERR' || event.change === 'link_down';
    }

    function clock(ms) {
        const time = new Date(ms);
        const two = (number) => String(number).padStart(2, '0');

        return two(time.getHours()) + ':' + two(time.getMinutes()) + ':' + two(time.getSeconds()) + '.' + String(time.getMilliseconds()).padStart(3, '0');
    }

    /* NICs tell their events a little out of order. */
    function inOrder(events) {
        return events.sort((a, b) => (a.time_ms ?? a.time_us) - (b.time_ms ?? b.time_us));
    }

    /* format(event) returns the time as text. */
    function make(format) {
        const body = dom.make('tbody');
        const filter = dom.make('input', { type: 'search', placeholder: 'filter', 'aria-label': 'filter events' });
        const count = dom.make('p', { class: 'note' });
        let events = [];
        let isDirty = false;

        function row(event) {
            return dom.make('tr', {}, dom.make('td', {}, format(event)), dom.make('td', { class: isFault(event) ? 'kind-fault' : null }, sentence(event)));
        }

        function show() {
            const wanted = filter.value.trim().toLowerCase();
            const found = wanted ? events.filter((event) => sentence(event).toLowerCase().includes(wanted)) : events;

            isDirty = false;
            body.replaceChildren(...found.slice(-shownMax).reverse().map(row));
            count.textContent = found.length ? units.count(Math.min(found.length, shownMax)) + ' of ' + units.plural(found.length, 'event') + '.' : 'No events yet.';
        }

        function showSoon() {
            if (!isDirty)
                requestAnimationFrame(show);
            isDirty = true;
        }

        filter.addEventListener('input', show);
        show();
        return {
            element: dom.card('Events', 'What changed, and why; the newest first.', dom.make('div', { class: 'filters' }, filter),
                dom.make('div', { class: 'log', tabindex: 0, role: 'log', 'aria-label': 'events' }, dom.make('table', {}, body)), count),
            add: (added) => {
                events = inOrder(events.concat(added)).slice(-keptMax);
                showSoon();
            },
            set: (all) => {
                events = inOrder(all);
                showSoon();
            },
        };
    }

    return { make, clock };
})();
