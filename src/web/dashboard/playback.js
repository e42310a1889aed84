/* SPDX-License-Identifier: Apache-2.0 */
/* Plays back one run, or two side by side, with a slider for the time. */
const playback = (() => {
    const frameMs = 100;
    const lineOf = (index) => () => theme.line(index);

    /* The fabric, planes and EVs of one run. */
    function makeSide(run, isPair) {
        const state = run.model ? fabricModel.emptyState(run.model) : null;
        let sample = null;
        const view = run.model ? fabricView.make({
            model: run.model, state, describe: (found) => fabricChoice.describe(run.model, state, found), onChoose: () => {},
            summary: (plane) => sample?.planes[plane] ? units.rate(sample.planes[plane].bps) : '',
        }) : null;
        const grid = evGrid.make();
        const faults = overview.faultList(null);
        const verdicts = run.map ? overview.verdictList(null, () => {}) : null;
        const drawing = dom.card(isPair ? run.name : 'Fabric', (isPair ? '' : run.name + '. ') + 'Links have the mean load of their plane.',
            view ? [fabricView.legend(), view.element] : dom.make('p', { class: 'note' }, 'A result has the links of fabrics with planes of two tiers only.'));

        function show(time) {
            sample = playbackModel.sampleAt(run, time);
            if (view) {
                fabricModel.apply(run.model, state, sample.links);
                fabricModel.mark(run.model, state, sample.verdicts.map(({ where }) => where), fabricModel.bits.accused);
                view.draw();
            }
            grid.set(sample.evs, run.series.ev_map ? (run.series.ev_map.flow ?? '') + ': ' : 'The run observed no flow: ');
            faults.set(sample.faults.map(({ kind, where }) => ({ kind, where })));
            verdicts?.set(sample.verdicts, [], true);
            return sample;
        }

        return { drawing, details: [grid.element, verdicts?.element, faults.element], show, run };
    }

    /* Series of both runs over the times of both. */
    function makeCharts(runs) {
        const time = (us) => us === 0 ? '0' : units.time(us);
        const label = (k, text) => runs.length > 1 ? ['A ', 'B '][k] + text : text;
        const dash = (k) => k ? [6, 4] : undefined;
        const joined = (pick) => uPlot.join(runs.map((run) => [run.times, ...pick(run)]));
        const lines = (words) => runs.flatMap((_, k) => words.map((word, i) => ({ label: label(k, word), color: lineOf(runs.length > 1 ? 3 * k + i : i), dash: dash(k) })));
        const throughput = trends.make('Throughput', 'Payload that arrived.', lines(['payload']), { format: units.rate, time });
        const repairs = trends.make('Retransmissions and trims', 'Packets in each interval.', lines(['retransmitted', 'trimmed']), { format: units.count, time });
        const empty = (run) => run.times.map(() => null);

        throughput.set(joined((run) => [run.goodput]));
        repairs.set(joined((run) => [run.series.retransmitted ?? empty(run), run.series.trimmed ?? empty(run)]));
        return [throughput, repairs];
    }

    /* The bar with the slider; onTime(us). */
    function makeBar(end, onTime) {
        const slider = dom.make('input', { type: 'range', min: 0, max: 1000, value: 0, step: 1, 'aria-label': 'time of the run', id: 'time' });
        const shown = dom.make('output', {}, '0');
        const speed = dom.make('select', { 'aria-label': 'duration of the playback' }, [[10, 'in 10 s'], [30, 'in 30 s'], [120, 'in 2 min']].map(([value, text]) => dom.make('option', { value }, text)));
        const button = dom.make('button', { type: 'button', class: 'plain', id: 'play' }, 'Play');
        let timer = null;

        function show() {
            const time = end * Number(slider.value) / 1000;

            shown.textContent = units.time(time);
            onTime(time);
        }

        function stop() {
            clearInterval(timer);
            timer = null;
            button.textContent = 'Play';
        }

        function step() {
            slider.value = String(Number(slider.value) + 1000 * frameMs / 1000 / Number(speed.value));
            show();
            if (Number(slider.value) >= 1000)
                stop();
        }

        slider.step = 'any';
        slider.addEventListener('input', show);
        button.addEventListener('click', () => {
            if (timer)
                return stop();
            if (Number(slider.value) >= 1000)
                slider.value = '0';
            button.textContent = 'Pause';
            timer = setInterval(step, frameMs);
            return undefined;
        });
        return { element: dom.make('div', { class: 'timebar' }, button, slider, shown, speed), show, stop };
    }

    function build(place, runs) {
        const sides = runs.map((run) => makeSide(run, runs.length > 1));
        const end = Math.max(...runs.map((run) => run.end), 1);
        const charts = makeCharts(runs);
        const bars = overview.planeBars();
        const log = eventLog.make((event) => units.time(event.time_us));
        const tiles = overview.tiles([['goodput', 'Payload', 'arrived'], ['faults', 'Faults', 'in force'], ['evs', 'EVs assumed bad', 'of all flows'],
            ['repairs', 'Retransmitted', 'in the interval'], ['trims', 'Trimmed', 'in the interval'], ['queue', 'Deepest queue', 'in the interval']]);
        const both = (samples, format) => samples.map(format).join(' · ');

        function show(time) {
            const samples = sides.map((side) => side.show(time));

            bars.set(samples.map((sample, k) => ({ name: 'AB'[k], planes: sample.planes })));
            tiles.set('goodput', both(samples, (sample) => units.rate(sample.goodput_bps)));
            tiles.set('faults', both(samples, (sample) => units.count(sample.faults.length)), samples.some((sample) => sample.faults.length > 0));
            tiles.set('evs', both(samples, (sample) => units.count(sample.bad_evs)), samples.some((sample) => sample.bad_evs > 0));
            tiles.set('repairs', both(samples, (sample) => units.count(sample.retransmitted)));
            tiles.set('trims', both(samples, (sample) => units.count(sample.trimmed)));
            tiles.set('queue', both(samples, (sample) => units.bytes(sample.queue_bytes)));
            log.set(sides.flatMap((side, k) => side.run.events.filter((event) => event.time_us <= time)
                .map((event) => runs.length > 1 ? { ...event, event: '', text: 'AB'[k] + ' ' + event.text } : { ...event, event: '' })).sort((a, b) => a.time_us - b.time_us));
            charts.forEach((chart) => chart.mark(time));
            document.documentElement.dataset.time = time;
        }

        const bar = makeBar(end, show);

        place.replaceChildren(bar.element, tiles.element, ...(runs.length > 1 ?
            [dom.make('div', { class: 'sides' }, sides.map((side) => dom.make('div', {}, side.drawing, side.details))), bars.element, ...charts.map((chart) => chart.element)] :
            [dom.make('div', { class: 'layout' }, dom.make('div', {}, sides[0].drawing, charts.map((chart) => chart.element)), dom.make('div', {}, sides[0].details, bars.element))]), log.element);
        bar.show();
        return () => {
            bar.stop();
            charts.forEach((chart) => chart.remove());
        };
    }

    /* ---- choosing runs ---- */

    function start(main, results) {
        const place = dom.make('div');
        const files = dom.make('input', { type: 'file', multiple: true, accept: '.json,application/json', 'aria-label': 'open results' });
        const problem = dom.make('p', { class: 'note', role: 'status' });
        const first = dom.make('select', { 'aria-label': 'run A', 'data-choose': 'a' });
        const second = dom.make('select', { 'aria-label': 'run B', 'data-choose': 'b' });
        let runs = results.flatMap(({ result, details }) => playbackModel.runsOf(result, details));
        /* With two results, the first runs of both are shown. */
        const other = results.length > 1 ? results[0].result.runs.length : 0;
        let close = () => {};

        function show() {
            const chosen = [runs[first.value], runs[second.value]].filter(Boolean);

            close();
            close = chosen.length ? build(place, chosen) : () => {};
        }

        function list() {
            const option = (run, i) => dom.make('option', { value: i }, run.name);

            first.replaceChildren(...runs.map(option));
            second.replaceChildren(dom.make('option', { value: '' }, 'nothing'), ...runs.map(option));
            if (other > 0)
                second.value = String(other);
            show();
        }

        async function open(list_) {
            problem.textContent = '';
            for (const file of list_)
                try {
                    const result = JSON.parse(await file.text());

                    if (result.openmrc_result !== 1 || !Array.isArray(result.runs))
                        throw new Error('not a result of mrc sim');
                    runs = runs.concat(playbackModel.runsOf(result, (index) => ({ series: result.runs[index].series ?? {}, events: result.runs[index].events ?? [] })));
                } catch (error) {
                    problem.textContent = file.name + ': ' + error.message;
                }
            list();
        }

        files.addEventListener('change', () => open(files.files));
        first.addEventListener('change', show);
        second.addEventListener('change', show);
        addEventListener('dragover', (event) => event.preventDefault());
        addEventListener('drop', (event) => {
            event.preventDefault();
            open(event.dataTransfer.files);
        });
        document.title = 'OpenMRC playback';
        document.body.classList.add('wide');
        main.append(dom.make('div', { class: 'head' }, dom.make('h1', {}, 'Playback'), dom.make('label', {}, 'run ', first), dom.make('label', {}, 'compared with ', second), files,
            dom.make('button', { type: 'button', class: 'plain', id: 'theme', onclick: theme.toggle }, 'light or dark')), problem, place);
        list();
        document.documentElement.dataset.ready = runs.length;
    }

    return { start };
})();
