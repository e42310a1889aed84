/* SPDX-License-Identifier: Apache-2.0 */
/* Bars that compare runs: goodput and completion times, runs that differ by seed alone in one row. */
const bars = (() => {
    const rowCountMax = 40;

    function place(fraction) {
        return (100 * Math.min(Math.max(fraction, 0), 1)).toFixed(2) + '%';
    }

    function mark(className, from, until, title) {
        return dom.make('i', { class: className, title, style: 'left:' + place(from) + ';width:' + place(until - from) });
    }

    function dot(className, at, title) {
        return dom.make('i', { class: className, title, style: 'left:' + place(at) });
    }

    function rows(entries) {
        return dom.make('div', { class: 'bars' }, entries.slice(0, rowCountMax).map(({ name, marks, value, isSelected }) => [
            dom.make('span', { class: 'name' + (isSelected ? ' selected' : ''), title: name }, name),
            dom.make('span', { class: 'track' }, marks),
            dom.make('span', { class: 'number' }, value),
        ]), entries.length > rowCountMax ? dom.make('p', { class: 'note' },
            'And ' + (entries.length - rowCountMax) + ' more, in the table of runs.') : null);
    }

    /* One row per setting: the mean as a bar, each seed as a dot. */
    function goodput(selected) {
        const groups = model.groups();

        if (model.runs.length < 2)
            return null;
        const entries = groups.map(({ name, runs }) => {
            const fractions = runs.map((run) => run.summary.goodput_fraction).filter(units.isNumber);
            const mean = model.mean(fractions) ?? 0;

            return {
                name, isSelected: runs.includes(selected),
                marks: [mark('bar', 0, mean, units.percent(mean)),
                    runs.length > 1 ? fractions.slice(0, 300).map((fraction) => dot('seed', fraction, units.percent(fraction))) : null],
                value: fractions.length ? units.percent(mean) : units.none,
            };
        });

        return dom.card('Goodput by run', 'Of the ideal, which is the whole width' +
            (groups.length < model.runs.length ? '; bars are means, dots the seeds.' : '.'), rows(entries));
    }

    /* Several seeds as one: the extremes of the extremes, the means of the percentiles. */
    function combine(times) {
        const all = times.filter((time) => time && time.count > 0 && units.isNumber(time.max));

        if (!all.length)
            return null;
        const mean = (key) => model.mean(all.map((time) => time[key]));

        return {
            min: Math.min(...all.map((time) => time.min ?? time.p50)), max: Math.max(...all.map((time) => time.max)),
            p50: mean('p50'), p99: mean('p99'), p999: mean('p999'),
        };
    }

    function completionEntries(selected) {
        const entries = [];

        for (const { name, runs } of model.groups()) {
            const workloads = new Set(runs.flatMap((run) => Object.keys(run.summary.workloads ?? {})));
            const add = (label, pick) => {
                const times = combine(runs.map(pick));

                if (times)
                    entries.push({ name: label, times, isSelected: model.runs.length > 1 && runs.includes(selected) });
            };

            for (const workload of workloads)
                add(model.groups().length > 1 ? name + ' · ' + workload : workload,
                    (run) => run.summary.workloads?.[workload]?.completion_us);
            if (!workloads.size)
                add(name, (run) => run.summary.completion_us);
        }
        return entries;
    }

    function completion(selected) {
        const entries = completionEntries(selected);

        if (!entries.length)
            return null;
        const end = Math.max(...entries.map(({ times }) => times.max)) * 1.02;
        const key = (className, text) => dom.make('span', { class: 'key' }, dom.make('i', { class: className }), text);

        return dom.card('Completion times', 'From zero to ' + units.time(end) + '. At the right: median, p99, longest.',
            dom.make('div', { class: 'keys' }, key('key-range', 'shortest to longest'), key('key-box', 'median to p99'), key('key-tail', 'p99.9')),
            rows(entries.map(({ name, times, isSelected }) => ({
                name, isSelected,
                marks: [
                    mark('range', times.min / end, times.max / end, 'from ' + units.time(times.min) + ' to ' + units.time(times.max)),
                    units.isNumber(times.p99) ? mark('box', times.p50 / end, times.p99 / end, 'median ' + units.time(times.p50) + ', p99 ' + units.time(times.p99)) : null,
                    dot('median', times.p50 / end, 'median ' + units.time(times.p50)),
                    units.isNumber(times.p999) ? dot('tail', times.p999 / end, 'p99.9 ' + units.time(times.p999)) : null,
                ],
                value: [times.p50, times.p99, times.max].map(units.time).join(' / '),
            }))));
    }

    return { rows, mark, dot, goodput, completion };
})();
