/* SPDX-License-Identifier: Apache-2.0 */
/* Builds elements. Text from results only ever becomes text: nothing here reads markup. */
const dom = (() => {
    const svgNamespace = 'http://www.w3.org/2000/svg'; /* a name: nothing is fetched */

    function append(element, children) {
        for (const child of children.flat(Infinity))
            if (child !== null && child !== undefined && child !== false)
                element.append(child instanceof Node ? child : String(child));
        return element;
    }

    /* make('p', { class: 'note', onclick: f }, 'text', otherElement...) */
    function make(tag, attributes = {}, ...children) {
        const element = document.createElement(tag);

        for (const [key, value] of Object.entries(attributes))
            if (key.startsWith('on'))
                element.addEventListener(key.slice(2), value);
            else if (value !== null && value !== undefined && value !== false)
                element.setAttribute(key, value === true ? '' : String(value));
        return append(element, children);
    }

    function svg(tag, attributes = {}, ...children) {
        const element = document.createElementNS(svgNamespace, tag);

        for (const [key, value] of Object.entries(attributes))
            element.setAttribute(key, String(value));
        return append(element, children);
    }

    /* A card of the page: a heading, a note under it, and what it is about. */
    function card(title, note, ...children) {
        return make('section', { class: 'card' },
            make('div', { class: 'card-head' },
                make('h2', {}, title),
                note ? make('p', { class: 'note' }, note) : null),
            ...children);
    }

    /* rows: arrays of cells; a cell is text, a number or an element. */
    function table(head, rows, className = '') {
        return make('div', { class: 'scroll' },
            make('table', { class: className },
                make('thead', {}, make('tr', {}, head.map((text) => make('th', { scope: 'col' }, text)))),
                make('tbody', {}, rows.map((cells) =>
                    make('tr', {}, cells.map((cell) => make('td', {}, cell)))))));
    }

    return { make, svg, card, table };
})();
