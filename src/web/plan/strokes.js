/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of drawings: rows of blocks that stand for many switches, bundles of links between rows, labels. */
const strokes = (() => {
    const number = (value) => value.toLocaleString('en-US');

    /* Blocks of equal size, a power of two of elements in each unless `most` blocks suffice. */
    function grouping(count, most) {
        let size = 1;

        while (Math.ceil(count / size) > most)
            size *= 2;
        return { size, blocks: Math.ceil(count / size) };
    }

    function text(x, y, content, className = '', anchor = 'middle') {
        return dom.svg('text', { x: x.toFixed(1), y: y.toFixed(1), class: className, 'text-anchor': anchor }, content);
    }

    /* A row of blocks. row: { left, width, top, height, count, first, most, color, label(first, count), open(first, count), isMarked(first, count) }.
     * Returns the elements and a function from an element of the row to the middle of its block. */
    function blocks(row) {
        const { size, blocks: blockCount } = grouping(row.count, row.most);
        const gap = Math.min(4, row.width / blockCount / 5);
        const pitch = row.width / blockCount;
        const elements = [];

        for (let i = 0; i < blockCount; i++) {
            const first = row.first + i * size;
            const count = Math.min(size, row.first + row.count - first);
            const open = row.open && (() => row.open(first, count));
            const block = dom.svg('rect', {
                x: (row.left + i * pitch + gap / 2).toFixed(2), y: row.top, width: Math.max(pitch - gap, 0.8).toFixed(2), height: row.height,
                rx: Math.min(4, (pitch - gap) / 3).toFixed(1), style: '--own: var(--line-' + row.color % 8 + ')',
                class: 'block' + (row.isMarked?.(first, count) ? ' marked' : '') + (open ? ' opens' : ''),
                ...open ? { tabindex: 0, role: 'button' } : {},
            }, dom.svg('title', {}, row.label(first, count)));

            if (open) {
                block.addEventListener('click', open);
                block.addEventListener('keydown', (event) => (event.key === 'Enter' || event.key === ' ') && (event.preventDefault(), open()));
            }
            elements.push(block);
        }
        return {
            elements, size, count: blockCount, pitch,
            middle: (index) => row.left + (Math.floor((index - row.first) / size) + 0.5) * pitch,
            at: (block) => row.left + (block + 0.5) * pitch,
        };
    }

    /* Lines from each of some blocks above to each of some below: at most `most` at each end. */
    function mesh(above, aboveY, below, belowY, color, most = 24) {
        const pick = (row) => {
            const count = Math.min(row.count, most);

            return Array.from({ length: count }, (_, i) => row.at(Math.round(i * (row.count - 1) / Math.max(count - 1, 1))));
        };
        let d = '';

        for (const from of pick(above))
            for (const to of pick(below))
                d += 'M' + from.toFixed(1) + ' ' + aboveY + 'L' + to.toFixed(1) + ' ' + belowY;
        return dom.svg('path', { d, class: 'mesh', style: '--own: var(--line-' + color % 8 + ')' });
    }

    /* A band whose ends have different widths. */
    function band(topLeft, topRight, top, bottomLeft, bottomRight, bottom, color, className = 'band') {
        return dom.svg('path', {
            d: 'M' + [topLeft, top].join(' ') + 'L' + [topRight, top].join(' ') + 'L' + [bottomRight, bottom].join(' ') + 'L' + [bottomLeft, bottom].join(' ') + 'Z',
            class: className, style: '--own: var(--line-' + color % 8 + ')',
        });
    }

    function line(points, className) {
        return dom.svg('path', { d: 'M' + points.map(([x, y]) => x.toFixed(1) + ' ' + y.toFixed(1)).join('L'), class: className });
    }

    /* A label on a plate, so that lines behind it do not disturb. */
    function plate(x, y, content, className = '') {
        const width = content.length * 6.7 + 16;

        return dom.svg('g', { class: 'plate ' + className },
            dom.svg('rect', { x: (x - width / 2).toFixed(1), y: y - 11, width: width.toFixed(1), height: 22, rx: 11 }), text(x, y + 4.5, content));
    }

    /* A triangle that points upward. */
    function mark(x, y) {
        return dom.svg('path', { class: 'mark', d: 'M' + x.toFixed(1) + ' ' + y + 'l-6 10h12z' });
    }

    return { number, text, blocks, mesh, band, line, plate, mark };
})();
