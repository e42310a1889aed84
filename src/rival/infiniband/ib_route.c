/* SPDX-License-Identifier: Apache-2.0 */
/* Static choice of a port. */
#include "rival/infiniband/ib_route.h"

uint32_t ib_route_static(struct ib_ports ports, uint32_t lid, uint32_t tier)
{
    uint32_t count = ecmp_group_size(ports.words, ports.word_count);

    for (uint32_t i = 0; count > 0 && i < tier; i++)
        lid /= count;
    return count > 0 ? ecmp_group_member(ports.words, lid % count) : ECMP_NO_PORT;
}
