/* SPDX-License-Identifier: Apache-2.0 */
/* Disables and enables the ports of a device through mrc_ctl.h, whether or not a process has the
 * device open. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct port_admin {
    struct ibv_context *verbs;
    struct mrc_context *mrc;
    uint32_t port_count;
};

/* Must be closed in either case. Returns false if the device cannot be opened. */
bool port_admin_open(struct port_admin *, const char *device);
void port_admin_close(struct port_admin *);

/* Ports are numbered from 1. Returns 0 or a negative errno. */
int port_admin_set(const struct port_admin *, uint32_t port, bool up);

/* Returns what is known about the ports of a device that no process has open: "device", "ports". */
json_t *port_admin_describe(const char *device);
