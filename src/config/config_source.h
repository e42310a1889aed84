/* SPDX-License-Identifier: Apache-2.0 */
/* The plan from which configurations are written, and views of its switches and ports. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "config/config_port.h"
#include "plan/plan.h"

struct config_source {
    const struct plan *plan;
    const char *text; /* of the fabric file */
    struct plan_range *ranges;
    uint32_t range_max;
};

/* Returns false if there is no memory. */
bool config_source_init(struct config_source *, const struct plan *, const char *text);
void config_source_fini(struct config_source *);

/* ---- a switch -------------------------------------------------------------------------------- */

struct config_switch {
    const struct plan *plan;
    uint32_t node;
    char name[TOPOLOGY_NAME_BYTES];  /* p0.t0.3 */
    char label[TOPOLOGY_NAME_BYTES]; /* p0-t0-3: a host name */
    uint32_t block;
    struct plan_names names;
    uint32_t port_count;
    uint32_t host_ports; /* ports [0, n) face hosts */
    const struct plan_range *ranges;
    uint32_t range_count;
};

/* The view is valid until the next switch of the same source. */
void config_switch_of(const struct config_source *, uint32_t node, struct config_switch *);

static inline uint16_t config_switch_usid(const struct config_switch *self, uint32_t number)
{
    return (uint16_t)(self->names.first + number * self->names.step);
}

/* Routers reserve uSIDs from here on for local functions, unless they are told otherwise. */
#define CONFIG_LOCAL_USIDS 0xe000
/* Returns whether the switch has, or routes to, a uSID of that range. */
bool config_switch_has_local(const struct config_switch *);

struct config_cable {
    struct topology_end self;
    struct topology_end peer; /* if there is a cable */
    bool is_there;
    bool faces_host;
    bool marks;
    struct topology_link_kind kind; /* without a cable: the usual kind */
    char peer_name[TOPOLOGY_NAME_BYTES];
};

void config_switch_port(const struct config_switch *, uint32_t port, struct config_cable *);
/* Calls `line` for each port, including those without a cable. */
typedef void config_cable_line(const struct config_switch *, const struct config_cable *, FILE *);
void config_switch_ports(const struct config_switch *, config_cable_line *line, FILE *);

/* Calls `line` for each route whose port has a cable. */
typedef void config_route_line(
    const struct config_switch *, uint16_t usid, const struct config_cable *, FILE *);
void config_switch_routes(const struct config_switch *, config_route_line *line, FILE *);

/* Writes "fc00:42:401::", the beginning of the prefix of a uSID. */
void config_switch_prefix(const struct config_switch *, uint16_t usid, FILE *);
