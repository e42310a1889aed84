/* SPDX-License-Identifier: Apache-2.0 */
/* Draws fabrics: one to eight planes, 1 to 800 Gb/s, 50 ns to 50 us, with equal and unequal
 * links. */
#include "study/hunt_draw.h"

#define NS(count)   ((count)*UINT64_C(1000))
#define US(count)   ((count)*UINT64_C(1000000))
#define GBPS(count) ((count)*UINT64_C(1000000000))

#define NIC_BPS_MAX GBPS(1600)

enum {
    NICS_MAX = 64,
    ODD_HOSTS_MAX = 3,
    ODD_LINKS_MAX = 3,
};

static const uint32_t rates_gbps[] = { 1, 2, 5, 10, 25, 40, 50, 100, 200, 400, 800 };
#define RATE_COUNT ((uint32_t)(sizeof(rates_gbps) / sizeof(rates_gbps[0])))

static uint64_t draw_delay_ps(struct prng *prng)
{
    return hunt_draw_percent(prng, 60) ? hunt_draw_log(prng, NS(50), US(2))
                                       : hunt_draw_log(prng, NS(50), US(50));
}

static void draw_links(struct topology_config *wiring, struct prng *prng)
{
    uint32_t rate;

    do
        rate = prng_below(prng, RATE_COUNT);
    while (GBPS(rates_gbps[rate]) * wiring->plane_count > NIC_BPS_MAX);
    wiring->host_link.rate_bps = GBPS(rates_gbps[rate]);
    if (!hunt_draw_percent(prng, 60)) /* up to two steps away */
        rate += hunt_draw_between(prng, 0, 4);
    rate = rate < 2 ? 0 : rate - 2;
    wiring->uplink.rate_bps = hunt_draw_percent(prng, 60)
                                  ? wiring->host_link.rate_bps
                                  : GBPS(rates_gbps[rate < RATE_COUNT ? rate : RATE_COUNT - 1]);
    wiring->host_link.delay_ps = draw_delay_ps(prng);
    wiring->uplink.delay_ps =
        hunt_draw_percent(prng, 40) ? wiring->host_link.delay_ps : draw_delay_ps(prng);
    wiring->switch_latency_ps = NS(hunt_draw_between(prng, 100, 1000));
    wiring->nic_latency_ps = NS(hunt_draw_between(prng, 100, 1000));
}

/* In percent of the BDP of the port; 0: the default. */
static uint32_t draw_queue(const struct topology_config *wiring, uint64_t bdp, struct prng *prng)
{
    uint64_t percent = wiring->buffers.trims ? hunt_draw_between(prng, 40, 200)
                                             : hunt_draw_between(prng, 100, 800);
    uint64_t bytes;

    if (!wiring->buffers.trims && hunt_draw_percent(prng, 15))
        percent = hunt_draw_between(prng, 10, 99); /* reported separately */
    bytes = bdp * percent / 100;
    if (bytes < UINT64_C(8) * 4224)
        bytes = UINT64_C(8) * 4224;
    return bytes > UINT32_C(1) << 30 ? UINT32_C(1) << 30 : (uint32_t)bytes;
}

static void draw_buffers(struct topology_config *wiring, struct prng *prng)
{
    struct topology_problem problem;
    struct plan fabric;
    uint64_t rtt_ns;

    wiring->buffers.trims = hunt_draw_percent(prng, 75);
    wiring->buffers.marks = hunt_draw_percent(prng, 80);
    if (hunt_draw_percent(prng, 70) || !plan_init(&fabric, wiring, NULL, &problem))
        return;
    rtt_ns = fabric.topology.base_rtt_ps / 1000;
    wiring->buffers.data_bytes =
        draw_queue(wiring, rtt_ns * (wiring->uplink.rate_bps / 1000000) / 8000, prng);
    wiring->buffers.host_data_bytes =
        draw_queue(wiring, rtt_ns * (wiring->host_link.rate_bps / 1000000) / 8000, prng);
}

/* ---- differences ----------------------------------------------------------------------------- */

static uint64_t odd_rate_bps(uint64_t usual_bps, struct prng *prng)
{
    static const uint32_t divisors[] = { 2, 2, 4, 10 };
    uint64_t bps = usual_bps / divisors[prng_below(prng, 4)];

    return bps < GBPS(1) ? usual_bps : bps;
}

/* Gives all ports of a host another rate. */
static void draw_odd_host(struct study_trial *trial, struct prng *prng)
{
    struct topology_element link = { .kind = TOPOLOGY_HOST_LINK,
        .nic = prng_below(prng, trial->wiring.nic_count) };
    uint64_t rate_bps = odd_rate_bps(trial->wiring.host_link.rate_bps, prng);

    for (; link.plane < trial->wiring.plane_count; link.plane++)
        study_add_exception(trial, &link, rate_bps);
}

static void draw_odd_link(struct study_trial *trial, struct prng *prng)
{
    const struct topology_config *wiring = &trial->wiring;
    bool is_uplink = hunt_draw_percent(prng, 60);
    struct topology_element link =
        topology_draw(wiring, is_uplink ? topology_uplink_kind() : TOPOLOGY_HOST_LINK, prng);
    uint64_t usual_bps = is_uplink ? wiring->uplink.rate_bps : wiring->host_link.rate_bps;
    bool is_missing = hunt_draw_percent(prng, 20);

    study_add_exception(trial, &link, is_missing ? 0 : odd_rate_bps(usual_bps, prng));
}

void hunt_draw_wiring(struct study_trial *trial, struct prng *prng)
{
    topology_config_init(&trial->wiring);
    topology_draw_counts(&trial->wiring, NICS_MAX, prng);
    draw_links(&trial->wiring, prng);
    draw_buffers(&trial->wiring, prng);
    if (hunt_draw_percent(prng, 20))
        for (uint32_t i = hunt_draw_between(prng, 1, ODD_HOSTS_MAX); i > 0; i--)
            draw_odd_host(trial, prng);
    if (hunt_draw_percent(prng, 20))
        for (uint32_t i = hunt_draw_between(prng, 1, ODD_LINKS_MAX); i > 0; i--)
            draw_odd_link(trial, prng);
}
