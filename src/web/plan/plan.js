/* SPDX-License-Identifier: Apache-2.0 */
/* The page: what to build, drawn and counted. */
(() => {
    const plan = JSON.parse(document.getElementById('plan').textContent);
    const { fabric } = plan;
    const { number } = strokes;
    const shapes = { clos: 'Clos', 'rail-optimised': 'rail-optimised', 'rail-only': 'rail-only', zcube: 'ZCube', infiniband: 'InfiniBand' };

    function title() {
        return number(fabric.gpus) + (fabric.gpus === 1 ? ' GPU' : ' GPUs') + ' at ' + units.rate(fabric.nic_bps);
    }

    function subtitle() {
        const tiers = fabric.shape === 'zcube' ? fabric.tiers.length + ' levels' : fabric.tiers.length === 1 ? 'one tier' : fabric.tiers.length + ' tiers';
        const planes = fabric.shape === 'rail-only' ? fabric.planes + ' rails of ' + tiers : fabric.planes > 1 ? fabric.planes + ' planes of ' + tiers : tiers;

        return shapes[fabric.shape] + ', ' + planes + ', switches of ' + units.rate(fabric.switch_bps) + ', ports of ' + units.rate(fabric.port_bps) +
            (fabric.uplink_bps !== fabric.port_bps ? ', uplinks of ' + units.rate(fabric.uplink_bps) : '');
    }

    function head() {
        const chip = (text) => dom.make('span', { class: 'chip chip-plain' }, text);

        document.title = title() + ' · OpenMRC plan';
        return dom.make('header', { class: 'top' },
            dom.make('div', { class: 'kicker' }, dom.make('span', {}, 'OpenMRC plan'),
                dom.make('button', { type: 'button', class: 'plain', id: 'theme', title: 'light or dark', onclick: theme.toggle }, '◐ theme')),
            dom.make('h1', {}, title()), dom.make('p', { class: 'fabric' }, subtitle()),
            dom.make('div', { class: 'chips' }, dom.make('code', { class: 'command' }, plan.command.join(' ')), chip('mrc ' + plan.version),
                fabric.is_estimated ? chip('planes differ: counts are rounded up') : null));
    }

    const drawn = drawing.card(fabric);
    const grown = growth.card(plan);

    document.getElementById('page').append(head(), figures.tiles(plan), drawn.element, candidates.card(plan), outages.card(plan), outages.measured(plan),
        grown.element, figures.bill(plan), figures.all(plan));
    document.getElementById('footer').append(dom.make('p', {}, 'What the figures assume and what is not modelled: docs/plan.md. ' +
        'Paths with their addresses: mrc plan path. Configurations: mrc plan config.'));
    drawn.start();
    grown.start();
    document.documentElement.dataset.ready = String(plan.rows.length);
})();
