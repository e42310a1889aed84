/* SPDX-License-Identifier: Apache-2.0 */
/* The card that shows a fabric: all planes side by side, or one of them, with zoom. The reader chooses links and nodes with the
 * pointer or the keyboard. */
const fabricView = (() => {
    const zoomMax = 1 / 4096;

    /* The part [from, until] made `factor` times as long around a point of it, within [0, 1]. */
    function scaled([from, until], factor, share) {
        const length = Math.min(1, Math.max(zoomMax, (until - from) * factor));
        const begin = Math.min(1 - length, Math.max(0, from + share * (until - from - length)));

        return [begin, begin + length];
    }

    function moved([from, until], by) {
        const step = Math.min(1 - until, Math.max(-from, by * (until - from)));

        return [from + step, until + step];
    }

    /* context: { model, state, onChoose(choice), describe(choice) }; returns { element, draw(), choose(), showPlane() }. */
    function make(context) {
        const { model } = context;
        const element = dom.make('div', { class: 'planes' });
        const readout = dom.make('p', { class: 'readout', 'aria-live': 'polite' });
        const panels = Array.from({ length: model.planes }, (_, plane) => makePanel(plane));
        let single = model.planes === 1 ? 0 : null; /* the plane that is shown alone */
        let choice = null;
        let pointed = null;
        let isDirty = false;

        function makePanel(plane) {
            const canvas = dom.make('canvas', {
                tabindex: 0, role: 'img', 'aria-label': 'Plane ' + plane + ': arrow keys choose a link, u the next one that is not healthy, Enter shows the plane alone, plus and minus zoom',
            });
            const summary = dom.make('span', { class: 'note' });
            const button = dom.make('button', { type: 'button', class: 'link', onclick: () => showPlane(single === plane ? null : plane) }, 'Plane ' + plane);
            const figure = dom.make('figure', { class: 'plane', 'data-plane': plane }, dom.make('figcaption', {}, button, summary), canvas);
            const panel = { plane, canvas, summary, button, figure, view: fabricDraw.wholeView(plane) };

            canvas.addEventListener('click', (event) => choose(findAt(panel, event)));
            canvas.addEventListener('dblclick', () => showPlane(single === plane ? null : plane));
            canvas.addEventListener('mousemove', (event) => tell(findAt(panel, event)));
            canvas.addEventListener('wheel', (event) => {
                if (single !== plane)
                    return;
                event.preventDefault();
                zoom(panel, event.deltaY > 0 ? 1.25 : 0.8, pointOf(panel, event));
            }, { passive: false });
            canvas.addEventListener('keydown', (event) => onKey(panel, event));
            element.append(figure);
            return panel;
        }

        function pointOf(panel, event) {
            const { canvas } = panel;

            return { x: event.offsetX, y: event.offsetY, share: Math.min(1, Math.max(0, event.offsetX / (canvas.clientWidth || 1))), rise: Math.min(1, Math.max(0, event.offsetY / (canvas.clientHeight || 1))) };
        }

        function rectOf(panel) {
            return { x: 0, y: 0, width: panel.canvas.clientWidth, height: panel.canvas.clientHeight };
        }

        function findAt(panel, event) {
            const { x, y } = pointOf(panel, event);

            return fabricDraw.find(model, panel.view, rectOf(panel), x, y);
        }

        function zoom(panel, factor, { share, rise }) {
            const isDense = fabricDraw.isDense(model, panel.view);

            panel.view.low = scaled(panel.view.low, factor, share);
            panel.view.high = scaled(panel.view.high, factor, isDense ? rise : share);
            draw();
        }

        function onKey(panel, event) {
            const links = model.order.subarray(model.starts[panel.plane], model.starts[panel.plane + 1]);
            const place = choice?.kind === 'link' ? links.indexOf(choice.index) : -1;
            const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 8, ArrowUp: -8, Home: -links.length, End: links.length }[event.key];

            if (event.key === 'Enter')
                showPlane(single === panel.plane ? null : panel.plane, true);
            else if (event.key === 'Escape')
                showPlane(null, true);
            else if (event.key === '+' || event.key === '-')
                zoom(panel, event.key === '+' ? 0.7 : 1.4, { share: 0.5, rise: 0.5 });
            else if ((event.key === '<' || event.key === '>') && single !== null)
                pan(panel, event.key === '>' ? 0.3 : -0.3);
            else if (event.key === 'u')
                choose(nextUnhealthy(links, place));
            else if (step)
                choose({ kind: 'link', index: links[Math.max(0, Math.min(links.length - 1, place < 0 ? 0 : place + step))] });
            else
                return;
            event.preventDefault();
        }

        function pan(panel, by) {
            panel.view.low = moved(panel.view.low, by);
            panel.view.high = moved(panel.view.high, by);
            draw();
        }

        function nextUnhealthy(links, place) {
            for (let step = 1; step <= links.length; step++) {
                const index = links[(place + step + links.length) % links.length];

                if (context.state.code[index] > fabricModel.at.full)
                    return { kind: 'link', index };
            }
            return choice;
        }

        function tell(found) {
            pointed = found;
            const text = found ? context.describe(found) : choice ? context.describe(choice) : 'Point at a link, or press Tab and the arrow keys.';

            if (readout.textContent !== text)
                readout.textContent = text;
        }

        function choose(found) {
            choice = found;
            tell(found);
            context.onChoose(found);
            draw();
        }

        function showPlane(plane, keepFocus = false) {
            single = model.planes === 1 ? 0 : plane;
            if (plane === null)
                for (const panel of panels)
                    panel.view = fabricDraw.wholeView(panel.plane);
            element.classList.toggle('single', single !== null);
            for (const panel of panels) {
                panel.figure.hidden = single !== null && single !== panel.plane;
                panel.button.textContent = single === panel.plane && model.planes > 1 ? 'Plane ' + panel.plane + ', back to all' : 'Plane ' + panel.plane;
                if (keepFocus && single === panel.plane)
                    panel.canvas.focus();
            }
            draw();
        }

        function paintPanel(panel) {
            const { canvas } = panel;
            const { width, height } = rectOf(panel);
            const scale = devicePixelRatio || 1;

            if (panel.figure.hidden || width === 0)
                return;
            if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
                canvas.width = Math.round(width * scale);
                canvas.height = Math.round(height * scale);
            }
            const target = canvas.getContext('2d');

            target.setTransform(scale, 0, 0, scale, 0, 0);
            fabricDraw.paint(target, { x: 0, y: 0, width, height }, model, context.state, panel.view, choice);
        }

        function drawNow() {
            isDirty = false;
            for (const panel of panels) {
                paintPanel(panel);
                panel.summary.textContent = context.summary(panel.plane);
            }
            tell(pointed);
        }

        function draw() {
            if (!isDirty)
                requestAnimationFrame(drawNow);
            isDirty = true;
        }

        theme.onChange(draw);
        new ResizeObserver(draw).observe(element);
        showPlane(single);
        return { element: dom.make('div', {}, element, readout), draw, drawNow, choose, showPlane, chosen: () => choice };
    }

    function legend() {
        const words = { free: 'no NIC', idle: 'idle', low: 'below 10 %', mid: '10 to 50 %', high: '50 to 90 %', full: 'above 90 %', drained: 'drained', impaired: 'impaired', lossy: 'loses packets', down: 'down' };

        return dom.make('div', { class: 'keys' }, fabricModel.classes.map((name) =>
            dom.make('span', { class: 'key' }, dom.make('i', { style: 'background: var(--link-' + name + ')' }), words[name])));
    }

    return { make, legend };
})();
