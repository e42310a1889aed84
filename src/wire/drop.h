/* SPDX-License-Identifier: Apache-2.0 */
/* The reasons for which packets are dropped. No packet is dropped without one. */
#pragma once

enum drop_reason {
#define DROP(id, name, help) DROP_##id,
#include "wire/drop.def"
#undef DROP
    DROP_REASON_COUNT,
};

/* Returns the name in counters and JSON, for example "icrc". */
const char *drop_name(enum drop_reason);

/* Returns an explanation of one line for users. */
const char *drop_help(enum drop_reason);
