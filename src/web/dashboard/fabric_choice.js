/* SPDX-License-Identifier: Apache-2.0 */
/* The card about the link or node that the reader chose: its state, and what can be done to it. */
const fabricChoice = (() => {
    const faults = [
        ['down', 'Down', ['down']],
        ['loss', 'Lose 1 %', ['loss', '1%']],
        ['blackhole', 'Blackhole', ['blackhole']],
        ['flap', 'Flap', ['flap', '500ms', '50%']],
    ];

    function directions(value, up, down) {
        return value & up && value & down ? 'both directions' : value & up ? 'away from its lower end' : 'towards its lower end';
    }

    /* "down, both directions" */
    function stateText(state, i) {
        const { bits } = fabricModel;
        const value = state.bits[i];

        if (value & (bits.downUp | bits.downDown))
            return 'down, ' + directions(value, bits.downUp, bits.downDown);
        if (value & (bits.hurtUp | bits.hurtDown))
            return 'impaired by a fault, ' + directions(value, bits.hurtUp, bits.hurtDown);
        if (state.lost[i] > 0)
            return 'loses packets';
        if (value & bits.accused)
            return 'bad, by the verdict of the controller' + (value & bits.drained ? '; drained' : '');
        if (value & bits.drained)
            return 'drained';
        return value & bits.free ? 'up; no process has the NIC open' : 'up';
    }

    function load(thousandths) {
        return (thousandths / 10).toFixed(thousandths < 100 ? 1 : 0) + '\u00a0%';
    }

    function describeLink(model, state, i) {
        return model.linkName(i) + ': ' + stateText(state, i) + ', load ' + load(state.up[i]) + ' up, ' + load(state.down[i]) + ' down' +
            (state.lost[i] ? ', ' + units.plural(state.lost[i], 'packet') + ' lost' : '');
    }

    function countStates(model, state, links) {
        const counts = new Map();

        for (const i of links)
            if (state.code[i] > fabricModel.at.full)
                counts.set(fabricModel.classes[state.code[i]], (counts.get(fabricModel.classes[state.code[i]]) ?? 0) + 1);
        return units.plural(links.length, 'link') + (counts.size ? ': ' + [...counts].map(([name, count]) => count + ' ' + name).join(', ') : ', all healthy');
    }

    function describe(model, state, choice) {
        if (choice.kind === 'link')
            return describeLink(model, state, choice.index);
        return model.nodeName(choice.index) + ', ' + countStates(model, state, fabricModel.linksOf(model, choice.index));
    }

    function nameOf(model, choice) {
        return choice.kind === 'link' ? model.linkName(choice.index) : model.nodeName(choice.index);
    }

    /* The first word of a fault. */
    function wordOf(model, choice) {
        if (choice.kind === 'link')
            return 'link';
        return choice.index < model.nics ? 'nic' : 'switch';
    }

    function facts(model, state, choice) {
        const list = dom.make('dl', { class: 'facts' });
        const add = (term, text) => list.append(dom.make('dt', {}, term), dom.make('dd', {}, text));

        if (choice.kind === 'node') {
            const links = fabricModel.linksOf(model, choice.index);

            add('links', countStates(model, state, links));
            add('load', load(links.reduce((sum, i) => sum + Math.max(state.up[i], state.down[i]), 0) / Math.max(1, links.length)) + ' on average');
            return list;
        }
        const i = choice.index;

        add('between', model.nodeName(model.first[i]) + ' and ' + model.nodeName(model.second[i]) + ', plane ' + model.plane[i]);
        add('state', stateText(state, i));
        add('load', load(state.up[i]) + ' up, ' + load(state.down[i]) + ' down');
        add('lost', units.count(state.lost[i]) + ' since the last sample');
        add('queue', units.bytes(state.queue[i]));
        return list;
    }

    /* context: { model, state, can, act(wish), find(name) } */
    function make(context) {
        const { model } = context;
        const body = dom.make('div');
        const problem = dom.make('p', { class: 'note', role: 'status' });
        const search = dom.make('input', { type: 'search', placeholder: 'p0.t0.0-t1.0, p0.t1.1, h3', 'aria-label': 'find a link, switch or NIC by its name', size: 18 });
        let choice = null;
        let shown = '';

        async function ask(wish) {
            problem.textContent = await context.act(wish);
        }

        function actionButtons() {
            const name = nameOf(model, choice);
            const what = wordOf(model, choice);
            const canFault = context.can.includes('fault');
            const canDrain = context.can.includes('drain');
            const wish = (label, text, body_, enabled, why, danger) => dom.make('button', {
                type: 'button', class: 'plain' + (danger ? ' danger' : ''), 'data-action': label, disabled: !enabled, title: enabled ? null : why, onclick: () => ask(body_),
            }, text);

            if (!context.can.length)
                return null;
            return dom.make('div', { class: 'actions' },
                faults.map(([label, text, words]) => wish(label, text, { fault: [what, name, ...words] }, canFault, 'Faults can be injected into a soft fabric.', true)),
                wish('up', 'End faults', { fault: [what, name, 'up'] }, canFault, 'Faults can be injected into a soft fabric.'),
                wish('drain', 'Drain', { drain: name }, canDrain && what !== 'nic', 'A controller, mrcd, drains links and switches.'),
                wish('restore', 'Restore', { restore: name }, canDrain && what !== 'nic', 'A controller, mrcd, restores links and switches.'));
        }

        function update() {
            if (!choice) {
                body.replaceChildren(dom.make('p', { class: 'note' }, 'Choose a link or a switch in the drawing, or type its name.'));
                return;
            }
            const text = nameOf(model, choice);

            if (shown !== text) {
                shown = text;
                problem.textContent = '';
                body.replaceChildren(dom.make('h3', { class: 'mono', 'data-chosen': text }, text), dom.make('div', { class: 'fact-list' }), actionButtons() ?? '');
            }
            body.querySelector('.fact-list').replaceChildren(facts(model, context.state, choice));
        }

        function choose(found) {
            choice = found;
            shown = '';
            update();
        }

        function findByName(name) {
            const link = model.linkIndex(name);
            const node = model.nodeIndex(name);

            return link >= 0 ? { kind: 'link', index: link } : node >= 0 ? { kind: 'node', index: node } : null;
        }

        search.addEventListener('change', () => {
            const found = findByName(search.value.trim());

            if (found)
                context.find(found);
            else if (search.value.trim())
                problem.textContent = 'There is no ' + search.value.trim() + ' here.';
        });
        update();
        return { element: dom.card('Chosen', null, search, body, problem), choose, update, findByName };
    }

    return { make, describe };
})();
