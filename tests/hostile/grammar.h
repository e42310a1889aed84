/* SPDX-License-Identifier: Apache-2.0 */
/* What attackers say: right in form and wrong in one place or several, or wrong altogether. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/prng.h"
#include "plan/plan.h"
#include "topology/topology.h"

enum { GRAMMAR_FRAME_BYTES = 9216, GRAMMAR_TEXT_BYTES = 4096 };

/* A frame from one NIC to another: valid, with damage here and there, nested, cut off, too long, or
 * noise. Returns its length. */
uint32_t grammar_frame(struct prng *, const struct plan *, uint32_t from, uint32_t to,
    uint8_t bytes[static GRAMMAR_FRAME_BYTES]);

/* A request to the control socket of a fabric. It breaks nothing but NICs from `first_nic` on. */
void grammar_request(struct prng *, const struct topology *, uint32_t first_nic,
    char text[static GRAMMAR_TEXT_BYTES]);

/* A device file (mrc_config(5)). */
void grammar_config(struct prng *, char text[static GRAMMAR_TEXT_BYTES]);
