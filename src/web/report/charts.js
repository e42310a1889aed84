/* SPDX-License-Identifier: Apache-2.0 */
/* Charts over time: one cursor and one zoom for all of them, faults shaded behind. */
const charts = (() => {
    const axisWidth = 74;
    const font = '12px system-ui, sans-serif';
    const living = new Set();
    let zooming = false;

    /* The legend is not part of the canvas. */
    function colorMarkers(plot) {
        plot.root.querySelectorAll('.u-marker').forEach((marker, i) => {
            marker.style.background = i ? plot.series[i].stroke(plot, i) : 'none';
        });
    }

    theme.onChange(() => living.forEach((plot) => {
        plot.redraw(false, false);
        colorMarkers(plot);
    }));

    const resized = new ResizeObserver((entries) => {
        for (const { target, contentRect } of entries) {
            const plot = target.plot;

            if (plot && contentRect.width > 0 && Math.round(contentRect.width) !== plot.width)
                plot.setSize({ width: Math.round(contentRect.width), height: plot.height });
        }
    });

    function clear() {
        for (const plot of living) {
            resized.unobserve(plot.root.parentElement);
            plot.destroy();
        }
        living.clear();
    }

    function axis(options) {
        return {
            stroke: () => theme.color('muted'),
            font,
            grid: { stroke: () => theme.color('grid'), width: 1 },
            ticks: { show: false },
            ...options,
        };
    }

    /* Whoever zooms zooms all of its group; a double click shows the whole time again. */
    function zoomAll(plot, key) {
        if (key !== 'x' || zooming)
            return;
        const { min, max } = plot.scales.x;

        zooming = true;
        for (const other of living)
            if (other !== plot && other.group === plot.group && (other.scales.x.min !== min || other.scales.x.max !== max))
                other.setScale('x', { min, max });
        zooming = false;
    }

    function shadeFaults(plot, faults) {
        const { left, top, width, height } = plot.bbox;

        plot.ctx.save();
        plot.ctx.fillStyle = theme.color('fault-shade');
        for (const fault of faults)
            for (const [from, until] of fault.spans) {
                const begin = Math.max(left, plot.valToPos(from, 'x', true));
                const end = Math.min(left + width, plot.valToPos(until, 'x', true));

                if (end > left && begin < left + width)
                    plot.ctx.fillRect(begin, top, Math.max(end - begin, devicePixelRatio), height);
            }
        plot.ctx.restore();
    }

    /* The largest value, with a tenth of air; never zero. */
    function fromZero(plot, least, most) {
        return [0, most > 0 ? most * 1.1 : 1];
    }

    /* context: { times, faults, starts, group }; charts of a group share cursor and zoom. lines: [{ label, values, color(), ... of uPlot }].
     * options: { format, height, hooks, padding, scales, axes, data } replace what is usual. */
    function overTime(context, lines, options) {
        const host = dom.make('div', { class: 'plot' });
        const format = options.format;
        const data = options.data ?? [context.times, ...lines.map((line) => line.values)];
        const settings = {
            width: 600,
            height: options.height ?? 220,
            padding: options.padding ?? [10, 22, 0, 0],
            cursor: {
                sync: { key: context.group ?? 'time', setSeries: false, scales: ['x', null] },
                drag: { x: true, y: false, dist: 6 },
                points: { size: 6 },
                y: false,
            },
            scales: {
                x: { time: false, range: (plot, min, max) => [min === context.times[0] ? 0 : min, max] },
                y: { range: fromZero },
                ...options.scales,
            },
            axes: options.axes ?? [
                axis({ values: (plot, ticks) => ticks.map((tick) => tick === 0 ? '0' : units.time(tick)), size: 30, space: 80 }),
                axis({ values: (plot, ticks) => ticks.map((tick) => tick === 0 ? '0' : format(tick)), size: axisWidth, space: 38, incrs: options.increments }),
            ],
            series: [
                { label: 'time', value: (plot, us) => us === null || us === undefined ? '' : units.time(us) },
                ...lines.map((line) => ({
                    label: line.label,
                    stroke: line.color,
                    width: line.width ?? 1.5,
                    fill: line.fill,
                    dash: line.dash,
                    paths: line.paths,
                    points: { show: false },
                    value: line.value ?? ((plot, value) => value === null || value === undefined ? '' : format(value)),
                })),
            ],
            legend: { show: options.legend ?? true, markers: { width: 0 } },
            bands: options.bands ?? [],
            hooks: {
                setScale: [zoomAll],
                drawClear: [(plot) => shadeFaults(plot, context.faults)],
                ...options.hooks,
            },
        };
        /* Made when it has a place, so that it knows its width. */
        const start = () => {
            settings.width = Math.max(Math.round(host.clientWidth), 240);
            const plot = new uPlot(settings, data, host);

            plot.group = context.group;
            colorMarkers(plot);
            host.plot = plot;
            living.add(plot);
            resized.observe(host);
        };

        context.starts.push(start);
        return host;
    }

    const stepped = uPlot.paths.stepped({ align: -1 });

    return { overTime, axis, clear, font, axisWidth, stepped };
})();
