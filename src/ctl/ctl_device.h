/* SPDX-License-Identifier: Apache-2.0 */
/* One device of a node: what it is told and what it tells. Orders are JSON:
 *
 *     { "2001:db8::1": { "deny": [[257, 1], ...], "ports_down": 4 }, ... }
 *
 * `deny` lists pairs of EV and plane; bit p of `ports_down` is the port in plane p. ctl_profile.h
 * has further members. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "ctl/ctl_agent.h"

/* Whether orders for several NICs have the form above. */
bool ctl_device_orders_are_valid(const json_t *nics);
/* Returns orders of this form for one NIC. */
json_t *ctl_device_orders(const struct ctl_orders *);

/* Returns the ports that the orders disable. */
uint32_t ctl_device_ports(const json_t *orders);
/* Makes the device as the orders say; NULL: nothing is denied. Ports that others have disabled stay
 * so. Returns 0 or a negative errno. */
int ctl_device_obey(struct ctl_agent_device *, const json_t *orders);

void ctl_device_find_address(struct ctl_agent_device *);
/* Asks the process that has the device open for its ports. */
void ctl_device_look(struct ctl_agent_device *);
/* Returns what a report says of the device. */
json_t *ctl_device_describe(const struct ctl_agent_device *);
