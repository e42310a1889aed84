/* SPDX-License-Identifier: Apache-2.0 */
/* The page of mrc search. */
#include "web/page.h"
#include "web/web.h"

static void put_search(FILE *to, void *search)
{
    page_put_json(to, "search", "search", search);
}

int web_search_write(FILE *to, json_t *search)
{
    const struct page_slot slots[] = { { "search", put_search, search } };

    return page_write(to, "search.html", slots, sizeof(slots) / sizeof(slots[0]));
}
