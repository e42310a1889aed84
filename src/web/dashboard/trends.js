/* SPDX-License-Identifier: Apache-2.0 */
/* Charts over time that grow while the page is open, or that show a whole run with a line at the time of the slider. */
const trends = (() => {
    const font = '12px system-ui, sans-serif';
    const living = new Set();

    function axis(options) {
        return { stroke: () => theme.color('muted'), font, grid: { stroke: () => theme.color('grid'), width: 1 }, ticks: { show: false }, ...options };
    }

    function colorMarkers(plot) {
        plot.root.querySelectorAll('.u-marker').forEach((marker, i) => {
            marker.style.background = i ? plot.series[i].stroke(plot, i) : 'none';
        });
    }

    theme.onChange(() => living.forEach((plot) => {
        plot.redraw(false, false);
        colorMarkers(plot);
    }));

    function drawCursor(plot, at) {
        if (at === null)
            return;
        const x = Math.round(plot.valToPos(at, 'x', true));

        plot.ctx.save();
        plot.ctx.strokeStyle = theme.color('accent');
        plot.ctx.lineWidth = 2 * devicePixelRatio;
        plot.ctx.beginPath();
        plot.ctx.moveTo(x, plot.bbox.top);
        plot.ctx.lineTo(x, plot.bbox.top + plot.bbox.height);
        plot.ctx.stroke();
        plot.ctx.restore();
    }

    /* lines: [{ label, color(), dash }]. options: { format, time(value) }. Returns { element, set(data), mark(time) }; data is
     * [times, values of the first line, ...]. */
    function make(title, note, lines, options) {
        const host = dom.make('div', { class: 'plot' });
        let plot = null;
        let data = [[], ...lines.map(() => [])];
        let marked = null;
        const settings = {
            width: 600, height: options.height ?? 190, padding: [10, 18, 0, 0],
            cursor: { sync: { key: 'dashboard', setSeries: false, scales: ['x', null] }, drag: { x: false, y: false }, points: { size: 6 }, y: false },
            scales: { x: { time: false }, y: { range: (own, least, most) => [0, most > 0 ? most * 1.1 : 1] } },
            axes: [
                axis({ values: (own, ticks) => ticks.map(options.time), size: 28, space: 90 }),
                axis({ values: (own, ticks) => ticks.map((tick) => tick === 0 ? '0' : options.format(tick)), size: 74, space: 36 }),
            ],
            series: [
                { label: 'time', value: (own, value) => value === null || value === undefined ? '' : options.time(value) },
                ...lines.map((line) => ({
                    label: line.label, stroke: line.color, width: 1.5, dash: line.dash, points: { show: false },
                    value: (own, value) => value === null || value === undefined ? '' : options.format(value),
                })),
            ],
            legend: { markers: { width: 0 } },
            hooks: { draw: [(own) => drawCursor(own, marked)] },
        };

        function start() {
            settings.width = Math.max(Math.round(host.clientWidth), 240);
            plot = new uPlot(settings, data, host);
            colorMarkers(plot);
            living.add(plot);
        }

        new ResizeObserver(() => requestAnimationFrame(() => {
            const width = Math.round(host.clientWidth);

            if (!plot && width > 0)
                start();
            else if (plot && width > 0 && width !== plot.width)
                plot.setSize({ width, height: plot.height });
        })).observe(host);

        return {
            element: dom.card(title, note, host),
            set: (values) => {
                data = values;
                plot?.setData(data);
            },
            mark: (time) => {
                marked = time;
                plot?.redraw(false, false);
            },
            remove: () => {
                if (plot) {
                    living.delete(plot);
                    plot.destroy();
                }
            },
        };
    }

    return { make };
})();
