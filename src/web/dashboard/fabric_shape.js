/* SPDX-License-Identifier: Apache-2.0 */
/* The fabric of a result, made from its numbers: planes of two tiers. The names of links are computed, not stored. */
const fabricShape = (() => {
    /* Fills the two ends and the plane of each link: those of NICs first, then the uplinks, plane by plane. */
    function fillLinks(model, shape) {
        const { planes, nics, t0, t1, hosts } = shape;
        let i = 0;

        for (let nic = 0; nic < nics; nic++)
            for (let p = 0; p < planes; p++, i++) {
                model.first[i] = nic;
                model.second[i] = nics + p * (t0 + t1) + Math.floor(nic / hosts);
                model.plane[i] = p;
            }
        for (let p = 0; p < planes; p++)
            for (let a = 0; a < t0; a++)
                for (let b = 0; b < t1; b++, i++) {
                    model.first[i] = nics + p * (t0 + t1) + a;
                    model.second[i] = nics + p * (t0 + t1) + t0 + b;
                    model.plane[i] = p;
                }
    }

    function linkName(shape, i) {
        const { planes, nics, t0, t1 } = shape;
        const hostLinks = nics * planes;

        if (i < hostLinks)
            return 'h' + Math.floor(i / planes) + '.p' + i % planes;
        const rest = i - hostLinks;

        return 'p' + Math.floor(rest / (t0 * t1)) + '.t0.' + Math.floor(rest / t1) % t0 + '-t1.' + rest % t1;
    }

    function linkIndex(shape, name) {
        const { planes, nics, t0, t1 } = shape;
        const host = /^h(\d+)\.p(\d+)$/.exec(name);
        const uplink = /^p(\d+)\.t0\.(\d+)-t1\.(\d+)/.exec(name);
        const [, x, y, z] = (host ?? uplink ?? []).map(Number);

        if (host)
            return x < nics && y < planes ? x * planes + y : -1;
        return uplink && x < planes && y < t0 && z < t1 ? nics * planes + (x * t0 + y) * t1 + z : -1;
    }

    function nodeName(shape, node) {
        const { nics, t0, t1 } = shape;
        const rest = node - nics;
        const place = rest % (t0 + t1);

        if (node < nics)
            return 'h' + node;
        return 'p' + Math.floor(rest / (t0 + t1)) + (place < t0 ? '.t0.' + place : '.t1.' + (place - t0));
    }

    function nodeIndex(shape, name) {
        const { planes, nics, t0, t1 } = shape;
        const nic = /^h(\d+)$/.exec(name);
        const found = /^p(\d+)\.t([01])\.(\d+)$/.exec(name);
        const [, p, tier, i] = (found ?? []).map(Number);

        if (nic)
            return Number(nic[1]) < nics ? Number(nic[1]) : -1;
        return found && p < planes && i < (tier ? t1 : t0) ? nics + p * (t0 + t1) + (tier ? t0 : 0) + i : -1;
    }

    /* fabric: of a result. Returns null if it is not a fabric of planes, because a result does not have the links of others. */
    function fromFabric(fabric) {
        const shape = { planes: fabric.planes, nics: fabric.nics, t0: fabric.t0, t1: fabric.t1 ?? 0, hosts: fabric.hosts_per_t0 };

        if (fabric.switches || !(shape.planes > 0 && shape.nics > 0 && shape.t0 > 0 && shape.hosts > 0))
            return null;
        const linkCount = shape.nics * shape.planes + shape.planes * shape.t0 * shape.t1;
        const model = {
            name: fabric.name || 'fabric', planes: shape.planes, nics: shape.nics, linkCount,
            nodeCount: shape.nics + shape.planes * (shape.t0 + shape.t1),
            first: new Uint32Array(linkCount), second: new Uint32Array(linkCount), plane: new Uint8Array(linkCount),
            linkName: (i) => linkName(shape, i), linkIndex: (name) => linkIndex(shape, name),
            nodeName: (node) => nodeName(shape, node), nodeIndex: (name) => nodeIndex(shape, name),
        };

        fillLinks(model, shape);
        return fabricModel.complete(model);
    }

    return { fromFabric };
})();
