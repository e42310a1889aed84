/* SPDX-License-Identifier: Apache-2.0 */
/* Answers for pages that show a running fabric: its layout, which never changes, and the state of
 * its links, which they ask for again and again. */
#pragma once

#include <jansson.h>

struct soft;

/* See fabric_layout(). The order of its links is that of the wires. */
json_t *soft_view_layout(const struct soft *);

/* A row per link, in the order of the layout: see soft_view.def. Stops the threads of the
 * fabric only to copy. Returns NULL if there is no memory. */
json_t *soft_view_links(struct soft *);

json_t *soft_view_faults(const struct soft *);

/* Bits of the column "state". The first node of a link is its lower end. */
enum soft_view_state {
    SOFT_VIEW_DOWN_UP = 1 << 0,   /* down, in the direction away from the first node */
    SOFT_VIEW_DOWN_DOWN = 1 << 1, /* and towards it */
    SOFT_VIEW_HURT_UP = 1 << 2,   /* impaired by a fault */
    SOFT_VIEW_HURT_DOWN = 1 << 3,
    SOFT_VIEW_FREE = 1 << 4, /* a link to a NIC that no process has attached */
};
