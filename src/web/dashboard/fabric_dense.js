/* SPDX-License-Identifier: Apache-2.0 */
/* Draws a plane with many links as fields: a strip for the links of NICs, and for each two tiers of switches a matrix, lower
 * switches from left to right, upper ones from top to bottom. Where links share a field, the worst shows. */
const fabricDense = (() => {
    const stripHeight = 26;
    const gap = 18;
    const marksMax = 40;
    const font = '11px system-ui, sans-serif';

    /* The strip and the matrices, from the bottom up: [{ level, x, y, width, height, columns, rows }]. */
    function fieldsOf(model, view, rect) {
        const matrices = model.levels - 2;
        const x = rect.x + fabricDraw.margin;
        const width = rect.width - 2 * fabricDraw.margin;
        const height = matrices > 0 ? (rect.height - stripHeight - 2 * gap - gap * (matrices - 1)) / matrices : 0;
        const fields = [];

        for (let level = 0; level < model.levels - 1; level++) {
            const low = level === 0 ? view.low : level === 1 ? view.low : view.high;
            const high = view.high;
            const columns = Math.max(1, Math.min(Math.floor(width), Math.round(model.rows[view.plane][level] * (low[1] - low[0]))));
            const rows = level === 0 ? 1 : Math.max(1, Math.min(Math.floor(height), Math.round(model.rows[view.plane][level + 1] * (high[1] - high[0]))));

            fields.push(level === 0 ?
                { level, x, y: rect.y + rect.height - stripHeight - 2, width, height: stripHeight, columns, rows, low, high: [0, 1] } :
                { level, x, y: rect.y + gap + (matrices - level) * (height + gap), width, height, columns, rows, low, high });
        }
        return fields;
    }

    /* The worst class of each field, plus one; 0: no link. */
    function gather(model, state, view, field) {
        const worst = new Uint8Array(field.columns * field.rows);
        const lowCount = model.rows[view.plane][field.level];
        const highCount = model.rows[view.plane][field.level + 1];
        const { level, place, first, second, order, starts } = model;
        const lowScale = field.columns / (field.low[1] - field.low[0]) / lowCount;
        const highScale = field.rows / (field.high[1] - field.high[0]) / highCount;
        const lowFrom = field.low[0] * lowCount;
        const highFrom = field.high[0] * highCount;

        for (let k = starts[view.plane]; k < starts[view.plane + 1]; k++) {
            const i = order[k];
            const isUp = level[first[i]] < level[second[i]];
            const low = isUp ? first[i] : second[i];
            const high = isUp ? second[i] : first[i];

            if (level[low] !== field.level || level[high] !== field.level + 1)
                continue;
            const column = Math.floor((place[low] + 0.5 - lowFrom) * lowScale);
            const row = field.level === 0 ? 0 : Math.floor((place[high] + 0.5 - highFrom) * highScale);

            if (column < 0 || column >= field.columns || row < 0 || row >= field.rows)
                continue;
            const cell = row * field.columns + column;

            if (worst[cell] <= state.code[i])
                worst[cell] = state.code[i] + 1;
        }
        return worst;
    }

    let palette = null;

    theme.onChange(() => { palette = null; });

    /* The colours of the classes as bytes. */
    function colors() {
        if (palette)
            return palette;
        const probe = document.createElement('canvas').getContext('2d', { willReadFrequently: true });

        palette = [[0, 0, 0, 0], ...fabricModel.classes.map((name) => {
            probe.clearRect(0, 0, 1, 1);
            probe.fillStyle = theme.color('link-' + name);
            probe.fillRect(0, 0, 1, 1);
            return probe.getImageData(0, 0, 1, 1).data;
        })];
        return palette;
    }

    function paintField(context, model, state, view, field) {
        const worst = gather(model, state, view, field);
        const canvas = document.createElement('canvas');
        const shown = colors();

        canvas.width = field.columns;
        canvas.height = field.rows;
        const inner = canvas.getContext('2d');
        const image = inner.createImageData(field.columns, field.rows);

        for (let cell = 0; cell < worst.length; cell++)
            if (worst[cell])
                image.data.set(shown[worst[cell]], 4 * cell);
        inner.putImageData(image, 0, 0);
        context.imageSmoothingEnabled = false;
        context.drawImage(canvas, field.x, field.y, field.width, field.height);
    }

    function describeField(model, view, field) {
        const count = (level) => units.count(model.rows[view.plane][level]);

        return field.level === 0 ? count(0) + ' NICs' : count(field.level) + ' switches across, ' + count(field.level + 1) + ' down';
    }

    /* The links between two levels that are not healthy, or nothing if there are many, which then can be seen without help. */
    function findUnhealthy(model, state, view, field) {
        const found = [];

        for (let k = model.starts[view.plane]; k < model.starts[view.plane + 1]; k++) {
            const i = model.order[k];

            if (state.code[i] < fabricModel.at.drained || Math.min(model.level[model.first[i]], model.level[model.second[i]]) !== field.level)
                continue;
            if (found.push(i) > marksMax)
                return [];
        }
        return found;
    }

    /* Frames single links that are not healthy, so that one can be seen among thousands. */
    function markUnhealthy(context, model, state, view, field) {
        const { place, first, second } = model;
        const lowCount = model.rows[view.plane][field.level];
        const highCount = model.rows[view.plane][field.level + 1];
        const share = (value, [from, until]) => (value - from) / (until - from);

        context.lineWidth = 1.5;
        for (const i of findUnhealthy(model, state, view, field)) {
            const x = field.x + share((place[first[i]] + 0.5) / lowCount, field.low) * field.width;
            const y = field.level === 0 ? field.y + field.height / 2 : field.y + share((place[second[i]] + 0.5) / highCount, field.high) * field.height;

            context.strokeStyle = theme.color('link-' + fabricModel.classes[state.code[i]]);
            context.strokeRect(x - 4, y - 4, 8, 8);
        }
    }

    function paint(context, rect, model, state, view) {
        for (const field of fieldsOf(model, view, rect)) {
            paintField(context, model, state, view, field);
            markUnhealthy(context, model, state, view, field);
            context.font = font;
            context.textAlign = 'left';
            context.textBaseline = 'bottom';
            context.fillStyle = theme.color('muted');
            context.fillText(describeField(model, view, field), field.x, field.y - 3);
        }
    }

    /* The link at a point, or the first one of a field with several. */
    function find(model, view, rect, x, y) {
        const field = fieldsOf(model, view, rect).find((one) => x >= one.x && x < one.x + one.width && y >= one.y && y < one.y + one.height);

        if (!field)
            return null;
        const low = Math.floor((field.low[0] + (x - field.x) / field.width * (field.low[1] - field.low[0])) * model.rows[view.plane][field.level]);
        const high = Math.floor((field.high[0] + (y - field.y) / field.height * (field.high[1] - field.high[0])) * model.rows[view.plane][field.level + 1]);

        for (let k = model.starts[view.plane]; k < model.starts[view.plane + 1]; k++) {
            const i = model.order[k];
            const [a, b] = model.level[model.first[i]] < model.level[model.second[i]] ? [model.first[i], model.second[i]] : [model.second[i], model.first[i]];

            if (model.level[a] === field.level && model.place[a] === low && (field.level === 0 || model.place[b] === high))
                return { kind: 'link', index: i };
        }
        return null;
    }

    return { paint, find };
})();
