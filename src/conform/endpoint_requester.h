/* SPDX-License-Identifier: Apache-2.0 */
/* What the checks of requesters have in common. Their QPs have timeouts that are longer than the
 * run, so that a retransmission has the cause that the check gave. */
#pragma once

#include "conform/endpoint_session.h"

struct endpoint_terms endpoint_requester_terms(struct endpoint_bench *);

/* Begins a check with such a QP. NULL: the report says why not. */
struct endpoint_bench *endpoint_requester_begin(void *kit, struct conform_report *);

/* Posts so many writes of 8 bytes, with ids from 0. */
bool endpoint_requester_post_small(struct endpoint_bench *, uint32_t count);

/* Expects so many completions with success, with ids from `first`. */
bool endpoint_requester_expect_done(struct endpoint_bench *, uint64_t first, uint32_t count);

/* Expects packet `index` again, with rtx = 1, from frame number `from` on. */
const struct endpoint_frame *endpoint_requester_expect_again(
    struct endpoint_bench *, uint32_t from, uint32_t index, const char *why);
