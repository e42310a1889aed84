/* SPDX-License-Identifier: Apache-2.0 */
/* The names of loss reasons. */
#include "network/loss_reason.h"

#include <assert.h>

const char *loss_reason_name(enum loss_reason reason)
{
    static const char *const names[] = {
#define LOSS(ID, name, meaning) name,
#include "network/loss.def"
    };

    assert(reason < LOSS_REASON_COUNT);
    return names[reason];
}
