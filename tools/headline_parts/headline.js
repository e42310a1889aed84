/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of tools/headline: charts with the mean over seeds and its confidence interval, and tables. */
(() => {
    const data = JSON.parse(document.getElementById('data').textContent);
    const formats = { share: (value) => units.percent(value, 0), time: units.time, count: units.count };
    const starts = [];

    /* The points of a line and their intervals, which are vertical lines. */
    function drawPoints(plot, line, isLog) {
        const { ctx } = plot;

        ctx.strokeStyle = ctx.fillStyle = theme.line(line.color);
        ctx.lineWidth = devicePixelRatio;
        line.mean.forEach((mean, i) => {
            if (mean === null)
                return;
            const x = plot.valToPos(plot.data[0][i], 'x', true);
            const floor = plot.bbox.top + plot.bbox.height;

            ctx.beginPath();
            ctx.arc(x, plot.valToPos(mean, 'y', true), 3 * devicePixelRatio, 0, 2 * Math.PI);
            ctx.fill();
            ctx.beginPath();
            ctx.moveTo(x, isLog && line.low[i] <= 0 ? floor : plot.valToPos(line.low[i], 'y', true));
            ctx.lineTo(x, plot.valToPos(line.high[i], 'y', true));
            ctx.stroke();
        });
    }

    function drawAllPoints(plot, { lines, is_log: isLog }) {
        plot.ctx.save();
        plot.ctx.beginPath();
        plot.ctx.rect(plot.bbox.left - 5, plot.bbox.top, plot.bbox.width + 10, plot.bbox.height);
        plot.ctx.clip();
        lines.forEach((line, index) => plot.series[index + 1].show && drawPoints(plot, line, isLog));
        plot.ctx.restore();
    }

    function chart(figure) {
        const format = formats[figure.unit];
        const lines = figure.lines.map((line) => ({ label: line.name, values: line.mean, color: () => theme.line(line.color), width: 2 }));
        const xValues = (plot, ticks) => ticks.map((tick) => figure.x.includes(tick) || figure.x_unit === 'time' ? formats[figure.x_unit](tick) : '');
        const scales = { x: { time: false, distr: 3, log: figure.x_unit === 'time' ? 10 : 2 } };

        scales.y = figure.is_log ? { distr: 3 } : figure.unit === 'share' ? { range: [0, 1] } : {};
        return [dom.make('h3', {}, figure.title), charts.overTime({ times: figure.x, faults: [], starts }, lines, {
            format, scales, height: 260, legend: true,
            axes: [charts.axis({ values: xValues, size: 30, space: 30 }),
                charts.axis({ values: (plot, ticks) => ticks.map((tick) => tick === null ? '' : format(tick)), size: charts.axisWidth, space: 38 })],
            hooks: { setScale: [], draw: [(plot) => drawAllPoints(plot, figure)] },
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
