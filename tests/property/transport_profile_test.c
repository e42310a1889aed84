/* SPDX-License-Identifier: Apache-2.0 */
/* QPs that get other EVs and another congestion control while their packets are under way and the
 * network does what it likes. */
#include "chaos.h"

#include <stdalign.h>

#include "spec.h"

enum {
    FLOWS = 4,
    KEPT = 1024, /* longer than any scenario lives */
};

struct kept {
    struct path_profile profile;
    struct path_entry entries[PATH_EV_COUNT_MAX];
    struct cc_profile cc;
    alignas(64) uint8_t paths[PATH_SET_BYTES(PATH_PLANE_COUNT_MAX, PATH_EV_COUNT_MAX)];
};

static struct kept *next_kept(void)
{
    static struct kept kept[KEPT];
    static uint32_t count;

    return &kept[count++ % KEPT];
}

/* Some of the EVs there are, at least one of each plane. */
static void draw_paths(struct kept *kept, const struct path_profile *all, struct prng *prng)
{
    uint32_t planes = 0;
    uint32_t count = 0;

    for (uint32_t i = 0; i < all->entry_count; i++) {
        if (planes >> all->entries[i].plane & 1 && prng_below(prng, 2))
            continue;
        planes |= UINT32_C(1) << all->entries[i].plane;
        kept->entries[count++] = all->entries[i];
    }
    EXPECT(path_profile_explicit(&kept->profile, kept->entries, count, all->plane_count));
}

/* All that the QP has at the beginning. */
static const struct path_profile *remember(const struct path_set *paths)
{
    struct kept *kept = next_kept();
    uint32_t plane_count = 0;

    for (uint32_t i = 0; i < path_ev_count(paths); i++) {
        kept->entries[i] = (struct path_entry){ .ev = path_ev_of(paths, i),
            .plane = (uint8_t)path_plane_of(paths, i) };
        plane_count = kept->entries[i].plane + 1u;
    }
    EXPECT(path_profile_explicit(&kept->profile, kept->entries, path_ev_count(paths), plane_count));
    return &kept->profile;
}

static void change(
    struct scenario *s, uint32_t flow, const struct path_profile *all, struct prng *prng)
{
    uint32_t host = traffic_flow(s->network, flow)->from;
    uint32_t qpn = traffic_flow(s->network, flow)->from_qpn;
    static const char *const algorithms[] = { "fair", "nscc", "none" };
    struct transport *nic = network_transport(s->network, host);
    uint64_t now_ns = network_now_ps(s->network) / 1000;
    struct kept *kept = next_kept();
    struct cc_settings settings;

    if (prng_below(prng, 2)) {
        draw_paths(kept, all, prng);
        EXPECT_LE(transport_paths_bytes(&kept->profile), sizeof(kept->paths));
        EXPECT_EQ(transport_qp_set_paths(nic, qpn, &kept->profile, kept->paths, now_ns), 0);
    }
    if (prng_below(prng, 2)) {
        transport_cc_settings(transport_parameters(nic), all->plane_count, &settings);
        settings.algorithm = algorithms[prng_below(prng, 3)];
        EXPECT(cc_profile_init(&kept->cc, &settings));
        EXPECT_EQ(transport_qp_set_cc(nic, qpn, &kept->cc, now_ns), 0);
    }
    transport_check(nic);
}

PROPERTY("whatever profiles a QP gets while it works, all writes arrive, once, in order", 300)
{
    struct prng prng = prng_stream(seed, 0x9f0);
    struct network_config config = chaos_network(seed);
    struct scenario s = scenario_of(&config);
    uint64_t until_ps = US(100 + prng_below(&prng, 500));
    const struct path_profile *all[FLOWS];

    for (uint32_t i = 0; i < FLOWS / 2; i++)
        chaos_connect(&s, &prng, i % config.host_count, (i + 1) % config.host_count,
            (struct chaos_terms){ .timeout = 6, .linear = 7, .exponential = 25 });
    for (uint32_t flow = 0; flow < FLOWS; flow++)
        all[flow] = remember(
            transport_qp_paths(network_transport(s.network, traffic_flow(s.network, flow)->from),
                traffic_flow(s.network, flow)->from_qpn));
    scenario_chaos(&s, seed,
        &(struct scenario_chaos){
            .until_ps = until_ps, .faults_max = 6, .spared_plane = FAULT_ANY, .ports = true });
    for (uint32_t round = 0; round < 8; round++) {
        chaos_write(&s, &prng, prng_below(&prng, 10));
        scenario_run_for(&s, until_ps / 8);
        for (uint32_t flow = 0; flow < FLOWS; flow++)
            change(&s, flow, all[flow], &prng);
    }
    EXPECT_EQ(chaos_expect_end(&s, MS(20000)), 0);
}
