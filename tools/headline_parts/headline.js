/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of tools/headline: charts with the mean over seeds and its confidence interval, and tables. */
(() => {
    const data = JSON.parse(document.getElementById('data').textContent);
    const formats = { share: (value) => units.percent(value, 0), gain: (value) => units.percent(value, 0), time: units.time, count: units.count };
    const starts = [];

    /* The intervals of a chart, as vertical lines. */
    function drawIntervals(plot, { lines, is_log: isLog }) {
        const { ctx } = plot;

        ctx.save();
        ctx.beginPath();
        ctx.rect(plot.bbox.left, plot.bbox.top, plot.bbox.width, plot.bbox.height);
        ctx.clip();
        lines.forEach((line, index) => {
            if (!plot.series[index + 1].show)
                return;
            ctx.strokeStyle = theme.line(line.color);
            ctx.lineWidth = devicePixelRatio;
            line.low.forEach((low, i) => {
                if (low === null || low === line.high[i])
                    return;
                const x = plot.valToPos(plot.data[0][i], 'x', true);

                ctx.beginPath();
                ctx.moveTo(x, low > 0 || !isLog ? plot.valToPos(low, 'y', true) : plot.bbox.top + plot.bbox.height);
                ctx.lineTo(x, plot.valToPos(line.high[i], 'y', true));
                ctx.stroke();
            });
        });
        ctx.restore();
    }

    function chart(figure) {
        const format = formats[figure.unit];
        const lines = figure.lines.map((line) => ({ label: line.name, values: line.mean, color: () => theme.line(line.color), dash: line.color > 7 ? [4, 3] : undefined, width: 2 }));
        const xValues = (plot, ticks) => ticks.map((tick) => figure.x.includes(tick) || figure.x_unit === 'time' ? formats[figure.x_unit](tick) : '');
        const scales = { x: { time: false, distr: 3, log: figure.x_unit === 'time' ? 10 : 2 } };

        scales.y = figure.is_log ? { distr: 3 } : figure.unit === 'share' ? { range: [0, 1] } : {};
        return [dom.make('h3', {}, figure.title), charts.overTime({ times: figure.x, faults: [], starts }, lines, {
            format, scales, height: 260, legend: true,
            axes: [charts.axis({ values: xValues, size: 30, space: 30 }),
                charts.axis({ values: (plot, ticks) => ticks.map((tick) => tick === null ? '' : format(tick)), size: charts.axisWidth, space: 38 })],
            hooks: { setScale: [], draw: [(plot) => drawIntervals(plot, figure)] },
        })];
    }

    /* Times from 10 us to 10 s, by their logarithm. */
    function timeBars(figure) {
        const place = (us) => us === null ? 1 : Math.log10(Math.max(us, 10) / 10) / 6;

        return [dom.make('h3', {}, figure.title), bars.rows(figure.bars.map((one) => ({
            name: one.name, value: one.text, marks: [bars.mark(one.us === null ? 'range' : 'bar', 0, place(one.us), one.text)],
        })))];
    }

    function section(one) {
        return dom.card(one.title, one.note, dom.make('div', { class: one.figures.length > 1 ? 'pair' : '' }, one.figures.map((figure) => dom.make('div', {}, figure.bars ? timeBars(figure) : chart(figure)))),
            one.tables.map((table) => [dom.make('h3', {}, table.title), dom.table(table.head, table.rows)]));
    }

    const wanted = data.sections.filter((one) => '#' + one.id === location.hash);

    document.getElementById('page').append(dom.make('header', { class: 'top' }, dom.make('h1', {}, 'Sizes and failures: MRC, RoCEv2, UET, InfiniBand'),
        dom.make('p', { class: 'fabric' }, data.runs + ' runs of mrc sim. Points are means over seeds, bars 95 % confidence intervals, or the range of two. docs/headline.md says what was run.')),
        ...(wanted.length ? wanted : data.sections).map(section));
    starts.forEach((start) => start());
    document.documentElement.dataset.ready = String(data.sections.length);
})();
