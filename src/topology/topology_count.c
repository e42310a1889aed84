/* SPDX-License-Identifier: Apache-2.0 */
/* Names and limits of the counts in a description. */
#include "topology/topology_count.h"

#include <string.h>

#include "topology/topology.h"

#define MEMBER(member) offsetof(struct topology_config, member)

/* clang-format off */
const struct topology_count topology_counts[] = {
    { "planes",       "planes",       MEMBER(plane_count),  1, TOPOLOGY_PLANES_MAX },
    { "t0s",          "t0",           MEMBER(t0_count),     1, TOPOLOGY_RADIX_MAX },
    { "t1s",          "t1",           MEMBER(t1_count),     0, TOPOLOGY_RADIX_MAX },
    { "hosts_per_t0", "hosts_per_t0", MEMBER(hosts_per_t0), 1, TOPOLOGY_RADIX_MAX },
    { "nics",         "nics",         MEMBER(nic_count),    1, UINT32_C(1) << 20 },
    { "radix",        NULL,           MEMBER(radix),        2, TOPOLOGY_RADIX_MAX },
    { .key = NULL },
};
/* clang-format on */

uint32_t topology_count_get(
    const struct topology_config *config, const struct topology_count *count)
{
    uint32_t value;

    memcpy(&value, (const uint8_t *)config + count->offset, sizeof(value));
    return value;
}
