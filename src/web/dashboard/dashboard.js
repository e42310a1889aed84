/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the page: results inside it are played back; otherwise its server has a fabric. */
(() => {
    const main = document.getElementById('page');

    function readResults() {
        return [...document.querySelectorAll('script.result')].map((element, document_) => ({
            result: JSON.parse(element.textContent),
            details: (index) => {
                const found = document.getElementById('details-' + document_ + '-' + index);

                return found ? JSON.parse(found.textContent) : { series: {}, events: [] };
            },
        }));
    }

    const results = readResults();

    document.getElementById('footer').append('OpenMRC');
    if (results.length || location.protocol === 'file:')
        playback.start(main, results.map(({ result, details }) => ({
            result, details: (index) => {
                const { series, events } = details(index);

                return { series: series ?? {}, events: events ?? [] };
            },
        })));
    else
        live.start(main).catch((error) => {
            document.documentElement.dataset.error = error.message;
            main.append(dom.make('p', { class: 'notice' }, 'The fabric does not answer: ' + error.message));
        });
})();
