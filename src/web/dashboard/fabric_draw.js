/* SPDX-License-Identifier: Apache-2.0 */
/* Draws a plane: NICs at the bottom, switches above, a line for each link. A plane with more links than lines can show is
 * drawn by fabric_dense.js. */
const fabricDraw = (() => {
    const lineLimit = 12000;
    const segmentsMax = 256; /* of one path: longer ones take more time to fill than many short ones */
    const margin = 14;
    const head = 22; /* room for the names above the top row, and below the row of NICs */
    const foot = 26;
    const font = '11px system-ui, sans-serif';

    /* view: { plane, low, high }; low and high are the parts [from, until] of a row that are shown, of NICs and the switches
     * next to them, and of all switches above. The whole row is [0, 1]. */
    function wholeView(plane) {
        return { plane, low: [0, 1], high: [0, 1] };
    }

    /* The place of node k of a row at level l: x0[l] + k * dx[l], y[l]. */
    function scalesOf(model, view, rect) {
        const x0 = [];
        const dx = [];
        const y = [];

        for (let level = 0; level < model.levels; level++) {
            const [from, until] = level <= 1 ? view.low : view.high;
            const count = Math.max(1, model.rows[view.plane][level]);
            const scale = (rect.width - 2 * margin) / (until - from);

            dx.push(scale / count);
            x0.push(rect.x + margin + (0.5 / count - from) * scale);
            y.push(rect.y + rect.height - foot - (rect.height - head - foot) * (model.levels > 1 ? level / (model.levels - 1) : 0.5));
        }
        return { x0, dx, y };
    }

    function xOf(model, scales, node) {
        const level = model.level[node];

        return scales.x0[level] + model.place[node] * scales.dx[level];
    }

    function isDense(model, view) {
        const links = model.starts[view.plane + 1] - model.starts[view.plane];

        return links * (view.low[1] - view.low[0]) * (view.high[1] - view.high[0]) > lineLimit;
    }

    /* Draws the lines of one class, a path for some of them at a time. */
    function strokeClass(context, model, state, view, rect, scales, wanted) {
        const right = rect.x + rect.width;
        const { level, place, first, second, order, starts } = model;
        const { x0, dx, y } = scales;
        let segments = 0;

        for (let k = starts[view.plane]; k < starts[view.plane + 1]; k++) {
            const i = order[k];

            if (state.code[i] !== wanted)
                continue;
            const a = first[i];
            const b = second[i];
            const xa = x0[level[a]] + place[a] * dx[level[a]];
            const xb = x0[level[b]] + place[b] * dx[level[b]];

            if ((xa < rect.x && xb < rect.x) || (xa > right && xb > right))
                continue;
            if (segments === 0)
                context.beginPath();
            context.moveTo(xa, y[level[a]]);
            context.lineTo(xb, y[level[b]]);
            if (++segments === segmentsMax) {
                context.stroke();
                segments = 0;
            }
        }
        if (segments > 0)
            context.stroke();
    }

    function strokeLinks(context, model, state, view, rect, scales) {
        const links = model.starts[view.plane + 1] - model.starts[view.plane];
        const crowd = links > 2000 ? 0.6 : links > 400 ? 0.9 : 1.3;

        fabricModel.classes.forEach((name, wanted) => {
            const isLoud = wanted >= fabricModel.at.drained;

            context.strokeStyle = theme.color('link-' + name);
            context.lineWidth = isLoud ? Math.max(crowd, 1.2) + 0.6 : crowd;
            context.setLineDash(name === 'down' && links < 2000 ? [5, 4] : name === 'drained' && links < 2000 ? [2, 3] : []);
            strokeClass(context, model, state, view, rect, scales, wanted);
        });
        context.setLineDash([]);
    }

    /* t0.3 of p0.t0.3: the plane is in the heading. */
    function shortName(name) {
        return name.replace(/^p\d+\./, '');
    }

    /* Below NICs, above the top row, and beside other switches, whose links leave in both directions. */
    function nameNode(context, name, x, y, level, levels) {
        const isBeside = level > 0 && level < levels - 1;

        context.textAlign = isBeside ? 'left' : 'center';
        context.fillText(name, isBeside ? x + 9 : x, y + (level === 0 ? 13 : isBeside ? 0 : -11));
    }

    function paintRow(context, model, view, rect, scales, level) {
        const count = model.rows[view.plane][level];
        const spacing = scales.dx[level];
        const size = Math.max(2, Math.min(level ? 9 : 6, spacing * 0.7));
        const hasNames = spacing >= 34;
        const firstShown = Math.max(0, Math.floor((rect.x - scales.x0[level]) / spacing));
        const lastShown = Math.min(count - 1, Math.ceil((rect.x + rect.width - scales.x0[level]) / spacing));

        if (spacing < 2.5)
            return;
        for (let k = firstShown; k <= lastShown; k++) {
            const node = level === 0 ? k : model.nodes[view.plane][level][k];
            const x = scales.x0[level] + k * spacing;

            context.fillStyle = theme.color(level ? 'text' : 'muted');
            context.fillRect(x - size / 2, scales.y[level] - size / 2, size, size);
            if (hasNames) {
                context.fillStyle = theme.color('muted');
                nameNode(context, shortName(model.nodeName(node)), x, scales.y[level], level, model.levels);
            }
        }
    }

    function markChoice(context, model, view, scales, choice) {
        context.strokeStyle = theme.color('mark');
        context.lineWidth = 9;
        context.lineCap = 'round';
        context.setLineDash([]);
        context.beginPath();
        if (choice.kind === 'link' && model.plane[choice.index] === view.plane)
            for (const [k, node] of [model.first[choice.index], model.second[choice.index]].entries())
                context[k ? 'lineTo' : 'moveTo'](xOf(model, scales, node), scales.y[model.level[node]]);
        else if (choice.kind === 'node' && (choice.index < model.nics || model.nodePlane[choice.index] === view.plane))
            context.arc(xOf(model, scales, choice.index), scales.y[model.level[choice.index]], 9, 0, 2 * Math.PI);
        context.stroke();
        context.lineCap = 'butt';
    }

    function paintLines(context, rect, model, state, view, choice) {
        const scales = scalesOf(model, view, rect);

        if (choice) /* below the links, whose colours stay visible */
            markChoice(context, model, view, scales, choice);
        strokeLinks(context, model, state, view, rect, scales);
        context.font = font;
        context.textBaseline = 'middle';
        for (let level = 0; level < model.levels; level++)
            paintRow(context, model, view, rect, scales, level);
    }

    /* rect: { x, y, width, height } of the canvas. choice: { kind: 'link' or 'node', index } or null. */
    function paint(context, rect, model, state, view, choice) {
        context.save();
        context.beginPath();
        context.rect(rect.x, rect.y, rect.width, rect.height);
        context.clip();
        context.clearRect(rect.x, rect.y, rect.width, rect.height);
        if (isDense(model, view))
            fabricDense.paint(context, rect, model, state, view, choice);
        else
            paintLines(context, rect, model, state, view, choice);
        context.restore();
    }

    /* The distance of a point from a line, squared. */
    function distanceOf(px, py, ax, ay, bx, by) {
        const length = (bx - ax) ** 2 + (by - ay) ** 2;
        const share = length ? Math.max(0, Math.min(1, ((px - ax) * (bx - ax) + (py - ay) * (by - ay)) / length)) : 0;

        return (px - ax - share * (bx - ax)) ** 2 + (py - ay - share * (by - ay)) ** 2;
    }

    function findNode(model, view, scales, x, y) {
        for (let level = 0; level < model.levels; level++) {
            const k = Math.round((x - scales.x0[level]) / scales.dx[level]);

            if (Math.abs(y - scales.y[level]) > 8 || k < 0 || k >= model.rows[view.plane][level] || Math.abs(x - scales.x0[level] - k * scales.dx[level]) > 8)
                continue;
            return { kind: 'node', index: level === 0 ? k : model.nodes[view.plane][level][k] };
        }
        return null;
    }

    /* What is at a point: a node, or the nearest link within a few pixels, or null. */
    function find(model, view, rect, x, y) {
        if (isDense(model, view))
            return fabricDense.find(model, view, rect, x, y);
        const scales = scalesOf(model, view, rect);
        const node = findNode(model, view, scales, x, y);
        let best = null;
        let least = 36;

        if (node)
            return node;
        for (let k = model.starts[view.plane]; k < model.starts[view.plane + 1]; k++) {
            const i = model.order[k];
            const a = model.first[i];
            const b = model.second[i];
            const distance = distanceOf(x, y, xOf(model, scales, a), scales.y[model.level[a]], xOf(model, scales, b), scales.y[model.level[b]]);

            if (distance < least) {
                least = distance;
                best = { kind: 'link', index: i };
            }
        }
        return best;
    }

    return { paint, find, wholeView, isDense, margin };
})();
