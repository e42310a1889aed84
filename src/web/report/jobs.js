/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs that share the fabric, each with all its workloads. */
const jobs = (() => {
    const head = ['job', 'NICs', 'workloads', 'start', 'took', 'payload', 'goodput', 'of a NIC'];

    function row(name, job) {
        return [name, units.count(job.nics), units.count(job.workloads), units.time(job.start_us),
            units.isNumber(job.completion_us) ? units.time(job.completion_us) : 'not done',
            units.bytes(job.bytes), units.rate(job.goodput_bps), units.rate(job.nics > 0 ? job.goodput_bps / job.nics : null)];
    }

    function rows(run) {
        return Object.entries(run.summary.jobs ?? {}).map(([name, job]) => row(name, job));
    }

    function card(run) {
        const all = rows(run);

        return all.length ? dom.card('Jobs', 'They share the links between switches. A job takes from its start until all its workloads are done; ' +
            'its goodput is its payload in that time, or until the end of the run.', dom.table(head, all)) : null;
    }

    return { rows, card };
})();
