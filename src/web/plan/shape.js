/* SPDX-License-Identifier: Apache-2.0 */
/* The fabric by arithmetic: where a NIC is connected, which paths a pair has. Nothing is listed, so that a fabric of any size costs the same. */
const shape = (() => {
    /* Of a Clos. A unit of level l has units(l) units of level l - 1 and tops(l) switches of tier l; a unit of level 0 is a leaf. Top j of a lower
     * unit has links to the tops of its column, parallel(l) to each. */
    function clos(fabric) {
        const { tiers } = fabric;
        const highest = tiers.length - 1;
        const rails = fabric.shape === 'rail-optimised' ? fabric.rails : 1;
        const isRailOnly = fabric.shape === 'rail-only';
        const perLeaf = tiers[0].host_ports;

        function tops(level) {
            return level === 0 ? 1 : tops(level - 1) * tiers[level - 1].up_ports / tiers[level].parallel;
        }

        /* Leaves below a unit of this level. */
        function leavesOf(level) {
            let leaves = 1;

            for (let tier = 1; tier <= level; tier++)
                leaves *= tiers[tier].units;
            return leaves;
        }

        /* NIC r of server s is connected to leaf r of its group; a rail-only network has every rails-th NIC. */
        function leafOf(nic) {
            if (isRailOnly)
                return Math.floor(Math.floor(nic / fabric.rails) / perLeaf);
            return Math.floor(nic / (perLeaf * rails)) * rails + nic % rails;
        }

        function nicOf(leaf, port, plane) {
            if (isRailOnly)
                return (leaf * perLeaf + port) * fabric.rails + plane;
            return Math.floor(leaf / rails) * perLeaf * rails + port * rails + leaf % rails;
        }

        function switchName(plane, tier, index) {
            return 'p' + plane + '.t' + tier + '.' + index;
        }

        /* The lowest level with a unit that contains both. */
        function commonLevel(from, to) {
            let level = 0;

            while (level < highest && Math.floor(from / leavesOf(level)) !== Math.floor(to / leavesOf(level)))
                level++;
            return level;
        }

        /* choices: an uplink for each tier on the way up. Way up and down have the same tops. */
        function path(from, to, plane, choices) {
            const level = commonLevel(leafOf(from), leafOf(to));
            const up = [];
            const down = [];
            const topsTaken = [0];
            let top = 0;

            for (let tier = 0; tier <= level; tier++) {
                if (tier > 0) {
                    const width = tops(tier) / tops(tier - 1);

                    top = top * width + Math.floor((choices[tier - 1] ?? 0) % tiers[tier - 1].up_ports / tiers[tier].parallel);
                    topsTaken.push(top);
                }
                const index = (leaf) => Math.floor(leaf / leavesOf(tier)) * tops(tier) + top;

                up.push(switchName(plane, tier, index(leafOf(from))));
                if (tier < level)
                    down.unshift(switchName(plane, tier, index(leafOf(to))));
            }
            return { nodes: ['h' + from, ...up, ...down, 'h' + to], level, tops: topsTaken };
        }

        function pair(from, to) {
            const level = commonLevel(leafOf(from), leafOf(to));
            const uplinks = tiers.slice(0, level).map((tier) => tier.up_ports);
            const isApart = isRailOnly && from % fabric.rails !== to % fabric.rails;

            return {
                level, uplinks, isApart, switches: 2 * level + 1, planes: isRailOnly ? 1 : fabric.planes,
                count: isApart ? 0 : uplinks.reduce((product, ports) => product * ports, isRailOnly ? 1 : fabric.planes),
            };
        }

        return { kind: 'clos', highest, tops, leavesOf, leafOf, nicOf, pair, path, isRailOnly };
    }

    /* Of a ZCube(n, k): a NIC has k digits, and a switch of level l all of them but digit l. */
    function zcube(fabric) {
        const n = fabric.tiers[0].units;
        const k = fabric.tiers.length;

        function digit(nic, level) {
            return Math.floor(nic / n ** level) % n;
        }

        function without(nic, level) {
            return Math.floor(nic / n ** (level + 1)) * n ** level + nic % n ** level;
        }

        function nicOf(level, index, port) {
            return Math.floor(index / n ** level) * n ** (level + 1) + port * n ** level + index % n ** level;
        }

        /* Changes one digit after another, upward or downward. The switch of a level changes its digit. */
        function path(from, to, isUpward) {
            const levels = Array.from({ length: k }, (_, index) => isUpward ? index : k - 1 - index);
            const nodes = [];
            let at = from;

            for (const level of levels) {
                nodes.push({ level, index: without(at, level) });
                at += (digit(to, level) - digit(at, level)) * n ** level;
                if (at === to)
                    break;
            }
            return { places: nodes, nodes: ['h' + from, ...nodes.map(({ level, index }) => 'p0.t' + level + '.' + index), 'h' + to] };
        }

        return { kind: 'zcube', n, k, nicOf, without, path };
    }

    function of(fabric) {
        return fabric.shape === 'zcube' ? zcube(fabric) : clos(fabric);
    }

    return { of };
})();
