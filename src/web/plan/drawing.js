/* SPDX-License-Identifier: Apache-2.0 */
/* The card with the drawing: what is looked at, the chosen pair, and its paths. */
const drawing = (() => {
    const { number } = strokes;
    const printWidth = 1060; /* scaled down to the paper */

    function card(fabric) {
        let isPrinting = false;
        const model = shape.of(fabric);
        const isZcube = model.kind === 'zcube';
        const host = dom.svg('svg', { class: 'drawing', role: 'img' });
        const plane = dom.svg('svg', { class: 'drawing on-paper' }); /* paper cannot be zoomed */
        const crumbs = dom.make('nav', { class: 'crumbs', 'aria-label': 'what is drawn' });
        const caption = dom.make('p', { class: 'note' });
        const described = dom.make('div', { class: 'path-text' });
        const sliders = dom.make('span', { class: 'choices-inline' });
        const state = { view: { at: 'fabric' }, from: Math.floor(fabric.gpus * 0.131), to: Math.floor(fabric.gpus * 0.817), plane: 0, choices: [] };
        const from = nicInput('from', state.from);
        const to = nicInput('to', state.to);

        function nicInput(name, value) {
            return dom.make('input', { type: 'number', min: 0, max: fabric.gpus - 1, value, 'aria-label': name, onchange: () => setPair() });
        }

        function setPair(first = Number(from.value), second = Number(to.value)) {
            const clamp = (nic) => Math.min(Math.max(Math.trunc(nic) || 0, 0), fabric.gpus - 1);

            state.from = clamp(first);
            state.to = clamp(second);
            from.value = state.from;
            to.value = state.to;
            pickUplinks();
            makeSliders();
            render();
        }

        /* Uplinks near the middle: the first would be drawn at the edge. */
        function pickUplinks() {
            state.choices = fabric.tiers.map((tier) => Math.floor(tier.up_ports * 3 / 8));
        }

        function go(view) {
            state.view = view;
            if (view.plane !== undefined && !isZcube)
                state.plane = view.plane;
            makeSliders();
            render();
        }

        /* ---- the path ---- */

        function way() {
            if (state.from === state.to || fabric.gpus < 2)
                return null;
            if (isZcube)
                return { from: state.from, to: state.to, plane: state.plane, paths: [true, false].map((isUpward) => model.path(state.from, state.to, isUpward)) };
            const pair = model.pair(state.from, state.to);
            const plane = model.isRailOnly ? state.from % fabric.rails : state.plane;

            return pair.isApart ? null : { ...pair, from: state.from, to: state.to, plane, choices: state.choices };
        }

        function slider(name, most, value, take) {
            const shown = dom.make('output', {}, String(value));
            const input = dom.make('input', { type: 'range', min: 0, max: most, value, 'aria-label': name, oninput: () => {
                shown.textContent = input.value;
                take(Number(input.value));
                render();
            } });

            return dom.make('label', {}, name + ' ', input, shown);
        }

        function makeSliders() {
            const chosen = way();
            const list = [];

            if (chosen && isZcube)
                list.push(slider('path', 1, state.plane = Math.min(state.plane, 1), (value) => { state.plane = value; }));
            if (chosen && !isZcube) {
                if (!model.isRailOnly && fabric.planes > 1)
                    list.push(slider('plane', fabric.planes - 1, state.plane, (value) => {
                        state.plane = value;
                        if (state.view.plane !== undefined)
                            state.view = { ...state.view, plane: value };
                    }));
                chosen.uplinks.forEach((ports, tier) => list.push(slider('uplink of T' + tier, ports - 1, state.choices[tier] ?? 0, (value) => { state.choices[tier] = value; })));
            }
            sliders.replaceChildren(...list);
        }

        function countPaths({ count, planes, uplinks }) {
            const factors = uplinks.map((ports, tier) => number(ports) + ' uplinks of T' + tier);

            if (!factors.length)
                return number(count) + (count === 1 ? ' path' : ' paths, one in each plane');
            return number(count) + ' paths: ' + [...planes > 1 ? [planes + ' planes'] : [], ...factors].join(' × ');
        }

        function describe(chosen) {
            if (!chosen)
                return [fabric.gpus > 1 && state.from !== state.to ?
                    'These NICs are in different rails: packets pass the GPU of the other rail in the same server.' : 'Choose two NICs.'];
            const nodes = isZcube ? chosen.paths[chosen.plane].nodes : model.path(chosen.from, chosen.to, chosen.plane, chosen.choices).nodes;

            return [(isZcube ? 'The two shortest paths' : countPaths(chosen)) + ', over ' + racks.plural(nodes.length - 2, 'switch') + '. The chosen one: ',
                dom.make('span', { class: 'mono' }, nodes.join(' → '))];
        }

        /* ---- what is looked at ---- */

        /* [text, view] from the whole to the part. */
        function trail() {
            const { view } = state;
            const steps = [['fabric', { at: 'fabric' }]];

            if (view.at === 'rack')
                steps.push(['rack ' + number(view.rack), view]);
            if (view.at === 'range' || view.at === 'switch')
                steps.push(['level ' + view.level, { at: 'range', level: view.level, range: view.range ?? { first: view.index, count: 1 } }]);
            if (view.at === 'switch')
                steps.push(['p0.t' + view.level + '.' + view.index, view]);
            if (view.at === 'unit') {
                for (let level = model.highest; level >= view.level; level--) {
                    const index = Math.floor(view.index / (model.leavesOf(level) / model.leavesOf(view.level)));

                    steps.push([level === model.highest ? scenes.planeName({ model }, view.plane) : level === 0 ? 'T0 ' + index : scenes.unitName(level) + ' ' + index,
                        { at: 'unit', plane: view.plane, level, index }]);
                }
                if (view.range)
                    steps.push([number(view.range.first) + ' to ' + number(view.range.first + view.range.count - 1), view]);
            }
            return steps;
        }

        function scene(stage, view) {
            if (view.at === 'rack')
                return isZcube ? scenesZcube.rack(stage, view) : scenes.closRack(stage, view);
            if (isZcube)
                return view.at === 'fabric' ? scenesZcube.overview(stage) : view.at === 'range' ? scenesZcube.range(stage, view) : scenesZcube.node(stage, view);
            return view.at === 'fabric' ? scenes.overview(stage) : scenes.unit(stage, view);
        }

        function rackSteps() {
            const { view } = state;
            const step = (text, rack) => dom.make('button', {
                type: 'button', class: 'plain', disabled: rack < 0 || rack >= fabric.gpu_racks, onclick: () => go({ at: 'rack', rack }),
            }, text);

            return view.at === 'rack' ? [step('◀', view.rack - 1), step('▶', view.rack + 1)] : [];
        }

        /* Returns what is said about the drawing. */
        function fill(svg, { width }, { height, elements, caption: said, opens }) {
            svg.setAttribute('viewBox', '-1 0 ' + (width + 2) + ' ' + height);
            svg.replaceChildren(...elements);
            return [said, opens ? dom.make('span', { class: 'on-screen' }, ' Choose ' + opens + ' to look closer.') : ''];
        }

        function render() {
            const width = isPrinting ? printWidth : Math.max(300, Math.floor(host.parentElement.clientWidth));
            const chosen = way();
            const stage = { width, fabric, model, way: chosen, go };
            const steps = trail();

            caption.replaceChildren(...fill(host, stage, scene(stage, state.view)));
            if (isPrinting && !isZcube && state.view.at === 'fabric' && model.highest > 0)
                fill(plane, stage, scene(stage, { at: 'unit', plane: chosen?.plane ?? 0, level: model.highest, index: 0 }));
            crumbs.replaceChildren('zoom: ', ...steps.flatMap(([name, view], index) => [index ? ' › ' : '', index < steps.length - 1 ?
                dom.make('button', { type: 'button', class: 'link', onclick: () => go(view) }, name) : dom.make('strong', {}, name)]), ...rackSteps());
            described.replaceChildren(...describe(chosen));
        }

        function random() {
            setPair(Math.floor(Math.random() * fabric.gpus), Math.floor(Math.random() * fabric.gpus));
        }

        const element = dom.card('The fabric', null,
            dom.make('div', { class: 'path-choice filters' }, dom.make('label', {}, 'paths from h', from), dom.make('label', {}, 'to h', to),
                dom.make('button', { type: 'button', class: 'plain', onclick: random }, 'another pair'), sliders),
            described, crumbs, dom.make('div', { class: 'stage' }, host), caption, plane);

        pickUplinks();
        makeSliders();
        return { element, start: () => {
            let width = 0;

            new ResizeObserver(([entry]) => {
                if (Math.abs(entry.contentRect.width - width) > 1) {
                    width = entry.contentRect.width;
                    render();
                }
            }).observe(host.parentElement);
            for (const [name, isBefore] of [['beforeprint', true], ['afterprint', false]])
                addEventListener(name, () => {
                    isPrinting = isBefore;
                    render();
                });
            render();
        } };
    }

    return { card };
})();
