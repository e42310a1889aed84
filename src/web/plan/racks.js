/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs, their NICs and their racks, as all shapes of fabrics have them. `stage` is that of scenes.js. */
const racks = (() => {
    const { number, text } = strokes;
    const plural = (count, noun) => number(count) + ' ' + noun + (count === 1 ? '' : noun.endsWith('switch') ? 'es' : 's');

    function rackBar(stage, top) {
        const { fabric } = stage;
        const row = strokes.blocks({
            left: 0, width: stage.width, top, height: 30, count: fabric.gpu_racks, first: 0, most: Math.floor(stage.width / 9), color: 7,
            label: (first, count) => count === 1 ? 'rack ' + number(first) : 'racks ' + number(first) + ' to ' + number(first + count - 1),
            open: (first) => stage.go({ at: 'rack', rack: first }),
        });

        return [...row.elements, text(stage.width / 2, top + 76, plural(fabric.gpus, 'GPU') + ' and NICs in ' + plural(fabric.gpu_racks, 'rack'), 'strong')];
    }

    function nicAt(stage, nic) {
        return (nic + 0.5) / stage.fabric.gpus * stage.width;
    }

    /* Marks both ends of a path below the racks. */
    function ends(stage, way, y) {
        return [way.from, way.to].flatMap((nic) => {
            const x = nicAt(stage, nic);
            const anchor = x < 60 ? 'start' : x > stage.width - 60 ? 'end' : 'middle';

            return [strokes.mark(x, y), text(Math.min(Math.max(x, 4), stage.width - 4), y + 24, 'h' + nic, 'end-name', anchor)];
        });
    }

    /* NICs by rack: [{ rack, nics }]. */
    function byRack(stage, nics) {
        const racks = new Map();

        for (const nic of nics) {
            const rack = Math.floor(nic / stage.fabric.gpus_per_rack);

            racks.set(rack, [...racks.get(rack) ?? [], nic]);
        }
        return [...racks].map(([rack, list]) => ({ rack, nics: list }));
    }

    function rackBoxes(stage, racks, top) {
        const cell = 11;
        const columns = 9;
        const boxWidth = columns * cell + 14;
        const perRow = Math.max(1, Math.floor((stage.width + 10) / (boxWidth + 10)));
        const rows = Math.max(...racks.map(({ nics }) => Math.ceil(nics.length / columns)));
        const boxHeight = rows * cell + 32;
        const elements = [];

        racks.forEach(({ rack, nics }, i) => {
            const inRow = Math.min(perRow, racks.length - Math.floor(i / perRow) * perRow);
            const left = (stage.width - inRow * (boxWidth + 10) + 10) / 2 + i % perRow * (boxWidth + 10);
            const y = top + Math.floor(i / perRow) * (boxHeight + 10);
            const open = () => stage.go({ at: 'rack', rack });
            const box = dom.svg('g', { class: 'rack opens', tabindex: 0, role: 'button' }, dom.svg('title', {}, 'rack ' + rack),
                dom.svg('rect', { x: left, y, width: boxWidth, height: boxHeight, rx: 6 }), text(left + 7, y + 16, 'rack ' + number(rack) + ' · ' + nics.length, 'small', 'start'),
                ...nics.map((nic, k) => dom.svg('rect', {
                    x: left + 7 + k % columns * cell, y: y + 24 + Math.floor(k / columns) * cell, width: cell - 2, height: cell - 2, rx: 2,
                    class: 'nic' + (stage.way && (nic === stage.way.from || nic === stage.way.to) ? ' marked' : ''),
                }, dom.svg('title', {}, 'h' + nic))));

            box.addEventListener('click', open);
            box.addEventListener('keydown', (event) => event.key === 'Enter' && open());
            elements.push(box);
        });
        return { elements, height: Math.ceil(racks.length / perRow) * (boxHeight + 10) };
    }

    function switchBox(stage, name, plane, y) {
        return [dom.svg('rect', { x: stage.width / 2 - 90, y, width: 180, height: 38, rx: 7, class: 'block', style: '--own: var(--line-' + plane % 8 + ')' }),
            text(stage.width / 2, y + 24, name, 'inside')];
    }

    /* portName(nic, port): the switch at a port of a NIC. */
    function rack(stage, view, portName) {
        const { fabric, width } = stage;
        const first = view.rack * fabric.gpus_per_rack;
        const count = Math.min(fabric.gpus_per_rack, fabric.gpus - first);
        const columns = width > 900 ? 4 : width > 560 ? 3 : 2;
        const rows = Math.ceil(count / columns);
        const ports = stage.model.isRailOnly ? 1 : fabric.nic_ports;
        const square = Math.min(14, (width / columns - 78) / ports);
        const elements = [];

        for (let i = 0; i < count; i++) {
            const nic = first + i;
            const x = Math.floor(i / rows) * width / columns;
            const y = 12 + i % rows * 20;
            const isEnd = stage.way && (nic === stage.way.from || nic === stage.way.to);

            elements.push(text(x + 62, y + 11, 'h' + nic, isEnd ? 'end-name' : 'small', 'end'));
            for (let port = 0; port < ports; port++)
                elements.push(dom.svg('rect', {
                    x: (x + 70 + port * square).toFixed(1), y, width: (square - 2).toFixed(1), height: 14, rx: 2, class: 'block' + (isEnd ? ' marked' : ''),
                    style: '--own: var(--line-' + (stage.model.isRailOnly ? nic % fabric.rails : port) % 8 + ')',
                }, dom.svg('title', {}, 'h' + nic + ' port ' + port + ' to ' + portName(nic, port))));
        }
        return {
            height: rows * 20 + 20, elements,
            caption: 'Rack ' + number(view.rack) + ': ' + plural(count, 'GPU') + '. h' + first + ' is connected to ' +
                Array.from({ length: Math.min(ports, 3) }, (_, port) => portName(first, port)).join(', ') + (ports > 3 ? ', ... ' + portName(first, ports - 1) : '') + '.',
        };
    }

    return { plural, rackBar, nicAt, ends, byRack, rackBoxes, switchBox, rack };
})();
