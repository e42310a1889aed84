/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as people read them. What is not a number is a dash. */
const units = (() => {
    const none = '\u2013';

    function isNumber(value) {
        return typeof value === 'number' && Number.isFinite(value);
    }

    /* Three significant digits, and no more than the number has. */
    function plain(value) {
        const size = Math.abs(value);
        const digits = size >= 100 || size === 0 ? 0 : size >= 10 ? 1 : 2;

        return String(Number(value.toFixed(digits)));
    }

    function scaled(value, steps) {
        if (!isNumber(value))
            return none;
        /* A little below the step, so that 999.7 of one unit is 1 of the next. */
        const [factor, unit] = steps.find(([least]) => Math.abs(value) >= least * 0.9995) ?? steps[steps.length - 1];

        return plain(value / factor) + '\u00a0' + unit;
    }

    const rate = (bps) => scaled(bps, [[1e15, 'Pb/s'], [1e12, 'Tb/s'], [1e9, 'Gb/s'], [1e6, 'Mb/s'], [1e3, 'kb/s'], [1, 'b/s']]);
    const time = (us) => scaled(us, [[1e6, 's'], [1e3, 'ms'], [1, 'µs'], [1e-3, 'ns']]);
    const bytes = (count) => scaled(count, [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB'], [1, 'B']]);

    function count(value) {
        if (!isNumber(value))
            return none;
        return Math.abs(value) < 1e6 ? value.toLocaleString('en-US', { maximumFractionDigits: 2 }) :
            scaled(value, [[1e12, 'T'], [1e9, 'G'], [1e6, 'M']]);
    }

    function percent(fraction, digits = 1) {
        return isNumber(fraction) ? (100 * fraction).toFixed(digits) + '\u00a0%' : none;
    }

    function index(value) {
        return isNumber(value) ? value.toFixed(value > 0.9995 && value < 1 ? 4 : 3) : none;
    }

    /* Whatever a result holds: an element of "settings", a criterion's value. */
    function any(value) {
        if (isNumber(value))
            return Number.isInteger(value) ? value.toLocaleString('en-US') : String(Number(value.toPrecision(4)));
        if (value === null || value === undefined)
            return none;
        return typeof value === 'object' ? JSON.stringify(value) : String(value);
    }

    /* fault_began -> fault began */
    function words(name) {
        return String(name).replaceAll('_', ' ');
    }

    function plural(number, noun) {
        return count(number) + ' ' + noun + (number === 1 ? '' : 's');
    }

    /* Distances between the ticks of an axis of bytes: 1, 2, 4, ... */
    const byteSteps = Array.from({ length: 50 }, (_, power) => 2 ** power);

    return { none, byteSteps, isNumber, rate, time, bytes, count, percent, index, any, words, plural };
})();
