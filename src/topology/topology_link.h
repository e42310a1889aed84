/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions that all descriptions of a topology share: links, and sizes of names and reasons. */
#pragma once

#include <stdint.h>

#define TOPOLOGY_NAME_BYTES   32
#define TOPOLOGY_REASON_BYTES 160

struct topology_link_kind {
    uint64_t rate_bps;
    uint64_t delay_ps; /* of the cable, in each direction */
};
