/* SPDX-License-Identifier: Apache-2.0 */
/* The invariants of a switch between two calls. */
#pragma once

#include "spec.h"
#include "switch/switch.h"

static inline void switch_check_node(const struct switch_node *node)
{
    for (uint32_t i = 0; i < node->port_count; i++) {
        const struct port *port = &node->ports[i];

        port_check(port);
        EXPECT_EQ(bits_test(node->waiting, i), port_next_ps(port) != PORT_NEVER_PS);
        EXPECT(port->profile->pool == node->pool);
        EXPECT_EQ(port->profile->config.faces_host, i < node->host_port_count);
    }
}
