/* SPDX-License-Identifier: Apache-2.0 */
/* A run of a result as a sequence of samples, in the form that a running fabric sends. */
const playbackModel = (() => {
    const stateWords = { G: 'good', S: 'skip', U: 'suspect', B: 'bad', D: 'denied' };

    function sumAt(seriesByName, k) {
        return Object.values(seriesByName ?? {}).reduce((total, values) => total + (values?.[k] ?? 0), 0);
    }

    /* Times when each fault was there: [{ kind, where, links, spans }]. */
    function findFaults(model, events, end) {
        const byNumber = new Map();

        for (const event of events) {
            if (event.kind !== 'fault_began' && event.kind !== 'fault_ended')
                continue;
            const key = event.fault ?? event.what;

            if (!byNumber.has(key)) {
                const names = Array.isArray(event.where) ? event.where : [];

                byNumber.set(key, { kind: event.fault_kind ?? '', where: names.join(', ') || (event.what ?? ''), spans: [], since: null, names });
            }
            const fault = byNumber.get(key);

            if (event.kind === 'fault_began')
                fault.since ??= event.time_us;
            else {
                fault.spans.push([fault.since ?? 0, event.time_us]);
                fault.since = null;
            }
        }
        for (const fault of byNumber.values()) {
            if (fault.since !== null)
                fault.spans.push([fault.since, end]);
            fault.links = model ? fault.names.flatMap((name) => fabricModel.linksNamed(model, name)) : [];
        }
        return [...byNumber.values()];
    }

    /* A result has the load of planes, in thousandths here, and not that of links. */
    function meansAt(run, k) {
        return planesAt(run, k).map(({ bps, capacity_bps: capacity }) => capacity > 0 ? Math.round(1000 * bps / capacity) : 0);
    }

    const cuts = new Set(['down', 'flap', 'reboot']);

    /* The columns of the links that are not as usual at a time. */
    function linksAt(run, k, time) {
        const rows = new Map();
        const row = (i) => rows.get(i) ?? rows.set(i, { state: 0, lost: 0 }).get(i);

        for (const fault of run.faults)
            if (fault.spans.some(([from, until]) => from <= time && time < until))
                for (const i of fault.links)
                    row(i).state |= cuts.has(fault.kind) ? 3 : 12;
        for (const [name, values] of run.lossyLinks)
            if (values[k] > 0 && run.model.linkIndex(name) >= 0)
                row(run.model.linkIndex(name)).lost = values[k];
        return { means: meansAt(run, k), at: [...rows.keys()], state: [...rows.values()].map(({ state }) => state), lost: [...rows.values()].map(({ lost }) => lost) };
    }

    function planesAt(run, k) {
        const capacity = (run.fabric.host_link_bps ?? 0) * (run.fabric.nics ?? 0);

        return (run.series.plane_bps ?? []).map((values) => ({ bps: values[k] ?? 0, capacity_bps: capacity, down: 0, impaired: 0, lost: 0 }));
    }

    function evsAt(run, k) {
        const map = run.series.ev_map;
        const text = map?.states?.[k] ?? '';

        return (map?.evs ?? []).map((ev, i) => ({
            ev: ev.ev, plane: ev.plane, uplink: ev.uplink, state: stateWords[(text[i] ?? '').toUpperCase()] ?? 'good', active: text[i] === (text[i] ?? '').toUpperCase(),
        }));
    }

    /* The verdicts of the run's own probes that stand at a time. */
    function verdictsAt(run, time) {
        const period = run.map?.period_us ?? 0;

        return (run.map?.verdicts ?? []).filter(({ named, cleared }) => named * period <= time && (cleared === undefined || time < cleared * period))
            .map(({ element, text }) => ({ where: element, text }));
    }

    /* The number of the sample that a time falls into. */
    function indexAt(run, time) {
        let low = 0;
        let high = run.times.length - 1;

        while (low < high) {
            const middle = (low + high) >> 1;

            if (run.times[middle] >= time)
                high = middle;
            else
                low = middle + 1;
        }
        return low;
    }

    function sampleAt(run, time) {
        const k = indexAt(run, time);

        return {
            k, time_us: time, planes: planesAt(run, k), links: run.model ? linksAt(run, k, time) : { at: [] }, evs: evsAt(run, k),
            goodput_bps: run.goodput[k] ?? 0, retransmitted: run.series.retransmitted?.[k] ?? 0, trimmed: run.series.trimmed?.[k] ?? 0, bad_evs: run.series.bad_evs?.[k] ?? 0,
            active_evs: run.series.active_evs?.[k] ?? 0, queue_bytes: run.series.queue_peak_bytes?.[k] ?? 0,
            verdicts: verdictsAt(run, time),
            faults: run.faults.filter((fault) => fault.spans.some(([from, until]) => from <= time && time < until)),
        };
    }

    /* result: a document of mrc-result(5); details(index): { series, events } of a run. */
    function runsOf(result, details) {
        return result.runs.map((run, index) => {
            const { series, events } = details(index);
            const times = series.time_us ?? [];
            const model = fabricShape.fromFabric(result.fabric ?? {});
            const end = Math.max(run.simulated_us ?? 0, times[times.length - 1] ?? 0);

            return {
                name: (result.experiment?.name ?? 'result') + (run.label && run.label !== 'default' ? ' ' + run.label : '') + ', seed ' + run.seed,
                fabric: result.fabric ?? {}, model, series, times, end,
                goodput: times.map((_, k) => sumAt(series.goodput_bps, k)),
                faults: findFaults(model, events ?? [], end),
                map: run.summary?.map,
                lossyLinks: Object.entries(series.lost_by_link ?? {}),
                events: (events ?? []).map((event) => ({ time_us: event.time_us, event: event.kind, text: units.words(event.kind) + (event.what ? ': ' + event.what : ''), kind: event.fault_kind, where: event.what })),
            };
        });
    }

    return { runsOf, sampleAt };
})();
