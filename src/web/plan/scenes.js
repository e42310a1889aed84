/* SPDX-License-Identifier: Apache-2.0 */
/* The views of the drawing: all planes, a unit of a plane, a leaf, a rack. Each returns { height, elements, caption, opens }; opens: what can be chosen. stage: { width, fabric, model,
 * way, go }; way: the chosen pair and path, or null; go(view) zooms. */
const scenes = (() => {
    const { number, text } = strokes;
    const { plural } = racks;

    function tierName(tier) {
        return 'T' + tier;
    }

    /* A pod, a cluster, ...: a unit below the highest tier. */
    function unitName(level) {
        return level === 0 ? 'T0' : level === 1 ? 'pod' : 'cluster';
    }

    function rangeName(name, first, count) {
        return name + first + (count > 1 ? ' to ' + (first + count - 1) : '');
    }

    function planeName({ model }, plane) {
        return (model.isRailOnly ? 'rail ' : 'plane ') + plane;
    }

    /* ---- all planes ---- */

    function planeCard(stage, plane, left, width, top) {
        const { fabric } = stage;
        const highest = fabric.tiers.length - 1;
        const isWide = width > 118;
        const elements = [text(left + width / 2, top - 8, isWide ? planeName(stage, plane) : String(plane), 'strong')];

        fabric.tiers.forEach((tier, index) => {
            const y = top + (highest - index) * 78;
            const open = () => stage.go({ at: 'unit', plane, level: highest, index: 0 });
            const bar = dom.svg('rect', {
                x: left, y, width, height: 26, rx: 5, class: 'block opens', style: '--own: var(--line-' + plane % 8 + ')', tabindex: 0, role: 'button',
            }, dom.svg('title', {}, planeName(stage, plane) + ': ' + plural(tier.switches, tierName(index) + ' switch')));

            bar.addEventListener('click', open);
            bar.addEventListener('keydown', (event) => event.key === 'Enter' && open());
            elements.push(bar);
            if (isWide)
                elements.push(text(left + width / 2, y + 17.5, number(tier.switches) + ' ' + tierName(index), 'inside'));
            if (index < highest) {
                elements.push(strokes.band(left, left + width, y - 52, left, left + width, y, plane));
                if (isWide)
                    elements.push(text(left + width / 2, y - 21, number(tier.up_links) + ' links', 'small'));
            }
        });
        return elements;
    }

    /* Where the path passes a plane of the overview. */
    function cardPoints(stage, way, plane, left, width, top, nicTop) {
        const highest = stage.fabric.tiers.length - 1;
        const nodes = stage.model.path(way.from, way.to, plane, way.choices).nodes.slice(1, -1);

        return [[racks.nicAt(stage, way.from), nicTop], ...nodes.flatMap((node, hop) => {
            const [, tier, index] = node.match(/t(\d+)\.(\d+)$/).map(Number);
            const x = left + (index + 0.5) / stage.fabric.tiers[tier].switches * width;
            const y = top + (highest - tier) * 78;

            return tier === way.level ? [[x, y + 24]] : hop < tier + 1 ? [[x, y + 26], [x, y]] : [[x, y], [x, y + 26]];
        }), [racks.nicAt(stage, way.to), nicTop]];
    }

    function overview(stage) {
        const { fabric, width, way } = stage;
        const gap = width > 700 ? 14 : 4;
        const card = (width - gap * (fabric.planes - 1)) / fabric.planes;
        const top = 30;
        const bottom = top + (fabric.tiers.length - 1) * 78 + 26;
        const nicTop = bottom + 86;
        const elements = [];

        for (let plane = 0; plane < fabric.planes; plane++)
            elements.push(strokes.band(plane * (card + gap), plane * (card + gap) + card, bottom, 0, width, nicTop, plane, 'ribbon'));
        for (let plane = 0; plane < fabric.planes; plane++)
            elements.push(...planeCard(stage, plane, plane * (card + gap), card, top));
        elements.push(...racks.rackBar(stage, nicTop));
        if (way) {
            for (let plane = 0; plane < fabric.planes; plane++)
                if (!stage.model.isRailOnly || plane === way.from % fabric.rails)
                    elements.push(strokes.line(cardPoints(stage, way, plane, plane * (card + gap), card, top, nicTop), 'way' + (plane === way.plane ? ' chosen' : '')));
            elements.push(...racks.ends(stage, way, nicTop + 30));
        }
        return { height: nicTop + 92, elements, caption: overviewCaption(stage), opens: 'a plane or a rack' };
    }

    function overviewCaption({ fabric, model }) {
        const parts = fabric.tiers.map((tier, index) => number(tier.switches) + ' ' + tierName(index));
        const links = fabric.tiers.slice(0, -1).map((tier, index) => number(tier.up_links) + ' links between ' + tierName(index) + ' and ' + tierName(index + 1));

        const isSingle = fabric.tiers.length === 1 && fabric.tiers[0].switches === 1;
        const whole = fabric.planes === 1 ? 'One plane: ' : model.isRailOnly ? 'Each rail: ' : 'Each plane: ';

        return whole + [parts.join(' + ') + (isSingle ? ' switch' : ' switches'), ...links].join(', ') +
            (model.isRailOnly ? '. A GPU has a port in one rail.' : fabric.nic_ports > 1 ? '. A NIC has a port in each plane.' : '.');
    }

    /* ---- a unit of a plane ---- */

    /* The sub-units of both ends that are inside this unit, and the switch of this tier that the path takes. */
    function wayInUnit(stage, { plane, level, index }) {
        const { way, model, fabric } = stage;

        if (!way || (model.isRailOnly && plane !== way.from % fabric.rails))
            return null;
        const path = model.path(way.from, way.to, plane, way.choices);
        const subs = [way.from, way.to].map((nic) => Math.floor(model.leafOf(nic) / model.leavesOf(level - 1)) - index * fabric.tiers[level].units);

        if (path.level < level || !subs.some((sub) => sub >= 0 && sub < fabric.tiers[level].units))
            return { path, subs, isHere: false };
        return { path, subs, top: path.tops[level], isHere: true, goesOn: path.level > level };
    }

    function unitWays(stage, view, inUnit, tops, topY, subs, subY, shown) {
        const { model } = stage;
        const elements = [];

        if (!inUnit?.isHere)
            return elements;
        const isShown = (sub) => sub >= shown.first && sub < shown.first + shown.count;
        const width = model.tops(view.level) / model.tops(view.level - 1);
        const firstTop = inUnit.path.tops[view.level - 1] * width;
        const inside = inUnit.subs.filter(isShown);

        for (const sub of inside) {
            for (let top = firstTop; top < firstTop + width; top += Math.max(1, tops.size))
                elements.push(strokes.line([[subs.middle(sub), subY], [tops.middle(top), topY]], 'way'));
            elements.push(strokes.line([[subs.middle(sub), subY], [tops.middle(inUnit.top), topY]], 'way chosen'));
        }
        if (inUnit.goesOn && inside.length)
            elements.push(strokes.line([[tops.middle(inUnit.top), topY - 34], [tops.middle(inUnit.top), topY - 62]], 'way chosen'));
        return elements;
    }

    function subLabel(stage, view, sub, count) {
        const { fabric, model } = stage;
        const first = view.index * fabric.tiers[view.level].units + sub;
        const name = view.level === 1 ? 'p' + view.plane + '.t0.' : unitName(view.level - 1) + ' ';
        const below = model.leavesOf(view.level - 1) * fabric.tiers[0].host_ports * count;

        return rangeName(name, first, count) + ': up to ' + number(below) + ' NICs';
    }

    function unit(stage, view) {
        if (view.level === 0)
            return leaf(stage, view);
        const { fabric, model, width } = stage;
        const tier = fabric.tiers[view.level];
        const shown = view.range ?? { first: 0, count: tier.units };
        const topCount = model.tops(view.level);
        const topY = view.level === model.highest ? 30 : 46;
        const subY = topY + 196;
        const inUnit = wayInUnit(stage, view);
        const topsRow = strokes.blocks({
            left: 0, width, top: topY, height: 34, count: topCount, first: 0, most: Math.floor(width / 12), color: view.plane,
            label: (first, count) => rangeName('p' + view.plane + '.t' + view.level + '.', view.index * topCount + first, count),
            isMarked: (first, count) => inUnit?.isHere && inUnit.top >= first && inUnit.top < first + count,
        });
        const subsRow = strokes.blocks({
            left: 0, width, top: subY, height: 40, count: shown.count, first: shown.first, most: Math.floor(width / 14), color: view.plane,
            label: (first, count) => subLabel(stage, view, first, count),
            open: (first, count) => stage.go(count > 1 ? { ...view, range: { first, count } } :
                { at: 'unit', plane: view.plane, level: view.level - 1, index: view.index * tier.units + first }),
            isMarked: (first, count) => inUnit?.subs.some((sub) => sub >= first && sub < first + count),
        });
        const below = fabric.tiers[view.level - 1];
        const lines = [text(0, topY - 12, number(topCount) + ' ' + tierName(view.level) + (topsRow.size > 1 ? ', ' + topsRow.size + ' in a block' : ''), 'strong', 'start'),
            text(0, subY + 60, subsTitle(view, shown, tier) + (subsRow.size > 1 ? ', ' + subsRow.size + ' in a block' : ''), 'strong', 'start')];

        if (tier.up_ports)
            lines.push(text(width, topY - 12, number(tier.up_ports) + ' uplinks of each', 'small', 'end'));
        return {
            height: subY + 76,
            elements: [strokes.mesh(topsRow, topY + 34, subsRow, subY, view.plane), ...unitWays(stage, view, inUnit, topsRow, topY + 34, subsRow, subY, shown),
                ...topsRow.elements, ...subsRow.elements, ...lines,
                strokes.plate(width / 2, (topY + 34 + subY) / 2, linkText(view, model, tier, below, width))],
            caption: unitCaption(stage, view, tier, below), opens: 'a block of the lower row',
        };
    }

    function subsTitle(view, shown, tier) {
        const many = view.level === 1 ? 'T0' : unitName(view.level - 1) + 's';

        return view.range ? many + ' ' + number(shown.first) + ' to ' + number(shown.first + shown.count - 1) + ' of ' + number(tier.units) : number(tier.units) + ' ' + many;
    }

    function linkText(view, model, tier, below, width) {
        const bundle = tier.parallel > 1 ? tier.parallel + ' links from each ' + tierName(view.level - 1) + ' to each ' + tierName(view.level) :
            'one link from each ' + tierName(view.level - 1) + ' to each ' + tierName(view.level);

        const column = model.tops(view.level - 1) > 1 ? ' of its column' : '';

        return number(below.up_links) + (width > 520 ? ' links in the plane: ' + bundle + column : ' links');
    }

    function unitCaption(stage, view, tier, below) {
        const { fabric } = stage;
        const up = fabric.tiers[view.level].up_ports;

        return tierName(view.level) + ': ' + plural(tier.down_ports, 'port') + ' down' + (up ? ', ' + number(up) + ' up' : '') + '. ' + tierName(view.level - 1) + ': ' +
            (below.host_ports ? plural(below.host_ports, 'port') + ' to NICs' : plural(below.down_ports, 'port') + ' down') + ', ' + number(below.up_ports) + ' up.';
    }

    /* ---- a leaf ---- */

    /* The T1s of a leaf, and its uplinks to them. */
    function leafUplinks(stage, view, nics, boxY) {
        const { fabric, model, width, way } = stage;
        const [tier, above] = fabric.tiers;
        const count = model.tops(1);
        const row = strokes.blocks({
            left: 0, width, top: 30, height: 26, count, first: 0, most: Math.floor(width / 12), color: view.plane, label: (first, many) => rangeName('T1 ', first, many),
        });
        const isOnWay = way && way.level > 0 && (!model.isRailOnly || view.plane === way.plane) && nics.some((nic) => nic === way.from || nic === way.to);
        const elements = [strokes.mesh(row, 56, { count: 1, at: () => width / 2 }, boxY, view.plane, 96)];

        if (isOnWay)
            elements.push(strokes.line([[width / 2, boxY], [row.middle(model.path(way.from, way.to, view.plane, way.choices).tops[1]), 56]], 'way chosen'));
        elements.push(...row.elements, text(0, 20, number(count) + ' T1' + (row.size > 1 ? ', ' + row.size + ' in a block' : ''), 'strong', 'start'),
            strokes.plate(width / 2, 118, number(tier.up_ports) + ' uplinks' + (above.parallel > 1 ? ', ' + above.parallel + ' to each T1' : '')));
        return elements;
    }

    function leaf(stage, view) {
        const { fabric, model, width } = stage;
        const [tier, above] = fabric.tiers;
        const nics = Array.from({ length: tier.host_ports }, (_, port) => model.nicOf(view.index, port, view.plane)).filter((nic) => nic < fabric.gpus);
        const name = 'p' + view.plane + '.t0.' + view.index;
        const boxY = above ? 190 : 20;
        const boxes = racks.rackBoxes(stage, racks.byRack(stage, nics), boxY + 110);

        return {
            height: boxY + 116 + boxes.height,
            elements: [...above ? leafUplinks(stage, view, nics, boxY) : [], strokes.band(width / 2 - 90, width / 2 + 90, boxY + 38, 0, width, boxY + 100, view.plane),
                ...racks.switchBox(stage, name, view.plane, boxY), strokes.plate(width / 2, boxY + 72, plural(nics.length, 'NIC')), ...boxes.elements],
            caption: name + ': ' + plural(tier.host_ports, 'port') + ' to NICs' + (above ? ', ' + number(tier.up_ports) + ' up' : '') + '.', opens: 'a rack',
        };
    }

    function closRack(stage, view) {
        const { model, fabric } = stage;

        return racks.rack(stage, view, (nic, port) => 'p' + (model.isRailOnly ? nic % fabric.rails : port) + '.t0.' + model.leafOf(nic));
    }

    return { overview, unit, closRack, unitName, planeName };
})();
