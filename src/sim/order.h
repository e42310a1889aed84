/* SPDX-License-Identifier: Apache-2.0 */
/* Counts packets that are placed after others that were sent later, and by how many packets they
 * are behind. Only if the configuration asks for it. */
#pragma once

#include "sim/shard.h"

/* Bytes of a flow are placed. */
void order_note(
    struct shard *, struct engine_flow_end *, uint64_t offset_bytes, uint32_t length_bytes);
