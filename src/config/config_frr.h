/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of FRR's configuration that other formats contain. */
#pragma once

#include <stdio.h>

#include "config/config_source.h"

/* Writes a static route to the neighbour at the other end of the port. */
void config_frr_route(const struct config_switch *, uint16_t usid, const struct config_cable *,
    const char *interface, FILE *);
