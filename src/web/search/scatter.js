/* SPDX-License-Identifier: Apache-2.0 */
/* A scatter plot in SVG: points with error bars, and lines through fronts. */
const scatter = (() => {
    const margin = { left: 62, right: 14, top: 26, bottom: 44 };

    /* Round numbers from least to most, about `count` of them. */
    function ticks(least, most, count) {
        const rough = (most - least || Math.abs(most) || 1) / count;
        const power = 10 ** Math.floor(Math.log10(rough));
        const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
        const list = [];

        for (let at = Math.ceil(least / step) * step; at <= most + step * 1e-6; at += step)
            list.push(at);
        return list;
    }

    function range(values) {
        const least = Math.min(...values);
        const most = Math.max(...values);
        const room = (most - least || Math.abs(most) || 1) * 0.06;

        return [least - room, most + room];
    }

    function scale([least, most], from, until) {
        return (value) => from + (value - least) / (most - least) * (until - from);
    }

    function axes(frame, plot) {
        const { width, height, x, y } = frame;
        const bottom = height - margin.bottom;

        return [
            ticks(...frame.xRange, width < 520 ? 4 : 8).map((at) => [
                dom.svg('line', { class: 'axis', x1: x(at), x2: x(at), y1: margin.top, y2: bottom }),
                dom.svg('text', { x: x(at), y: bottom + 16, 'text-anchor': 'middle' }, plot.x.format(at))]),
            ticks(...frame.yRange, 6).map((at) => [
                dom.svg('line', { class: 'axis', x1: margin.left, x2: width - margin.right, y1: y(at), y2: y(at) }),
                dom.svg('text', { x: margin.left - 6, y: y(at) + 4, 'text-anchor': 'end' }, plot.y.format(at))]),
            dom.svg('text', { x: width - margin.right, y: height - 6, 'text-anchor': 'end' }, plot.x.title),
            dom.svg('text', { x: 4, y: 12 }, plot.y.title),
        ];
    }

    function errors({ x, y }, point) {
        return [
            point.xHalf > 0 ? dom.svg('line', { class: 'error', x1: x(point.x - point.xHalf), x2: x(point.x + point.xHalf), y1: y(point.y), y2: y(point.y) }) : null,
            point.yHalf > 0 ? dom.svg('line', { class: 'error', x1: x(point.x), x2: x(point.x), y1: y(point.y - point.yHalf), y2: y(point.y + point.yHalf) }) : null,
        ];
    }

    /* Stars are points that no separate search finds. */
    function star(x, y, radius) {
        return Array.from({ length: 10 }, (_, i) => {
            const length = i % 2 ? radius * 0.45 : radius;
            const angle = Math.PI * (i / 5 - 0.5);

            return (x + length * Math.cos(angle)).toFixed(1) + ',' + (y + length * Math.sin(angle)).toFixed(1);
        }).join(' ');
    }

    function mark({ x, y }, point, plot) {
        const attributes = {
            class: 'point' + (point.isTried ? ' tried' : '') + (point.isFront ? ' on-front' : '') + (point.isPicked ? ' picked' : ''),
            style: 'fill:color-mix(in oklab, var(--high) ' + (100 * point.shade).toFixed(0) + '%, var(--low))', tabindex: point.isTried ? -1 : 0,
        };
        const element = point.isStar ? dom.svg('polygon', { ...attributes, points: star(x(point.x), y(point.y), 9) }) :
            dom.svg('circle', { ...attributes, cx: x(point.x), cy: y(point.y), r: point.isTried ? 3 : 5.5 });

        element.append(dom.svg('title', {}, point.label));
        for (const event of ['click', 'focus', 'mouseenter'])
            element.addEventListener(event, () => plot.onPick(point.id, event === 'click'));
        return element;
    }

    function line({ x, y }, { points, className }) {
        return points.length < 2 ? null : dom.svg('polyline', { class: className, points: points.map((point) => x(point.x).toFixed(1) + ',' + y(point.y).toFixed(1)).join(' ') });
    }

    /* plot: { x, y: { title, format }, points, lines, onPick } */
    function draw(plot, width) {
        const height = Math.round(Math.min(Math.max(width * 0.5, 260), 460));
        const xRange = range(plot.points.map((point) => point.x));
        const yRange = range(plot.points.map((point) => point.y));
        const frame = { width, height, xRange, yRange, x: scale(xRange, margin.left, width - margin.right), y: scale(yRange, height - margin.bottom, margin.top) };

        return dom.svg('svg', { class: 'scatter', viewBox: '0 0 ' + width + ' ' + height, role: 'img', 'aria-label': plot.y.title + ' against ' + plot.x.title },
            axes(frame, plot), plot.lines.map((one) => line(frame, one)),
            plot.points.filter((point) => !point.isTried).map((point) => errors(frame, point)), plot.points.map((point) => mark(frame, point, plot)));
    }

    return { draw };
})();
