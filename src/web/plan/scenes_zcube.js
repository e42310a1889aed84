/* SPDX-License-Identifier: Apache-2.0 */
/* The views of a ZCube: its levels, a switch with its NICs, a rack. */
const scenesZcube = (() => {
    const { number, text } = strokes;

    function levelRow(stage, level, top, shown) {
        const { fabric, width, way } = stage;
        const tier = fabric.tiers[level];

        return strokes.blocks({
            left: 0, width, top, height: 34, first: shown?.first ?? 0, count: shown?.count ?? tier.switches, most: Math.floor(width / 12), color: level,
            label: (first, count) => 'p0.t' + level + '.' + first + (count > 1 ? ' to ' + (first + count - 1) : '') + ': ' + number(tier.host_ports * count) + ' NICs',
            open: (first, count) => stage.go(count > 1 ? { at: 'range', level, range: { first, count } } : { at: 'switch', level, index: first }),
            isMarked: (first, count) => way?.paths.some(({ places }) => places.some((place) => place.level === level && place.index >= first && place.index < first + count)),
        });
    }

    function wayLines(stage, rows, tops, nicTop) {
        return stage.way.paths.map(({ places }, index) => strokes.line([[racks.nicAt(stage, stage.way.from), nicTop],
            ...places.map((place) => [rows[place.level].middle(place.index), tops[place.level] + 17]), [racks.nicAt(stage, stage.way.to), nicTop]],
        'way' + (index === stage.way.plane ? ' chosen' : '')));
    }

    function overview(stage) {
        const { fabric, model, width } = stage;
        const tops = fabric.tiers.map((_, level) => 40 + (model.k - 1 - level) * 130);
        const rows = fabric.tiers.map((_, level) => levelRow(stage, level, tops[level]));
        const nicTop = tops[0] + 34 + 90;
        const elements = [];

        for (let level = 0; level + 1 < model.k; level++)
            elements.push(strokes.mesh(rows[level + 1], tops[level + 1] + 34, rows[level], tops[level], level));
        elements.push(strokes.band(0, width, tops[0] + 34, 0, width, nicTop, 0));
        if (stage.way)
            elements.push(...wayLines(stage, rows, tops, nicTop));
        fabric.tiers.forEach((tier, level) => {
            const { elements: blocks, size } = rows[level];

            elements.push(...blocks, text(0, tops[level] - 10, 'level ' + level + ': ' + number(tier.switches) + ' switches' + (size > 1 ? ', ' + size + ' in a block' : ''), 'strong', 'start'));
            if (level + 1 < model.k)
                elements.push(strokes.plate(width / 2, tops[level] - 46, number(tier.up_links) + ' links'));
        });
        elements.push(strokes.plate(width / 2, nicTop - 44, width > 520 ? 'every NIC has a port to each level' : 'a port to each level'), ...racks.rackBar(stage, nicTop));
        if (stage.way)
            elements.push(...racks.ends(stage, stage.way, nicTop + 30));
        return {
            height: nicTop + 92, elements,
            caption: 'ZCube(' + model.n + ', ' + model.k + '): a switch has ' + number(fabric.tiers[0].host_ports) + ' NICs and ' + number(model.n) +
                ' links to each neighbouring level.',
            opens: 'a switch or a rack',
        };
    }

    function range(stage, view) {
        const row = levelRow(stage, view.level, 40, view.range);

        return { height: 90, elements: [...row.elements, text(0, 28, 'level ' + view.level, 'strong', 'start')], caption: 'Level ' + view.level + '.', opens: 'a switch' };
    }

    function node(stage, view) {
        const { fabric, model } = stage;
        const nics = Array.from({ length: model.n }, (_, port) => model.nicOf(view.level, view.index, port)).filter((nic) => nic < fabric.gpus);
        const shown = racks.byRack(stage, nics).slice(0, 240);
        const boxes = racks.rackBoxes(stage, shown, 130);

        return {
            height: 136 + boxes.height,
            elements: [strokes.band(stage.width / 2 - 90, stage.width / 2 + 90, 58, 0, stage.width, 120, view.level),
                ...racks.switchBox(stage, 'p0.t' + view.level + '.' + view.index, view.level, 20),
                strokes.plate(stage.width / 2, 90, racks.plural(nics.length, 'NIC')), ...boxes.elements],
            caption: 'NICs whose numbers differ in digit ' + view.level + ' only.', opens: 'a rack',
        };
    }

    function rack(stage, view) {
        return racks.rack(stage, view, (nic, port) => 'p0.t' + port + '.' + stage.model.without(nic, port));
    }

    return { overview, range, node, rack };
})();
