/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the drop reasons. */
#include "wire/drop.h"

#include <assert.h>

#include "base/counter_description.h"

static const struct counter_description descriptions[] = {
#define DROP(id, name, help) [DROP_##id] = { #name, help },
#include "wire/drop.def"
#undef DROP
};

const char *drop_name(enum drop_reason reason)
{
    assert(reason < DROP_REASON_COUNT);
    return descriptions[reason].name;
}

const char *drop_help(enum drop_reason reason)
{
    assert(reason < DROP_REASON_COUNT);
    return descriptions[reason].help;
}
