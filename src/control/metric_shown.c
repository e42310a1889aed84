/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the answer of a fabric into sources of a page of metrics. */
#include "control/metric_shown.h"

#include <stdio.h>

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static void add_links(
    struct metric_page *page, const char *fabric, const char *from, const json_t *node)
{
    json_t *link;
    size_t i;

    json_array_foreach(json_object_get(node, "ports"), i, link)
    {
        char plane[METRIC_PAGE_VALUE_BYTES];
        const char *const labels[] = { fabric, from, text_of(link, "link"),
            metric_page_number(link, "plane", plane), NULL };

        metric_page_add(page, METRIC_OF_LINK, link, labels);
        if (json_object_get(link, "data_packets")) /* the sender is a switch */
            metric_page_add(page, METRIC_OF_EGRESS, link, labels);
    }
}

/* A fabric omits reasons that never occurred. Prometheus needs their 0 to see the first increase.
 */
static void add_losses(struct metric_page *page, const char *fabric, const json_t *lost)
{
    json_t *all = json_object();

    for (uint32_t i = 0; i < metric_count; i++)
        if (metric_list[i].group == METRIC_OF_LOSS)
            json_object_set_new(all, metric_list[i].name, json_integer(0));
    json_object_update(all, (json_t *)lost);
    metric_page_add_owned(page, METRIC_OF_LOSS, all, fabric);
    json_decref(all);
}

void metric_shown_add(struct metric_page *page, const char *fabric, const json_t *shown)
{
    const json_t *node;
    size_t i;

    metric_page_add_owned(page, METRIC_OF_FABRIC, (json_t *)shown, fabric);
    add_losses(page, fabric, json_object_get(shown, "lost"));
    json_array_foreach(json_object_get(shown, "nics"), i, node)
    {
        char name[METRIC_PAGE_VALUE_BYTES];

        snprintf(name, sizeof(name), "h%zu", i);
        add_links(page, fabric, name, node);
    }
    json_array_foreach(json_object_get(shown, "switches"), i, node)
    {
        const char *name = text_of(node, "name");

        add_links(page, fabric, name, node);
        metric_page_add(page, METRIC_OF_REFUSAL, json_object_get(node, "drops"),
            (const char *const[]){ fabric, name, NULL });
    }
}
