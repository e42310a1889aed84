/* SPDX-License-Identifier: Apache-2.0 */
/* The page of a running fabric, which also plays back results. */
#include "web/page.h"
#include "web/report_slots.h"
#include "web/web.h"

int web_dashboard_write(FILE *to, json_t *results, json_t *metrics)
{
    const struct page_slot slots[] = { { "results", report_put_results, results },
        { "metrics", report_put_metrics, metrics } };

    return page_write(to, "dashboard.html", slots, sizeof(slots) / sizeof(slots[0]));
}
