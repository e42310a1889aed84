/* SPDX-License-Identifier: Apache-2.0 */
/* What happened over time: throughput with its faults, planes or ports, queues, repairs, EVs. */
const timeline = (() => {
    const laneHeight = 20;
    const laneCountMax = 8;

    function has(values) {
        return Array.isArray(values) && values.length > 0;
    }

    function lineColor(index) {
        return () => theme.line(index);
    }

    function total(rows) {
        return rows[0].map((_, i) => rows.reduce((sum, row) => sum + row[i], 0));
    }

    /* The name beside the bar where there is room: after it, else before it, else on it. */
    function nameFault(plot, fault, top) {
        const { ctx, bbox } = plot;
        const ratio = devicePixelRatio;
        const begin = plot.valToPos(fault.spans[0][0], 'x', true);
        const end = plot.valToPos(fault.spans[fault.spans.length - 1][1], 'x', true);
        const width = ctx.measureText(fault.what).width;
        const gap = 6 * ratio;
        const right = bbox.left + bbox.width;

        if (end < bbox.left || begin > right)
            return;
        ctx.fillStyle = theme.color('text');
        if (end + gap + width <= right)
            ctx.fillText(fault.what, Math.max(end, bbox.left) + gap, top);
        else if (begin - gap - width >= bbox.left)
            ctx.fillText(fault.what, begin - gap - width, top);
        else {
            ctx.fillStyle = theme.color('fault-text');
            ctx.fillText(fault.what, Math.max(begin, bbox.left) + gap, top, right - Math.max(begin, bbox.left) - gap);
        }
    }

    /* A lane above the chart for each fault, as far as there are lanes. */
    function drawLanes(plot, faults) {
        const { ctx, bbox } = plot;
        const ratio = devicePixelRatio;

        ctx.save();
        ctx.font = (11.5 * ratio) + 'px system-ui, sans-serif';
        ctx.textBaseline = 'middle';
        ctx.textAlign = 'left';
        faults.slice(0, laneCountMax).forEach((fault, lane) => {
            const top = (6 + lane * laneHeight) * ratio;

            ctx.fillStyle = theme.color('fault');
            for (const [from, until] of fault.spans) {
                const begin = Math.max(bbox.left, plot.valToPos(from, 'x', true));
                const end = Math.min(bbox.left + bbox.width, plot.valToPos(until, 'x', true));

                if (end > begin)
                    ctx.fillRect(begin, top, Math.max(end - begin, 2 * ratio), (laneHeight - 5) * ratio);
            }
            nameFault(plot, fault, top + (laneHeight - 5) * ratio / 2 + ratio);
        });
        ctx.restore();
    }

    function throughput(context) {
        const byWorkload = Object.entries(context.series.goodput_bps ?? {}).filter(([, values]) => has(values));

        if (!byWorkload.length)
            return null;
        const lines = byWorkload.map(([label, values], i) => ({
            label, values, color: lineColor(i), width: 1.75,
            fill: byWorkload.length === 1 ? () => theme.color('fill-0') : undefined,
        }));

        const capacity = Object.values(context.series.capacity_bps ?? {}).filter(has);

        if (capacity.length)
            lines.push({ label: 'capacity', values: total(capacity), color: () => theme.color('muted'), width: 1.25, dash: [2, 3] });
        if (byWorkload.length > 1)
            lines.unshift({ label: 'all', values: total(byWorkload.map(([, values]) => values)), color: () => theme.color('text'), width: 1.25 });
        if (context.other)
            lines.push({ label: 'all of ' + context.other.name, values: context.other.values, color: () => theme.color('muted'), dash: [6, 4] });

        const lanes = Math.min(context.faults.length, laneCountMax);
        const more = context.faults.length - lanes;

        return dom.card('Throughput', 'Payload delivered, by workload' + (capacity.length ? ', and the max-min capacity of the faults and flows of each moment.' : '.') +
            (lanes ? ' Bars and shades are faults' + (more > 0 ? ' (' + more + ' more have no bar)' : '') + '.' : '') +
            ' Drag to zoom all charts, double-click to see all.',
        context.comparison,
        charts.overTime(context, lines, {
            format: units.rate,
            height: 290 + lanes * laneHeight,
            padding: [lanes ? 10 + lanes * laneHeight : 10, 22, 0, 0],
            hooks: { draw: [(plot) => drawLanes(plot, context.faults)] },
        }));
    }

    /* Goodput of all workloads as a part of what could have been carried. */
    function capacity(context) {
        const values = context.series.capacity_fraction;

        if (!has(values) || !values.some(units.isNumber))
            return null;
        return dom.card('Of capacity', 'Goodput of all workloads over the max-min capacity; 95 % counts as recovered.',
            charts.overTime(context, [
                { label: 'of capacity', values, color: lineColor(0), fill: () => theme.color('fill-0') },
                { label: '95 %', values: values.map(() => 0.95), color: () => theme.color('muted'), width: 1, dash: [4, 4] },
            ], { format: (fraction) => units.percent(fraction) }));
    }

    /* Stacked: each plane is a band; the top is the sum. */
    function stacked(context, planes, word) {
        const sums = [];

        planes.forEach((values, i) => sums.push(i ? values.map((value, k) => value + sums[i - 1][k]) : values));
        return charts.overTime(context, planes.map((values, i) => ({
            label: word + ' ' + i, values: sums[i], color: lineColor(i), width: 1,
            fill: i === 0 ? () => theme.color('fill-0') : undefined,
            value: (plot, value, series, k) => k === null || k === undefined ? '' : units.rate(values[k]),
        })), {
            format: units.rate,
            bands: planes.slice(1).map((_, i) => ({ series: [i + 2, i + 1], fill: () => theme.color('fill-' + ((i + 1) % 8)) })),
        });
    }

    function planes(context) {
        const rows = (context.series.plane_bps ?? []).filter(has);

        if (!rows.length)
            return null;
        const word = model.placeWords(context.run.fabric).plane;
        const title = word[0].toUpperCase() + word.slice(1);
        const side = charts.overTime(context, rows.map((values, i) =>
            ({ label: word + ' ' + i, values, color: lineColor(i) })), { format: units.rate });
        const imbalance = context.run.summary.plane_imbalance;
        const note = (word === 'port' ? 'What the NICs received on each port' : 'What each plane carried') +
            (units.isNumber(imbalance) ? '; imbalance over the whole run ' + units.percent(imbalance) : '') + '.';

        if (rows.length === 1)
            return dom.card(title + 's', note, side);
        const stack = stacked(context, rows, word);

        stack.classList.add('fixed-legend');
        side.hidden = true;
        const choose = (event) => {
            side.hidden = event.target.value === 'stack';
            stack.hidden = !side.hidden;
        };

        return dom.card(title + ' balance', note,
            dom.make('div', { class: 'choices', role: 'radiogroup', 'aria-label': 'form of the chart', onchange: choose },
                [['stack', 'stacked'], ['side', 'one line each']].map(([value, text], i) =>
                    dom.make('label', {}, dom.make('input', { type: 'radio', name: 'planes', value, checked: i === 0 }), text))),
            stack, side);
    }

    function queue(context) {
        const { queue_peak_bytes: values, queue_peak_where: where } = context.series;

        if (!has(values))
            return null;
        return dom.card('Deepest queue', 'The longest data queue of any switch port in each interval, and where.',
            charts.overTime(context, [{
                label: 'peak', values, color: lineColor(0), fill: () => theme.color('fill-0'),
                value: (plot, value, series, k) => k === null || k === undefined ? '' : units.bytes(value) +
                    (where?.[k] ? ' at ' + where[k] : ''),
            }], { format: units.bytes, increments: units.byteSteps }));
    }

    function counts(context, title, note, wanted) {
        const lines = wanted.filter(([key]) => has(context.series[key])).map(([key, label, color]) =>
            ({ label, values: context.series[key], color: lineColor(color), paths: charts.stepped }));

        return lines.length ? dom.card(title, note, charts.overTime(context, lines, { format: units.count })) : null;
    }

    const repairs = (context) => counts(context, 'Trims, marks, retransmissions', 'Packets in each interval.',
        [['marked', 'marked', 4], ['trimmed', 'trimmed', 2], ['retransmitted', 'retransmitted', 3]]);
    const paths = (context) => counts(context, 'Entropy values', 'Of all QPs: in use, and out of use because assumed bad.',
        [['active_evs', 'active', 0], ['bad_evs', 'bad', 3]]);

    return { throughput, capacity, planes, queue, repairs, paths, total };
})();
