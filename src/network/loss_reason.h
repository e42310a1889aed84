/* SPDX-License-Identifier: Apache-2.0 */
/* Why a packet did not arrive: the rows of loss.def. */
#pragma once

enum loss_reason {
#define LOSS(ID, name, meaning) LOST_##ID,
#include "network/loss.def"
    LOSS_REASON_COUNT,
};

/* As in results: "link_down". */
const char *loss_reason_name(enum loss_reason);
