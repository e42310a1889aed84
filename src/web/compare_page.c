/* SPDX-License-Identifier: Apache-2.0 */
/* The page of mrc compare. */
#include "web/page.h"
#include "web/web.h"

static void put_comparison(FILE *to, void *comparison)
{
    page_put_json(to, "comparison", "comparison", comparison);
}

int web_compare_write(FILE *to, json_t *comparison)
{
    const struct page_slot slots[] = { { "comparison", put_comparison, comparison } };

    return page_write(to, "compare.html", slots, sizeof(slots) / sizeof(slots[0]));
}
