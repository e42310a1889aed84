/* SPDX-License-Identifier: Apache-2.0 */
/* The page of mrc plan. */
#include "web/page.h"
#include "web/web.h"

static void put_plan(FILE *to, void *plan)
{
    page_put_json(to, "plan", "plan", plan);
}

int web_plan_write(FILE *to, json_t *plan)
{
    const struct page_slot slots[] = { { "plan", put_plan, plan } };

    return page_write(to, "plan.html", slots, sizeof(slots) / sizeof(slots[0]));
}
