/* SPDX-License-Identifier: Apache-2.0 */
/* Light and dark: follows the system until the reader chooses, and lends the style sheet's colours to the canvases. */
const theme = (() => {
    const root = document.documentElement;
    const system = matchMedia('(prefers-color-scheme: dark)');
    const listeners = [];
    let chosen = null;
    let cache = new Map();

    function apply(name) {
        root.dataset.theme = name;
        cache = new Map();
        for (const listener of listeners)
            listener();
    }

    function follow() {
        apply(chosen ?? (system.matches ? 'dark' : 'light'));
    }

    function toggle() {
        chosen = root.dataset.theme === 'dark' ? 'light' : 'dark';
        try {
            localStorage.setItem('openmrc-theme', chosen);
        } catch {
            /* A page from a file may have no storage: the choice lasts as long as the page. */
        }
        follow();
    }

    /* The value of a custom property, --name. */
    function color(name) {
        if (!cache.has(name))
            cache.set(name, getComputedStyle(root).getPropertyValue('--' + name).trim());
        return cache.get(name);
    }

    /* The n-th of the colours that stay apart for every kind of colour vision. */
    function line(index) {
        return color('line-' + (index % 8));
    }

    try {
        chosen = localStorage.getItem('openmrc-theme');
    } catch {
        chosen = null;
    }
    if (chosen !== 'light' && chosen !== 'dark')
        chosen = null;
    system.addEventListener('change', follow);
    addEventListener('beforeprint', () => apply('light'));
    addEventListener('afterprint', follow);
    follow();

    return { toggle, color, line, onChange: (listener) => listeners.push(listener) };
})();
