/* SPDX-License-Identifier: Apache-2.0 */
/* The page of a running fabric: follows the stream of its server. */
const live = (() => {
    const keptMax = 1200; /* samples: ten minutes */
    const evIntervalMs = 1000;
    const qpIntervalMs = 3000;
    const reasons = ['trim', 'sack', 'nack', 'rto', 'port_down', 'for_ack'];
    const lineOf = (index) => () => theme.line(index);

    /* The token is in the fragment, which no server sees, and leaves the address bar. */
    function takeToken() {
        const found = new URLSearchParams(location.hash.slice(1)).get('token');

        try {
            if (found)
                sessionStorage.setItem('openmrc-token', found);
            history.replaceState(null, '', location.pathname);
            return found ?? sessionStorage.getItem('openmrc-token');
        } catch {
            return found;
        }
    }

    async function getJson(path) {
        const answer = await fetch(path);
        const document_ = await answer.json();

        if (!answer.ok)
            throw new Error(document_.error ?? answer.statusText);
        return document_;
    }

    /* Returns what went wrong, or an empty text. */
    async function post(token, wish) {
        if (!token)
            return 'The buttons need the address that the command printed, with its token.';
        try {
            const answer = await fetch('/dashboard/wish', {
                method: 'POST', headers: { Authorization: 'Bearer ' + token, 'Content-Type': 'application/json' }, body: JSON.stringify(wish),
            });
            const found = await answer.json();

            return answer.ok ? '' : found.error ?? answer.statusText;
        } catch (error) {
            return String(error.message);
        }
    }

    /* ---- what is kept over time ---- */

    function makeHistory(planes) {
        const rows = { time: [], goodput: [], planes: Array.from({ length: planes }, () => []), reasons: reasons.map(() => []) };

        function columns() {
            return [rows.time, rows.goodput, ...rows.planes, ...rows.reasons];
        }

        function add(sample) {
            const seconds = Math.max(sample.interval_ms, 1) / 1000;

            rows.time.push(sample.time_ms / 1000);
            rows.goodput.push(sample.nics.goodput_bps);
            rows.planes.forEach((column, p) => column.push(sample.planes[p]?.bps ?? 0));
            rows.reasons.forEach((column, k) => column.push((sample.nics.retransmitted[reasons[k]] ?? 0) / seconds));
            if (rows.time.length > keptMax)
                for (const column of columns())
                    column.shift();
        }

        return { rows, add };
    }

    function makeCharts(planes) {
        const time = (value) => eventLog.clock(1000 * value).slice(0, 8);
        const shownPlanes = Math.min(planes, 8);
        const throughput = trends.make('Throughput', 'Payload that arrived, and what NICs send over each plane.', [
            { label: 'payload', color: () => theme.color('text') },
            ...Array.from({ length: shownPlanes }, (_, p) => ({ label: 'plane ' + p, color: lineOf(p) })),
        ], { format: units.rate, time });
        const repairs = trends.make('Retransmissions', 'Packets sent again per second, by cause.',
            reasons.map((reason, k) => ({ label: units.words(reason), color: lineOf(k) })), { format: units.count, time });

        function set({ rows }) {
            throughput.set([rows.time, rows.goodput, ...rows.planes.slice(0, shownPlanes)]);
            repairs.set([rows.time, ...rows.reasons]);
        }

        return { elements: [throughput.element, repairs.element], set };
    }

    /* ---- EVs of a QP ---- */

    function makeEvs() {
        const grid = evGrid.make();
        const select = dom.make('select', { 'aria-label': 'queue pair', 'data-choose': 'qp' });
        let listed = '';

        async function list() {
            const devices = await getJson('/dashboard/qps');
            const all = devices.flatMap(({ device, qps }) => qps.slice(0, 64).map((qp) => ({ value: device + ' ' + qp.qpn, text: device + ' QP ' + qp.qpn + ', ' + qp.state })));
            const text = JSON.stringify(all);

            if (text === listed)
                return;
            listed = text;
            const before = select.value;

            select.replaceChildren(...all.map(({ value, text: shown }) => dom.make('option', { value, selected: value === before }, shown)));
            if (!all.length)
                grid.set([], 'No process has a queue pair: ');
        }

        async function show() {
            const [device, qpn] = select.value.split(' ');

            if (!qpn)
                return;
            const answer = await getJson('/dashboard/evs?device=' + device + '&qpn=' + qpn);

            grid.set(answer.evs, device + ' QP ' + qpn + ': ');
        }

        /* One request at a time; a NIC that ends in between is not an error. */
        function repeat(work, interval) {
            work().catch(() => {}).finally(() => setTimeout(() => repeat(work, interval), interval));
        }

        grid.head.append(dom.make('label', {}, 'queue pair ', select));
        select.addEventListener('change', () => show().catch(() => {}));
        repeat(list, qpIntervalMs);
        repeat(show, evIntervalMs);
        return grid.element;
    }

    /* ---- the page ---- */

    function makeTiles() {
        return overview.tiles([
            ['goodput', 'Payload', 'arrived, all NICs'], ['down', 'Links down', 'of all planes'], ['impaired', 'Links impaired', 'or losing packets'],
            ['evs', 'EVs out of use', 'suspect, bad or denied'], ['repairs', 'Retransmitted', 'share of packets'], ['qps', 'Queue pairs', 'of open NICs'],
        ]);
    }

    function setTiles(tiles, sample, state, model) {
        const { nics, planes } = sample;
        const sum = (key) => planes.reduce((total, plane) => total + plane[key], 0);
        const out = (nics.evs.suspect ?? 0) + (nics.evs.bad ?? 0) + (nics.evs.denied ?? 0);
        const all = Object.values(nics.evs).reduce((total, count) => total + count, 0);
        const again = Object.values(nics.retransmitted).reduce((total, count) => total + count, 0);
        let lossy = 0;

        for (const i of state.touched)
            lossy += state.code[i] === fabricModel.at.lossy && !(state.bits[i] & 12) ? 1 : 0;
        tiles.set('goodput', units.rate(nics.goodput_bps));
        tiles.set('down', units.count(sum('down')) + ' of ' + units.count(model.linkCount), sum('down') > 0);
        tiles.set('impaired', units.count(sum('impaired') + lossy), sum('impaired') + lossy > 0);
        tiles.set('evs', units.count(out) + ' of ' + units.count(all), out > 0);
        tiles.set('repairs', nics.sent > 0 ? units.percent(again / nics.sent, 2) : units.none);
        tiles.set('qps', units.count(nics.qps));
    }

    function planeSummary(sample, plane) {
        const found = sample?.planes[plane];

        return found ? units.rate(found.bps) + (found.down ? ', ' + found.down + ' down' : '') + (found.impaired ? ', ' + found.impaired + ' impaired' : '') : '';
    }

    function build(main, layout, token) {
        const model = layout.shape ? fabricShape.fromFabric(layout.shape) : fabricModel.fromLayout(layout);
        const state = fabricModel.emptyState(model);
        const history_ = makeHistory(model.planes);
        const charts = makeCharts(model.planes);
        const tiles = makeTiles();
        const bars = overview.planeBars();
        const log = eventLog.make((event) => eventLog.clock(event.time_ms));
        const status = dom.make('span', { class: 'chip chip-plain', role: 'status', id: 'connection' }, 'connecting');
        const act = (wish) => post(token, wish);
        const canAct = layout.can.length > 0;
        const faults = overview.faultList(layout.can.includes('fault') ? act : null);
        let sample = null;
        const find = (name) => {
            const found = choice.findByName(name);

            if (found)
                view.choose(found);
        };
        const verdicts = overview.verdictList(layout.can.includes('drain') ? act : null, find);
        const view = fabricView.make({
            model, state, summary: (plane) => planeSummary(sample, plane), describe: (found) => fabricChoice.describe(model, state, found),
            onChoose: (found) => choice.choose(found),
        });
        const choice = fabricChoice.make({ model, state, can: canAct ? layout.can : [], act, find: (found) => view.choose(found) });

        document.title = layout.name + ' · OpenMRC fabric';
        main.append(
            dom.make('div', { class: 'head' }, dom.make('h1', {}, layout.name), dom.make('span', { class: 'note' },
                units.plural(model.nics, 'NIC') + ', ' + units.plural(model.planes, 'plane') + ', ' + units.plural(model.nodeCount - model.nics, 'switch').replace(/switchs$/, 'switches') + ', ' + units.plural(model.linkCount, 'link') +
                (layout.slower > 1 ? '; ' + layout.slower + ' times slower' : '')), status,
            dom.make('button', { type: 'button', class: 'plain', id: 'theme', onclick: theme.toggle }, 'light or dark')),
            tiles.element,
            dom.make('div', { class: 'layout' },
                dom.make('div', {}, dom.card('Fabric', null, fabricView.legend(), view.element), ...charts.elements),
                dom.make('div', {}, choice.element, verdicts.element, faults.element, bars.element, makeEvs())),
            log.element);
        document.body.classList.add('wide');

        function onSample(next) {
            if (next.error) {
                status.textContent = next.error;
                return;
            }
            sample = next;
            status.textContent = 'live';
            status.className = 'chip chip-good';
            fabricModel.apply(model, state, sample.links);
            fabricModel.mark(model, state, (sample.verdicts ?? []).map(({ where }) => where), fabricModel.bits.accused);
            fabricModel.mark(model, state, sample.drained ?? [], fabricModel.bits.drained);
            history_.add(sample);
            charts.set(history_);
            setTiles(tiles, sample, state, model);
            bars.set([{ name: layout.name, planes: sample.planes }]);
            faults.set(sample.faults ?? []);
            verdicts.set(sample.verdicts ?? [], sample.drained ?? [], layout.kind === 'controller');
            choice.update();
            view.draw();
            document.documentElement.dataset.samples = history_.rows.time.length;
        }

        return { onSample, log, status };
    }

    async function start(main) {
        const token = takeToken();
        const layout = await getJson('/dashboard/layout');
        const page = build(main, layout, token);
        const stream = new EventSource('/dashboard/stream');

        stream.addEventListener('sample', (event) => page.onSample(JSON.parse(event.data)));
        stream.addEventListener('event', (event) => page.log.add([JSON.parse(event.data)]));
        stream.addEventListener('log', async (event) => {
            page.log.set(JSON.parse(event.data));
            /* After a lost connection, it may be another fabric. */
            if (JSON.stringify(await getJson('/dashboard/layout')) !== JSON.stringify(layout))
                location.reload();
        });
        stream.addEventListener('error', () => {
            page.status.textContent = 'no connection; trying again';
            page.status.className = 'chip chip-bad';
        });
    }

    return { start };
})();
