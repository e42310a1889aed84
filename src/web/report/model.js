/* SPDX-License-Identifier: Apache-2.0 */
/* The results inside the page, in the shape the charts want. Every section of a result may be missing. */
const model = (() => {
    function parse(element) {
        return JSON.parse(element.textContent);
    }

    /* One entry for each run of each document, in order. */
    function readRuns() {
        const runs = [];

        document.querySelectorAll('script.result').forEach((element, documentIndex) => {
            const result = parse(element);

            result.runs.forEach((run, index) => runs.push({
                ...run,
                summary: run.summary ?? {},
                criteria: run.criteria ?? [],
                experiment: result.experiment ?? {},
                fabric: result.fabric ?? {},
                hardware: run.hardware ?? result.hardware,
                version: result.version,
                documentIndex,
                detailsId: 'details-' + documentIndex + '-' + index,
                position: runs.length,
            }));
        });
        return runs;
    }

    const runs = readRuns();
    const experimentCount = new Set(runs.map((run) => run.documentIndex)).size;

    /* What the parts of an EV are called. Only two tiers have planes and uplinks. */
    function placeWords(fabric) {
        return fabric.switches ? { plane: 'port', uplink: 'path' } : { plane: 'plane', uplink: 'uplink' };
    }

    function experimentTitle(run) {
        return run.experiment.title || run.experiment.name || 'experiment';
    }

    /* What tells a run from the others on this page. */
    function settingName(run) {
        const seed = 'seed ' + run.seed;
        const own = run.label ?? '';
        /* Runs of one experiment that differ by seed carry it in their labels: it has a column of its own here. */
        const label = (own.endsWith(seed) ? own.slice(0, -seed.length).replace(/[\s,;:·]+$/, '') : own) || 'default';

        return experimentCount > 1 ? (run.experiment.name ?? '') + ' · ' + label : label;
    }

    function runName(run) {
        return settingName(run) + ' · seed ' + run.seed;
    }

    /* Runs that differ by nothing but the seed: [{ name, runs }]. */
    function groups() {
        const byName = new Map();

        for (const run of runs) {
            const key = run.documentIndex + ' ' + settingName(run);

            if (!byName.has(key))
                byName.set(key, { name: settingName(run), runs: [] });
            byName.get(key).runs.push(run);
        }
        return [...byName.values()];
    }

    /* Series and events are large, so they are read when somebody looks. The last few are kept. */
    const opened = new Map();

    function details(run) {
        if (!opened.has(run.position)) {
            const element = document.getElementById(run.detailsId);
            const found = element ? parse(element) : {};

            if (opened.size >= 4)
                opened.delete(opened.keys().next().value);
            opened.set(run.position, { series: found.series ?? {}, events: found.events ?? [] });
        }
        return opened.get(run.position);
    }

    /* Times when each fault was there: [{ what, spans: [[from, until]...] }]. */
    function faults(run) {
        const { series, events } = details(run);
        const times = series.time_us ?? [];
        const end = Math.max(run.simulated_us ?? 0, times[times.length - 1] ?? 0);
        const byIndex = new Map();

        for (const event of events) {
            if (event.kind !== 'fault_began' && event.kind !== 'fault_ended')
                continue;
            const key = event.fault ?? event.what;
            const fault = byIndex.get(key) ?? { what: event.what ?? 'fault', spans: [], since: null };

            byIndex.set(key, fault);
            if (event.kind === 'fault_began') {
                fault.since ??= event.time_us;
            } else {
                fault.spans.push([fault.since ?? 0, event.time_us]);
                fault.since = null;
            }
        }
        for (const fault of byIndex.values())
            if (fault.since !== null)
                fault.spans.push([fault.since, end]);
        return [...byIndex.values()].filter((fault) => fault.spans.length > 0);
    }

    function sum(values) {
        return Object.values(values ?? {}).reduce((total, value) => total + (units.isNumber(value) ? value : 0), 0);
    }

    function mean(values) {
        const numbers = values.filter(units.isNumber);

        return numbers.length ? sum(numbers) / numbers.length : null;
    }

    /* What the counters mean: the registry of metrics. */
    function metrics() {
        return parse(document.getElementById('metrics'));
    }

    return { runs, metrics, experimentCount, experimentTitle, settingName, runName, groups, details, faults, sum, mean, placeWords };
})();
