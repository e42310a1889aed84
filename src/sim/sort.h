/* SPDX-License-Identifier: Apache-2.0 */
/* Putting the arrivals of a node into their order. */
#pragma once

#include <stdint.h>

#include "sim/mailbox.h"

/* Ascending by key. `spare` has room for as many; returns where they are now, one or the other. */
struct mailbox_entry *sort_entries(
    struct mailbox_entry *entries, uint32_t count, struct mailbox_entry *spare);
