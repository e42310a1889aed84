/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates from this machine: devices, fabrics and their parts, parameters. */
#include <stdio.h>
#include <string.h>

#include "cmd/completion.h"
#include "config/config.h"
#include "control/control.h"
#include "files/files.h"
#include "lab/lab.h"
#include "pktio/pktio.h"
#include "study/study.h"
#include "transport/transport.h"

void completion_offer_devices(const struct completion *completion)
{
    static struct device_list devices;

    device_list_read(&devices);
    for (uint32_t i = 0; i < devices.count; i++)
        completion_offer(completion, devices.names[i]);
}

static void offer_fabric(void *context, const struct fabric_list_entry *entry)
{
    completion_offer(context, entry->name);
}

static void offer_fabrics(const struct completion *completion)
{
    char root[256];

    if (run_place(root, sizeof(root), NULL, NULL) == 0)
        fabric_list_visit(root, offer_fabric, (void *)(uintptr_t)completion);
}

static void offer_parameters(const struct completion *completion)
{
    char key[96];

    for (uint32_t i = 0; i < parameter_count; i++)
        if (!experiment_parameter_is_of_fabric(parameter_descriptions[i].name)) {
            snprintf(key, sizeof(key), "parameters.%s=", parameter_descriptions[i].name);
            completion_offer(completion, key);
        }
}

/* Offers what the typed list can become. */
static void offer_contenders(const struct completion *completion)
{
    const char *comma = strrchr(completion->typed, ',');
    int kept = comma ? (int)(comma + 1 - completion->typed) : 0;
    char list[256];

    for (uint32_t i = 0; i < study_contender_count; i++) {
        snprintf(list, sizeof(list), "%.*s%s", kept, completion->typed, study_contenders[i].name);
        completion_offer(completion, list);
    }
}

void completion_offer_values(const struct completion *completion, enum option_values values)
{
    switch (values) {
    case OPTION_VALUES_DEVICES:
        completion_offer_devices(completion);
        break;
    case OPTION_VALUES_FABRICS:
        offer_fabrics(completion);
        break;
    case OPTION_VALUES_PARAMETERS:
        offer_parameters(completion);
        break;
    case OPTION_VALUES_CONTENDERS:
        offer_contenders(completion);
        break;
    case OPTION_VALUES_NORMALISATIONS:
        completion_offer_all(completion, study_normalisation_words);
        break;
    case OPTION_VALUES_CONFIGS:
        for (uint32_t i = 0; config_formats[i]; i++)
            completion_offer(completion, config_formats[i]->word);
        break;
    default: /* the shell completes file names */
        break;
    }
}

/* ---- parts of a fabric ----------------------------------------------------------------------- */

/* Offers LETTER0 to LETTER(count - 1), e.g. "h0", "h1", ... */
static void offer_numbered(
    const struct completion *completion, const char *letter, json_int_t count)
{
    char name[32];

    for (json_int_t i = 0; i < count; i++) {
        snprintf(name, sizeof(name), "%s%lld", letter, (long long)i);
        completion_offer(completion, name);
    }
}

/* `seen` prevents that a link is offered for both of its ends. */
static void offer_links(const struct completion *completion, const json_t *nodes, json_t *seen)
{
    const json_t *node;
    const json_t *port;
    size_t i;
    size_t k;

    json_array_foreach(nodes, i, node) json_array_foreach(json_object_get(node, "ports"), k, port)
    {
        const char *link = json_string_value(json_object_get(port, "link"));

        if (!json_object_get(seen, link))
            completion_offer(completion, link);
        json_object_set_new(seen, link, json_true());
    }
}

static void offer_switches(const struct completion *completion, const json_t *switches)
{
    const json_t *node;
    size_t i;

    json_array_foreach(switches, i, node)
        completion_offer(completion, json_string_value(json_object_get(node, "name")));
}

void completion_offer_parts(const struct completion *completion, const char *what)
{
    char reason[REQUEST_REASON_BYTES];
    struct request_line request;
    json_t *seen;
    json_t *fabric;

    request_line_begin(&request, "show");
    if (request_fabric(completion->name ? completion->name : "fabric", &request, &fabric, reason) !=
        REQUEST_ANSWERED)
        return;
    seen = json_object();
    if (strcmp(what, "nic") == 0)
        offer_numbered(completion, "h", json_integer_value(json_object_get(fabric, "nic_count")));
    else if (strcmp(what, "plane") == 0)
        offer_numbered(completion, "p", json_integer_value(json_object_get(fabric, "planes")));
    else if (strcmp(what, "switch") == 0)
        offer_switches(completion, json_object_get(fabric, "switches"));
    else if (strcmp(what, "link") == 0 || strcmp(what, "port") == 0)
        offer_links(completion, json_object_get(fabric, "nics"), seen);
    if (strcmp(what, "link") == 0)
        offer_links(completion, json_object_get(fabric, "switches"), seen);
    json_decref(seen);
    json_decref(fabric);
}
