/* SPDX-License-Identifier: Apache-2.0 */
/* Why a packet was dropped. Nothing is dropped without one of these. */
#pragma once

enum drop_reason {
#define DROP(id, name, help) DROP_##id,
#include "wire/drop.def"
#undef DROP
    DROP_REASON_COUNT,
};

/* As in counters and JSON, for example "icrc". */
const char *drop_name(enum drop_reason);

/* One line for people. */
const char *drop_help(enum drop_reason);
