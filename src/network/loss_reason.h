/* SPDX-License-Identifier: Apache-2.0 */
/* The reasons why a packet did not arrive: the rows of loss.def. */
#pragma once

enum loss_reason {
#define LOSS(ID, name, meaning) LOST_##ID,
#include "network/loss.def"
    LOSS_REASON_COUNT,
};

/* Returns the name used in results, such as "link_down". */
const char *loss_reason_name(enum loss_reason);
