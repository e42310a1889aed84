/* SPDX-License-Identifier: Apache-2.0 */
/* Names in a namespace fabric. Namespaces are PREFIX-h0, PREFIX-p0.t0.1 and PREFIX-mgmt. Interfaces
 * are named as in config_port.h; a host also has mgmt. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "topology/topology.h"

#define NETNS_PREFIX_BYTES 33
#define NETNS_NAME_BYTES   (NETNS_PREFIX_BYTES + TOPOLOGY_NAME_BYTES)
#define NETNS_IPV4_BYTES   16 /* as text */

/* A prefix has letters, digits, '-' and '_', and does not begin with "mrc", as devices do. */
bool netns_name_is_prefix(const char *text);

void netns_name_of_nic(const char *prefix, uint32_t nic, char out[static NETNS_NAME_BYTES]);
void netns_name_of_switch(const struct topology *, const char *prefix, uint32_t switch_index,
    char out[static NETNS_NAME_BYTES]);
void netns_name_of_management(const char *prefix, char out[static NETNS_NAME_BYTES]);
/* Returns whether this is the name of a namespace of a fabric with this prefix. */
bool netns_name_has_prefix(const char *name, const char *prefix);

/* Writes the address in the management network 10.99.0.0/16: NIC 0 has 10.99.0.1. */
void netns_name_ipv4(uint32_t nic, char out[static NETNS_IPV4_BYTES]);
