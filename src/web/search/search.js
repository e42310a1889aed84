/* SPDX-License-Identifier: Apache-2.0 */
/* The search inside the page: its answer, a plot, fronts as tables, the space and the method. */
(() => {
    const data = JSON.parse(document.getElementById('search').textContent);
    const objectives = new Map(data.objectives.map((objective) => [objective.name, objective]));
    const checked = data.points.filter((point) => point.checked);
    const chosen = { x: 'cost', y: 'goodput', shade: 'recovery', point: null };

    const formats = {
        rate: units.rate, time: units.time, count: units.count, fraction: (share) => units.percent(share),
        usd: (value) => units.isNumber(value) ? '$' + value.toLocaleString('en-US', { maximumFractionDigits: 0 }) : units.none,
        watts: (value) => units.isNumber(value) ? units.count(value) + ' W' : units.none,
    };

    /* ---- texts ---- */

    function settings(point) {
        const entries = Object.entries(point.settings);

        return entries.length ? entries.map(([key, value]) => key.replace(/^parameters\./, '') + '=' + value).join(', ') : 'usual values';
    }

    function shown(objective, interval) {
        if (!units.isNumber(interval?.mean))
            return 'none';
        return formats[objective.unit](interval.mean) + (interval.half_width > 0 ? ' ± ' + formats[objective.unit](interval.half_width) : '');
    }

    function values(point) {
        return data.objectives.map((objective) => objective.name + ' ' + (point.checked ? shown(objective, point.checked[objective.name]) : formats[objective.unit](point.chosen[objective.name]))).join(', ');
    }

    function label(point) {
        return point.name + ', ' + settings(point) + ': ' + values(point) + (point.checked ? '' : ' (not checked)');
    }

    /* ---- the plot ---- */

    function coordinate(point, name) {
        return point.checked ? point.checked[name].mean : point.chosen[name];
    }

    function half(point, name) {
        return point.checked?.[name].half_width ?? 0;
    }

    function shadeOf(point) {
        const all = data.points.map((one) => coordinate(one, chosen.shade)).filter(units.isNumber);
        const [least, most] = [Math.min(...all), Math.max(...all)];
        const value = coordinate(point, chosen.shade);

        return units.isNumber(value) && most > least ? (value - least) / (most - least) : 1;
    }

    function plotted(point) {
        return { id: point.id, x: coordinate(point, chosen.x), y: coordinate(point, chosen.y), xHalf: half(point, chosen.x), yHalf: half(point, chosen.y), shade: shadeOf(point),
            label: label(point), isTried: !point.checked, isFront: point.on_front, isStar: point.is_beyond_alone, isPicked: point.id === chosen.point };
    }

    /* The points of a front that are also best in the two objectives of the axes. */
    function edge(points) {
        const sign = (name) => objectives.get(name).goal === 'most' ? -1 : 1;
        const sorted = points.map(plotted).filter(isPlain).sort((a, b) => sign(chosen.x) * (a.x - b.x) || sign(chosen.y) * (a.y - b.y));
        let best = Infinity;

        return sorted.filter((point) => sign(chosen.y) * point.y < best && ((best = sign(chosen.y) * point.y), true));
    }

    function isPlain(point) {
        return units.isNumber(point.x) && units.isNumber(point.y);
    }

    function axis(name) {
        const objective = objectives.get(name);

        return { title: name + ({ usd: ' for a GPU', watts: ' for a GPU' }[objective.unit] ?? ''), format: formats[objective.unit] };
    }

    function onPick(id, isKept) {
        const point = data.points.find((one) => one.id === id);

        document.getElementById('readout').textContent = label(point);
        if (!isKept)
            return;
        chosen.point = id;
        draw();
        for (const row of document.querySelectorAll('tr[data-id]'))
            row.classList.toggle('selected', row.dataset.id === String(id));
    }

    function draw() {
        const place = document.getElementById('plot');
        const lines = [
            { className: 'alone apart', points: edge(checked.filter((point) => point.on_parameters_front)) },
            { className: 'alone', points: edge(checked.filter((point) => point.on_topology_front)) },
            { className: 'front', points: edge(checked.filter((point) => point.on_front)) }];
        const rank = (point) => Boolean(point.checked) + point.on_front + point.is_beyond_alone; /* the last is drawn on top */
        const points = [...data.points].sort((a, b) => rank(a) - rank(b)).map(plotted).filter(isPlain);

        place.replaceChildren(points.length ? scatter.draw({ x: axis(chosen.x), y: axis(chosen.y), points, lines, onPick }, Math.max(place.clientWidth, 300)) : 'no point has both figures');
    }

    function choice(role, text) {
        return dom.make('label', {}, text, dom.make('select', { id: 'choose-' + role, onchange: (event) => { chosen[role] = event.target.value; draw(); } },
            data.objectives.map(({ name }) => dom.make('option', { value: name, selected: name === chosen[role] }, name))));
    }

    function plotCard() {
        const key = (className, text) => dom.make('span', { class: 'key' }, dom.make('i', { class: className }), text);

        return dom.card('All points', 'Large: measured with the check seeds, with 95 % confidence intervals. Small: only tried. A star is a point that no search over topologies or parameters alone finds. Choose a point to find it in the tables.',
            dom.make('div', { class: 'choices' }, choice('x', 'across'), choice('y', 'up'), choice('shade', 'colour')),
            dom.make('div', { id: 'plot', class: 'plot' }),
            dom.make('div', { class: 'keys' }, key('line', 'front'), key('line dashed', 'topologies alone'), key('line dotted', 'parameters alone'),
                dom.make('span', { class: 'key' }, 'colour: low', dom.make('span', { class: 'scale' }), 'high')),
            dom.make('p', { id: 'readout', class: 'readout' }));
    }

    /* ---- tables ---- */

    function mark(point) {
        return point.is_beyond_separate ? '★★' : point.is_beyond_alone ? '★' : '';
    }

    function frontTable(points) {
        const sorted = [...points].sort((a, b) => coordinate(a, chosen.x) - coordinate(b, chosen.x));
        const table = dom.table(['', 'topology', ...data.objectives.map(({ name }) => name), 'dominates', 'values'], sorted.map((point) => [
            dom.make('span', { class: 'beyond' }, mark(point)), point.name, ...data.objectives.map((objective) => shown(objective, point.checked[objective.name])),
            units.count(point.dominates), dom.make('span', { class: 'values' }, settings(point))]));

        table.querySelectorAll('tbody tr').forEach((row, index) => { row.dataset.id = sorted[index].id; });
        return table;
    }

    function fronts() {
        const pick = (key) => checked.filter((point) => point[key]);
        const steps = data.objectives.map(({ name, unit, step }) => name + ' ' + formats[unit](step)).join(', ');

        return [
            dom.card('The front', 'No other point is better in one objective and not worse in the others. Differences below these steps do not count: ' + steps + '. “Dominates” counts points that were tried.', frontTable(pick('on_front'))),
            dom.card('Topologies alone', 'The front of all topologies with the usual values.', frontTable(pick('on_topology_front'))),
            dom.card('Parameters alone', 'The front of all values on the usual topology, ' + data.space.topologies[0].name + '.', frontTable(pick('on_parameters_front')))];
    }

    /* ---- the answer ---- */

    function answerText() {
        const { beyond_alone: alone, beyond_separate: separate, front } = data.answer;

        if (!alone)
            return ['In the space searched, a search over topologies or parameters alone finds a point as good as each of the ' + front + ' points of the front.', null];
        return [units.plural(alone, 'point') + ' of the ' + front + ' on the front ' + (alone === 1 ? 'is' : 'are') + ' out of reach of a search over topologies or parameters alone (★).',
            separate ? 'For ' + separate + ' of them (★★), combining what both searches found does not help either: topology and values must be chosen together.' :
                'Combining what both searches found gives points that are as good: the two searches can be done one after the other.'];
    }

    function answerCard() {
        const { found, stayed } = data.answer;

        return dom.card('The answer', null, answerText().filter(Boolean).map((text) => dom.make('p', { class: 'answer' }, text)),
            dom.make('p', { class: 'note' }, 'A point counts only if for every checked point of the separate searches there is an objective in which it is better by more than a step and by more than chance explains (99 %, paired by seed). All figures are from seeds that had no part in choosing the points: of ' +
                found + ' points on the front of the search, ' + stayed + ' stayed on it.'));
    }

    /* ---- the space and the method ---- */

    function spaceCard() {
        const { topologies, refused, parameters, points } = data.space;
        const middle = ({ least, most }) => (least + most) / 2 / data.gpus;

        return dom.card('The space', units.count(points) + ' points: ' + units.plural(topologies.length, 'topology').replace('topologys', 'topologies') + ' for ' + data.gpus + ' GPUs with ' + units.rate(data.nic_bps) + ' and switches of ' + units.rate(data.switch_bps) + ', and the values of ' + units.plural(parameters.length, 'key') + '. Costs are those of mrc plan: the middle of a range of resellers’ prices.',
            dom.table(['topology', 'NIC ports', 'tiers', 'switches', 'links', 'oversubscription', 'cost for a GPU', 'power for a GPU'], topologies.map((one) =>
                [one.name, one.nic_ports, one.tiers, units.count(one.switches), units.count(one.links), units.count(one.oversubscription) + ' : 1', formats.usd(middle(one.usd)), formats.watts(middle(one.watts))])),
            dom.make('h3', {}, 'Keys and values'), dom.table(['key', 'values beside the usual one'], parameters.map(({ key, values: list }) => [key, list.join(', ')])),
            refused.length ? [dom.make('h3', {}, 'Not possible'), dom.table(['topology', 'reason'], refused.map(({ name, reason }) => [name, dom.make('span', { class: 'reason' }, reason)]))] : null);
    }

    function methodCard() {
        const { tried, seeds, check_seeds: checks, points_each: each, has_all_topologies: allTopologies, has_all_parameters: allParameters, has_all: all } = data.method;

        return dom.card('The method', 'All topologies are tried. The searches over parameters and over both try at most ' + each + ' points each: all if there are no more, otherwise random ones and then neighbours of the front. The search over both begins with what the others found.',
            dom.table(['search', 'points tried', ''], [
                ['topologies', units.count(tried.topologies), allTopologies ? 'all of them' : ''], ['parameters', units.count(tried.parameters), allParameters ? 'all of them' : ''],
                ['combinations of both fronts', units.count(tried.combinations), ''], ['both', units.count(tried.both), all ? 'all of them' : ''],
                ['checked', units.count(tried.check), units.plural(checks, 'seed') + ' each; chosen by ' + units.plural(seeds, 'other seed')]]),
            dom.make('h3', {}, 'Objectives'), dom.table(['objective', 'figure', 'goal', 'cases'], data.objectives.map(({ name, figure, goal, cases }) => [name, figure, goal, cases?.join(', ') ?? (figure.endsWith('_usd') || figure.endsWith('_w') ? 'of the topology' : 'all')])));
    }

    /* ---- the page ---- */

    function head() {
        const chip = (text) => dom.make('span', { class: 'chip chip-plain' }, text);

        document.title = data.title + ' · OpenMRC search';
        return dom.make('header', { class: 'top' },
            dom.make('div', { class: 'kicker' }, dom.make('span', {}, 'OpenMRC search · ' + data.name),
                dom.make('button', { type: 'button', class: 'plain', id: 'theme', title: 'light or dark', onclick: theme.toggle }, '◐ theme')),
            dom.make('h1', {}, data.title),
            dom.make('div', { class: 'chips' }, chip(units.count(data.gpus) + ' GPUs'), chip(units.plural(data.points.length, 'point') + ' tried'), chip(checked.length + ' checked'),
                chip(data.answer.front + ' on the front'), data.method.is_out_of_time ? chip('out of time') : null, chip('mrc ' + data.version)));
    }

    function start() {
        const names = data.objectives.map(({ name }) => name);

        for (const [index, role] of ['x', 'y', 'shade'].entries())
            if (!names.includes(chosen[role]))
                chosen[role] = names[index % names.length];
        document.getElementById('page').append(head(), answerCard(), plotCard(), ...fronts(), spaceCard(), methodCard());
        document.getElementById('footer').append(dom.make('p', {}, 'Simulated with the transport and the switches of OpenMRC. Prices are those of resellers: compare, do not budget.'));
        draw();
        addEventListener('resize', draw);
        document.documentElement.dataset.ready = String(data.points.length);
    }

    start();
})();
