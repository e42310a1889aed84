/* SPDX-License-Identifier: Apache-2.0 */
/* What the controller answers to a report. */
#include <stdlib.h>

#include "ctl/ctl_agent.h"
#include "ctl/ctl_clock.h"

bool ctl_agent_take_answer(struct ctl_agent *agent, const json_t *answer, uint64_t sent_ms,
    char reason[static CTL_REASON_BYTES])
{
    const json_t *orders = json_object_get(answer, "orders");
    char *text = orders ? json_dumps(orders, JSON_COMPACT) : NULL;

    ctl_prober_take_answer(&agent->prober, json_object_get(answer, "map"), sent_ms, ctl_clock_ms());
    if (text)
        ctl_agent_take_orders(agent, text, reason);
    free(text);
    return orders != NULL;
}
