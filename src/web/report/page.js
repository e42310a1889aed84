/* SPDX-License-Identifier: Apache-2.0 */
/* Puts the page together and shows the run that the reader chooses. */
(() => {
    const main = document.getElementById('page');
    const shown = dom.make('div', { id: 'run' });
    const comparison = { index: '' };

    function workloads(run) {
        const entries = Object.entries(run.summary.workloads ?? {});

        if (!entries.length)
            return null;
        const hasSteps = entries.some(([, workload]) => workload.step_us);

        return dom.card('Workloads', null, dom.table(
            ['workload', 'kind', 'ranks', 'goodput', 'of capacity', 'rate', 'slowest to fastest flow', 'median', 'p99', 'longest', 'Jain', ...(hasSteps ? ['step, median / p99'] : [])],
            entries.map(([name, workload]) => [
                name, units.words(workload.kind ?? ''), units.count(workload.ranks), units.percent(workload.goodput_fraction), units.percent(workload.capacity_fraction), units.rate(workload.goodput_bps),
                units.percent(workload.flow_fraction_min) + ' to ' + units.percent(workload.flow_fraction_max),
                units.time(workload.completion_us?.p50), units.time(workload.completion_us?.p99), units.time(workload.completion_us?.max), units.index(workload.jain),
                ...(hasSteps ? [units.time(workload.step_us?.p50) + ' / ' + units.time(workload.step_us?.p99)] : []),
            ])));
    }

    function phases(run) {
        const entries = Object.entries(run.summary.phases ?? {});

        if (!entries.length)
            return null;
        const names = [...new Set(entries.flatMap(([, phase]) => Object.keys(phase.workloads ?? {})))];
        const counts = ['lost', 'retransmitted', 'trimmed', 'timeouts'].filter((key) => entries.some(([, phase]) => units.isNumber(phase[key])));

        return dom.card('Phases', 'Goodput of the ideal, and of capacity, in each part of the run.', dom.table(
            ['phase', 'from', 'until', ...names, ...counts, 'limited by'],
            entries.map(([name, phase]) => [name, units.time(phase.from_us), units.time(phase.until_us),
                ...names.map((workload) => both(phase.workloads?.[workload])),
                ...counts.map((key) => units.count(phase[key])), (phase.limits ?? []).slice(0, 2).join('; ')])));
    }

    function both(workload) {
        return units.percent(workload?.goodput_fraction) + ' / ' + units.percent(workload?.capacity_fraction);
    }

    /* The sum of another run's workloads, at the times of this one. */
    function other(run, times) {
        const chosen = comparison.index === '' ? null : model.runs[Number(comparison.index)];

        if (!chosen || chosen === run)
            return null;
        const { series } = model.details(chosen);
        const rows = Object.values(series.goodput_bps ?? {});
        const theirs = series.time_us ?? [];

        if (!rows.length || !theirs.length)
            return null;
        const total = timeline.total(rows);
        let at = 0;

        return { name: model.runName(chosen), values: times.map((time) => {
            while (at < theirs.length && theirs[at] < time)
                at++;
            return at < theirs.length ? total[at] : null;
        }) };
    }

    function compareWith(run) {
        if (model.runs.length < 2)
            return null;
        const select = dom.make('select', { onchange: () => { comparison.index = select.value; show(run); } },
            dom.make('option', { value: '' }, 'nothing'),
            model.runs.filter((each) => each !== run).map((each) => dom.make('option', { value: each.position }, model.runName(each))));

        select.value = model.runs[Number(comparison.index)] === run ? '' : comparison.index;
        return dom.make('div', { class: 'choices' }, dom.make('label', {}, 'compare with ', select));
    }

    function runHead(run) {
        if (model.runs.length < 2)
            return null;
        return dom.make('div', { class: 'run-head' },
            dom.make('h2', {}, model.runName(run)), header.statusChip(run.status),
            model.experimentCount > 1 ? dom.make('p', { class: 'note' }, model.experimentTitle(run) + '. ' + header.fabricLine(run.fabric)) : null);
    }

    function pair(...cards) {
        const present = cards.filter(Boolean);

        return present.length ? dom.make('div', { class: 'pair' }, present) : null;
    }

    function runCards(run) {
        const { series, events } = model.details(run);
        const times = series.time_us ?? [];
        const context = { run, series, times, faults: model.faults(run), starts: [], other: other(run, times), comparison: compareWith(run) };
        const cards = [
            header.tiles(run),
            times.length ? [
                timeline.throughput(context),
                pair(timeline.capacity(context), recovery.card(run)),
                pair(timeline.planes(context), timeline.queue(context)),
                evmap.card(context),
                pair(timeline.repairs(context), timeline.paths(context)),
                pair(links.card(context), links.reasons(run)),
            ] : [
                dom.card('Over time', 'This result holds no series: charts over time are left out.'),
                links.reasons(run), recovery.card(run),
            ],
            jobs.card(run), workloads(run), phases(run), hardware.card(run), model.runs.length > 1 ? null : bars.completion(run), eventsTable.card(run, events),
        ].flat().filter(Boolean);

        return { cards, starts: context.starts };
    }

    const table = runsTable.make((run) => {
        show(run);
        shown.scrollIntoView({ block: 'start' });
    });
    const compared = dom.make('div');
    const picker = dom.make('select', { 'aria-label': 'run shown', onchange: () => show(model.runs[Number(picker.value)]) },
        model.runs.map((run) => dom.make('option', { value: run.position }, model.runName(run))));

    function show(run) {
        const { cards, starts } = runCards(run);

        charts.clear();
        shown.replaceChildren(...[runHead(run), ...cards].filter(Boolean));
        if (model.runs.length > 1)
            compared.replaceChildren(...[pair(bars.goodput(run), bars.completion(run))].filter(Boolean));
        for (const start of starts)
            start();
        table.select(run);
        picker.value = run.position;
    }

    function footer(run) {
        const { perf } = run;
        const file = run.experiment.file;

        document.getElementById('footer').append(dom.make('p', {},
            (file ? 'From ' + file + '. ' : '') + (perf && units.isNumber(perf.wall_s) ?
                units.count(perf.packet_hops) + ' packet-hops in ' + units.time(perf.wall_s * 1e6) + ' (' + units.count(Math.round(perf.packet_hops_per_s)) + ' a second), ' +
                units.bytes(perf.peak_rss_bytes) + ' of memory. ' : '') + 'Charts: uPlot (MIT).'));
    }

    main.append(...[header.title(), header.criteria(),
        model.runs.length > 1 ? dom.make('nav', { class: 'picker' }, dom.make('label', {}, 'Run shown ', picker)) : null,
        ...(model.runs.length > 1 ? [compared, table.card, shown] : [shown, table.card])].filter(Boolean));
    show(model.runs[0]);
    footer(model.runs[0]);
    document.documentElement.dataset.ready = String(model.runs.length);
})();
