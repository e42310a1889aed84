/* SPDX-License-Identifier: Apache-2.0 */
/* Draws two-tier fabrics at random, and makes them smaller. */
#include <assert.h>

#include "base/prng.h"
#include "topology/topology.h"

/* Half of the fabrics have as many uplinks as hosts. */
void topology_draw_counts(struct topology_config *config, uint32_t nic_max, struct prng *prng)
{
    enum { PLANES_MAX = 8, HOSTS_MAX = 12 };
    static const uint8_t t0s[] = { 1, 2, 2, 2, 3, 4, 4, 4, 5, 6, 8, 8, 12, 16 };
    static const uint8_t t1s[] = { 1, 2, 2, 3, 4, 4, 6, 8, 8, 12, 16, 24, 32, 48, 64 };

    config->plane_count = 1 + prng_below(prng, PLANES_MAX);
    config->t0_count = t0s[prng_below(prng, sizeof(t0s))];
    assert(config->t0_count <= nic_max);
    do {
        config->hosts_per_t0 = 1 + prng_below(prng, HOSTS_MAX);
        config->nic_count = config->t0_count * config->hosts_per_t0;
    } while (config->nic_count > nic_max || config->nic_count < 2);
    config->t1_count =
        prng_below(prng, 100) < 50 ? config->hosts_per_t0 : t1s[prng_below(prng, sizeof(t1s))];
}

struct topology_element topology_draw(
    const struct topology_config *config, enum topology_component kind, struct prng *prng)
{
    struct topology_element element = { .kind = kind };

    if (kind == TOPOLOGY_NIC || kind == TOPOLOGY_HOST_LINK)
        element.nic = prng_below(prng, config->nic_count);
    if (kind != TOPOLOGY_NIC)
        element.plane = prng_below(prng, config->plane_count);
    if (kind == TOPOLOGY_T0 || kind == TOPOLOGY_UPLINK)
        element.t0 = prng_below(prng, config->t0_count);
    if (kind == TOPOLOGY_T1 || kind == TOPOLOGY_UPLINK)
        element.t1 = prng_below(prng, config->t1_count);
    return element;
}

enum topology_component topology_switch_kind(uint32_t level)
{
    assert(level < TOPOLOGY_LEVELS);
    return level == 0 ? TOPOLOGY_T0 : TOPOLOGY_T1;
}

enum topology_component topology_uplink_kind(void)
{
    return TOPOLOGY_UPLINK;
}

static uint32_t half_of(uint32_t count)
{
    return count > 1 ? count / 2 : count;
}

bool topology_config_shrink(struct topology_config *config, uint32_t variant)
{
    switch (variant) {
    case 0:
        config->t1_count = half_of(config->t1_count);
        break;
    case 1:
        config->t0_count = half_of(config->t0_count);
        break;
    case 2:
        config->hosts_per_t0 = half_of(config->hosts_per_t0);
        break;
    case 3:
        config->plane_count -= config->plane_count > 1;
        break;
    case 4:
        config->t1_count -= config->t1_count > 1;
        break;
    case 5:
        config->t0_count -= config->t0_count > 1;
        break;
    case 6:
        config->hosts_per_t0 -= config->hosts_per_t0 > 1;
        break;
    default:
        return false;
    }
    config->nic_count = config->t0_count * config->hosts_per_t0;
    return true;
}
