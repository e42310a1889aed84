/* SPDX-License-Identifier: Apache-2.0 */
/* Links that differ from their kind, kept in the order of links. */
#pragma once

#include "fabric/fabric.h"

/* A number for each link: host links by NIC and plane, then uplinks by plane, T0 and T1. */
uint64_t fabric_exception_key(const struct fabric_element *link);

void fabric_exception_sort(struct fabric_exception *, uint32_t count);

/* NULL: the link is as its kind. */
const struct fabric_exception *fabric_exception_of(
    const struct fabric_config *, const struct fabric_element *link);
