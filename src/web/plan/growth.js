/* SPDX-License-Identifier: Apache-2.0 */
/* What more GPUs need, and the cost of a GPU by the size of the fabric. */
const growth = (() => {
    const { number } = strokes;

    /* ---- the curve ---- */

    function axes(width, height, frame) {
        const elements = [];

        for (let exponent = Math.ceil(Math.log10(frame.least)); 10 ** exponent <= frame.most; exponent++) {
            const x = frame.x(10 ** exponent);

            elements.push(strokes.line([[x, frame.top], [x, height - frame.bottom]], 'grid'), strokes.text(x, height - frame.bottom + 16, number(10 ** exponent), 'small'));
        }
        for (let value = 0; value <= frame.highest; value += frame.step)
            elements.push(strokes.line([[frame.left, frame.y(value)], [width - frame.right, frame.y(value)]], 'grid'),
                strokes.text(frame.left - 6, frame.y(value) + 4, value === 0 ? '0' : figures.dollars([value, value]), 'small', 'end'));
        return elements;
    }

    function niceStep(highest) {
        const size = 10 ** Math.floor(Math.log10(highest));

        return highest / size > 5 ? 2 * size : highest / size > 2 ? size : size / 2;
    }

    function frameOf(points, width, height) {
        const frame = { left: 58, right: 14, top: 30, bottom: 40, least: points[0].gpus, most: points[points.length - 1].gpus };
        const dearest = Math.max(...points.slice(1).map(({ usd_per_gpu: usd }) => usd[1]));

        frame.step = niceStep(dearest);
        frame.highest = Math.ceil(dearest / frame.step) * frame.step;
        frame.x = (gpus) => frame.left + Math.log(gpus / frame.least) / Math.log(frame.most / frame.least) * (width - frame.left - frame.right);
        frame.y = (usd) => frame.top + (1 - Math.min(usd / frame.highest, 1)) * (height - frame.top - frame.bottom);
        return frame;
    }

    /* Where the number of tiers changes. */
    function tierSpans(points, frame, height) {
        const elements = [];
        let first = 0;

        points.forEach((point, index) => {
            if (index + 1 < points.length && points[index + 1].tiers === point.tiers)
                return;
            const left = frame.x(points[first].gpus);
            const right = frame.x(index + 1 < points.length ? points[index + 1].gpus : point.gpus);

            elements.push(dom.svg('rect', {
                x: left, y: frame.top, width: Math.max(right - left, 0), height: height - frame.top - frame.bottom, class: 'tier-span',
                style: '--own: var(--line-' + (point.tiers - 1) + ')',
            }));
            if (right - left > 40)
                elements.push(strokes.text((left + right) / 2, frame.top - 10, point.tiers + (point.tiers === 1 ? ' tier' : ' tiers'), 'small'));
            first = index + 1;
        });
        return elements;
    }

    function curve(plan, width) {
        const height = 280;
        const points = plan.growth;
        const frame = frameOf(points, width, height);
        const at = (key) => points.map((point) => frame.x(point.gpus).toFixed(1) + ' ' + frame.y(point.usd_per_gpu[key]).toFixed(1));
        const own = plan.fabric.gpus;
        const then = own + plan.more_gpus;
        const ownUsd = plan.usd.map((value) => value / own);
        const svg = dom.svg('svg', { class: 'curve', viewBox: '0 0 ' + width + ' ' + height, role: 'img' },
            ...tierSpans(points, frame, height), ...axes(width, height, frame),
            dom.svg('path', { class: 'between', d: 'M' + at(1).join('L') + 'L' + at(0).reverse().join('L') + 'Z' }),
            dom.svg('path', { class: 'edge', d: 'M' + at(1).join('L') }), dom.svg('path', { class: 'edge', d: 'M' + at(0).join('L') }));

        if (own >= frame.least && own <= frame.most) {
            const x = frame.x(own);

            svg.append(strokes.line([[x, frame.top], [x, height - frame.bottom]], 'own-line'), strokes.line([[x, frame.y(ownUsd[0])], [x, frame.y(ownUsd[1])]], 'own-range'),
                strokes.text(x + (x > width / 2 ? -6 : 6), frame.top + 14, 'this fabric', 'own-name', x > width / 2 ? 'end' : 'start'));
        }
        if (then <= frame.most && then >= frame.least)
            svg.append(strokes.line([[frame.x(then), frame.top], [frame.x(then), height - frame.bottom]], 'then-line'));
        svg.append(strokes.text(width / 2, height - 6, 'GPUs', 'small'));
        return svg;
    }

    function card(plan) {
        const rows = plan.rows.filter(({ section }) => section === 'growth');
        const place = dom.make('div', { class: 'curve-place' });
        const hasCurve = plan.growth?.length > 2;

        return {
            element: dom.card('Growth', hasCurve ? 'Cost of the network for each GPU, least to most, if the same request is built for another number of GPUs. ' +
                'The dashed line is ' + number(plan.more_gpus) + ' GPUs more.' : null,
                dom.make('div', { class: 'pair' }, hasCurve ? place : null, figures.section(['the next ' + number(plan.more_gpus) + ' GPUs', rows.slice(1)]))),
            start: () => hasCurve && place.append(curve(plan, Math.max(300, Math.min(place.clientWidth, 640)))),
        };
    }

    return { card };
})();
