/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts the arrivals of a node. */
#pragma once

#include <stdint.h>

#include "sim/mailbox.h"

/* Sorts by key in ascending order. `spare` has the same room. Returns the array that holds the
 * result, one of the two. */
struct mailbox_entry *sort_entries(
    struct mailbox_entry *entries, uint32_t count, struct mailbox_entry *spare);
