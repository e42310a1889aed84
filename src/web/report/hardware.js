/* SPDX-License-Identifier: Apache-2.0 */
/* The NICs and switches of a run: presets, every value that is not ideal, and where it comes from. */
const hardware = (() => {
    const shown = {
        'count': units.count,
        'bit/s': units.rate,
        'ps': (ps) => units.time(ps / 1e6),
        'bytes': (count) => units.any(count) + '\u00a0B',
    };

    function originChip(origin) {
        const kind = { published: 'good', assumed: 'warn' }[origin] ?? 'plain';

        return dom.make('span', { class: 'chip chip-' + kind }, units.any(origin));
    }

    function note(run, entries) {
        const assumed = entries.filter(([, setting]) => setting.origin === 'assumed').map(([key]) => units.words(key));

        return 'NIC ' + units.any(run.hardware.nic) + ', switch ' + units.any(run.hardware.switch) + '. ' + (assumed.length ?
            'Not published but assumed: ' + assumed.join(', ') + '.' : 'No value is assumed.');
    }

    function card(run) {
        if (!run.hardware)
            return null;
        const entries = Object.entries(run.hardware.settings ?? {}).filter(([, setting]) => setting);

        return dom.card('Hardware', note(run, entries), entries.length ? dom.table(['setting', 'value', 'origin', 'source'],
            entries.map(([key, setting]) => [units.words(key), (shown[setting.unit] ?? units.any)(setting.value),
                originChip(setting.origin), setting.source ? units.any(setting.source) : units.none])) : null);
    }

    return { card };
})();
