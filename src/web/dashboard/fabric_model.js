/* SPDX-License-Identifier: Apache-2.0 */
/* A fabric as arrays of numbers: nodes (NICs, then switches), links between two nodes, and the state of each link. No link is
 * an object, so that a fabric of millions of links fits. */
const fabricModel = (() => {
    /* Bits of a link's state, as the server sends them. */
    const bits = { downUp: 1, downDown: 2, hurtUp: 4, hurtDown: 8, free: 16, drained: 32, accused: 64 };

    /* How a link is drawn. The order is that of severity: of two that share a pixel, the later one shows. */
    const classes = ['free', 'idle', 'low', 'mid', 'high', 'full', 'drained', 'impaired', 'lossy', 'down'];
    const at = Object.fromEntries(classes.map((name, i) => [name, i]));

    /* Distances from the nearest NIC: 0 for NICs, 1 for the switches they are attached to, ... */
    function findLevels(model) {
        const level = new Uint8Array(model.nodeCount).fill(255).fill(0, 0, model.nics);
        let changed = true;

        for (let distance = 0; changed && distance < 254; distance++) {
            changed = false;
            for (let i = 0; i < model.linkCount; i++) {
                const a = model.first[i];
                const b = model.second[i];

                if (level[a] === distance && level[b] > distance + 1)
                    changed = Boolean(level[b] = distance + 1);
                else if (level[b] === distance && level[a] > distance + 1)
                    changed = Boolean(level[a] = distance + 1);
            }
        }
        return level;
    }

    /* Sorts the links by plane: plane p has order[starts[p]] up to order[starts[p + 1]]. */
    function sortByPlane(model) {
        const starts = new Uint32Array(model.planes + 1);
        const order = new Uint32Array(model.linkCount);

        for (let i = 0; i < model.linkCount; i++)
            starts[model.plane[i] + 1]++;
        for (let p = 0; p < model.planes; p++)
            starts[p + 1] += starts[p];
        const next = starts.slice();

        for (let i = 0; i < model.linkCount; i++)
            order[next[model.plane[i]]++] = i;
        return { starts, order };
    }

    /* The place of each node in its row, and the length of the row: rows[plane][level]. NICs are in the rows of all planes. */
    function placeNodes(model) {
        const place = new Uint32Array(model.nodeCount);
        const nodePlane = new Int16Array(model.nodeCount).fill(-1);
        const rows = Array.from({ length: model.planes }, () => Array.from({ length: model.levels }, () => 0));
        const nodes = rows.map((row) => row.map(() => []));

        for (let i = 0; i < model.linkCount; i++)
            for (const node of [model.first[i], model.second[i]])
                if (node >= model.nics && nodePlane[node] < 0)
                    nodePlane[node] = model.plane[i];
        for (let node = 0; node < model.nics; node++)
            place[node] = node;
        for (let node = model.nics; node < model.nodeCount; node++)
            if (nodePlane[node] >= 0 && model.level[node] < model.levels) {
                const row = nodes[nodePlane[node]][model.level[node]];

                place[node] = row.length;
                row.push(node);
            }
        for (let p = 0; p < model.planes; p++)
            for (let level = 0; level < model.levels; level++)
                rows[p][level] = level === 0 ? model.nics : nodes[p][level].length;
        return { place, nodePlane, rows, nodes };
    }

    /* model: { name, planes, nics, nodeCount, linkCount, first, second, plane, linkName(), linkIndex(), nodeName(), nodeIndex() } */
    function complete(model) {
        model.level = findLevels(model);
        let levels = 1;

        for (let node = 0; node < model.nodeCount; node++)
            if (model.level[node] < 255)
                levels = Math.max(levels, model.level[node] + 1);
        model.levels = levels;
        Object.assign(model, sortByPlane(model), placeNodes(model));
        return model;
    }

    function fromLayout(layout) {
        const { links, switches } = layout;
        const byName = new Map(links.map(([name], i) => [name, i]));
        const nodes = new Map(switches.map((name, i) => [name, layout.nics + i]));

        return complete({
            name: layout.name, planes: Math.max(1, layout.planes), nics: layout.nics,
            nodeCount: layout.nics + switches.length, linkCount: links.length,
            first: Uint32Array.from(links, ([, first]) => first),
            second: Uint32Array.from(links, ([, , second]) => second),
            plane: Uint8Array.from(links, ([, , , plane]) => plane),
            linkName: (i) => links[i][0],
            linkIndex: (name) => byName.get(name) ?? -1,
            nodeName: (node) => node < layout.nics ? 'h' + node : switches[node - layout.nics],
            nodeIndex: (name) => /^h\d+$/.test(name) && Number(name.slice(1)) < layout.nics ? Number(name.slice(1)) : nodes.get(name) ?? -1,
        });
    }

    function emptyState(model) {
        return {
            code: new Uint8Array(model.linkCount), bits: new Uint8Array(model.linkCount), up: new Uint16Array(model.linkCount),
            down: new Uint16Array(model.linkCount), lost: new Uint32Array(model.linkCount), queue: new Uint32Array(model.linkCount),
            touched: [],
        };
    }

    function classOf(state, i) {
        const value = state.bits[i];
        const load = Math.max(state.up[i], state.down[i]);

        if (value & (bits.downUp | bits.downDown))
            return at.down;
        if (state.lost[i] > 0)
            return at.lossy;
        if (value & (bits.hurtUp | bits.hurtDown | bits.accused))
            return at.impaired;
        if (value & bits.drained)
            return at.drained;
        if (value & bits.free)
            return at.free;
        return load >= 900 ? at.full : load >= 500 ? at.high : load >= 100 ? at.mid : load > 0 ? at.low : at.idle;
    }

    /* Makes all links healthy, with the mean load of their plane if only that is known. */
    function reset(model, state, means) {
        for (const i of state.touched)
            state.bits[i] = state.up[i] = state.down[i] = state.lost[i] = state.queue[i] = 0;
        if (!means && state.isReset) {
            for (const i of state.touched)
                state.code[i] = at.idle;
            return;
        }
        state.isReset = !means;
        for (let i = 0; i < model.linkCount; i++) {
            state.up[i] = state.down[i] = means?.[model.plane[i]] ?? 0;
            state.code[i] = classOf(state, i);
        }
    }

    /* links: columns of a sample; links that it does not have are healthy and idle, or have the mean load of their plane. */
    function apply(model, state, links) {
        reset(model, state, links.means);
        state.touched = (links.at ?? []).filter((i) => i >= 0 && i < model.linkCount);
        (links.at ?? []).forEach((i, k) => {
            if (i < 0 || i >= model.linkCount)
                return;
            state.bits[i] = links.state?.[k] ?? 0;
            state.up[i] = Math.min(links.up?.[k] ?? state.up[i], 65535);
            state.down[i] = Math.min(links.down?.[k] ?? state.down[i], 65535);
            state.lost[i] = links.lost?.[k] ?? 0;
            state.queue[i] = links.queue_bytes?.[k] ?? 0;
            state.code[i] = classOf(state, i);
        });
    }

    /* The links that a name covers: a link, a switch, a NIC or a plane. */
    function linksNamed(model, name) {
        const link = model.linkIndex(name);
        const node = model.nodeIndex(name);
        const plane = /^p(\d+)$/.exec(name);

        if (link >= 0)
            return [link];
        if (node >= 0)
            return linksOf(model, node);
        return plane && Number(plane[1]) < model.planes ? [...model.order.subarray(model.starts[Number(plane[1])], model.starts[Number(plane[1]) + 1])] : [];
    }

    /* Marks the links of elements that a controller has drained (bits.drained) or accuses (bits.accused). */
    function mark(model, state, names, bit) {
        for (const name of names)
            for (const i of linksNamed(model, name)) {
                state.bits[i] |= bit;
                state.code[i] = classOf(state, i);
                state.touched.push(i);
            }
    }

    /* The links of a node, in its own plane or all planes of a NIC. */
    function linksOf(model, node) {
        const found = [];

        for (let i = 0; i < model.linkCount; i++)
            if (model.first[i] === node || model.second[i] === node)
                found.push(i);
        return found;
    }

    return { bits, classes, at, fromLayout, complete, emptyState, apply, mark, linksOf, linksNamed };
})();
