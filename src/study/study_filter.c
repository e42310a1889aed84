/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions on frames and trace events. */
#include "study/study_filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/files.h"
#include "result/result.h"

enum {
    VALUE_BYTES = TOPOLOGY_NAME_BYTES,
    PS_PER_NS = 1000,
    QPN_MAX = 0xffffff,
};

void study_filter_init(struct study_filter *filter, const struct plan *fabric)
{
    *filter = (struct study_filter){ .fabric = fabric, .until_ps = UINT64_MAX };
}

void study_filter_fini(struct study_filter *filter)
{
    free(filter->has_nic);
    free(filter->has_link);
}

/* ---- conditions ------------------------------------------------------------------------------ */

static bool find_component(const struct study_filter *filter, const char *name,
    struct topology_element *element, char *reason)
{
    char why[TOPOLOGY_REASON_BYTES];

    if (topology_find(&filter->fabric->topology, name, element, why))
        return true;
    snprintf(reason, STUDY_FILTER_REASON_BYTES, "%s: %s", name, why);
    return false;
}

static bool add_nic(struct study_filter *filter, const char *value, char *reason)
{
    struct topology_element element;

    if (!find_component(filter, value, &element, reason))
        return false;
    if (element.kind != TOPOLOGY_NIC) {
        snprintf(reason, STUDY_FILTER_REASON_BYTES, "%s is not a NIC such as h3", value);
        return false;
    }
    if (!filter->has_nic)
        filter->has_nic = grow_take(filter->fabric->topology.nic_count, sizeof(bool));
    filter->has_nic[element.nic] = true;
    return true;
}

static bool add_links(struct study_filter *filter, const char *value, char *reason)
{
    const struct topology *topology = &filter->fabric->topology;
    struct topology_element element;
    struct topology_end lower;
    struct topology_end upper;

    if (!find_component(filter, value, &element, reason))
        return false;
    if (element.kind == TOPOLOGY_GROUP) {
        snprintf(reason, STUDY_FILTER_REASON_BYTES,
            "%s is a group; name a link, a switch, a NIC or a plane", value);
        return false;
    }
    if (!filter->has_link)
        filter->has_link = grow_take(topology_link_count(topology), sizeof(bool));
    for (uint32_t i = 0; i < topology_links_of(topology, &element); i++)
        if (topology_link_of(topology, &element, i, &lower, &upper))
            filter->has_link[topology_link_number(topology, lower)] = true;
    return true;
}

static bool read_number(enum quantity_kind kind, const char *value, uint64_t *number, char *reason)
{
    if (quantity_parse(kind, value, number) == QUANTITY_OK)
        return true;
    snprintf(reason, STUDY_FILTER_REASON_BYTES, "'%s' is not %s", value, quantity_example(kind));
    return false;
}

static bool add_qpn(struct study_filter *filter, const char *value, char *reason)
{
    uint64_t number;

    if (!read_number(QUANTITY_COUNT, value, &number, reason))
        return false;
    if (number > QPN_MAX) {
        snprintf(
            reason, STUDY_FILTER_REASON_BYTES, "%s: numbers of QPs are at most %d", value, QPN_MAX);
        return false;
    }
    if (filter->qpn_count == STUDY_FILTER_QPNS_MAX) {
        snprintf(reason, STUDY_FILTER_REASON_BYTES,
            "%s: there are already %d QPs, which is the most", value, STUDY_FILTER_QPNS_MAX);
        return false;
    }
    filter->qpns[filter->qpn_count++] = (uint32_t)number;
    return true;
}

static bool check_span(const struct study_filter *filter, char *reason)
{
    if (filter->from_ps <= filter->until_ps)
        return true;
    snprintf(
        reason, STUDY_FILTER_REASON_BYTES, "'until' is before 'from'; nothing would be written");
    return false;
}

static bool set_once(const char *key, bool *is_set, char *reason)
{
    if (*is_set) {
        snprintf(reason, STUDY_FILTER_REASON_BYTES, "'%s' is given twice; give one time", key);
        return false;
    }
    *is_set = true;
    return true;
}

static bool set_from(struct study_filter *filter, const char *value, char *reason)
{
    return set_once("from", &filter->has_from, reason) &&
           read_number(QUANTITY_TIME, value, &filter->from_ps, reason) &&
           check_span(filter, reason);
}

static bool set_until(struct study_filter *filter, const char *value, char *reason)
{
    return set_once("until", &filter->has_until, reason) &&
           read_number(QUANTITY_TIME, value, &filter->until_ps, reason) &&
           check_span(filter, reason);
}

static const struct {
    const char *key;
    bool (*add)(struct study_filter *, const char *value, char *reason);
} conditions[] = {
    { "nic", add_nic },
    { "qp", add_qpn },
    { "at", add_links },
    { "from", set_from },
    { "until", set_until },
};

enum { CONDITION_COUNT = sizeof(conditions) / sizeof(conditions[0]) };

static bool add_values(
    struct study_filter *filter, uint32_t which, const char *values, char *reason)
{
    while (*values) {
        size_t length = strcspn(values, ",");
        char value[VALUE_BYTES];

        snprintf(value, sizeof(value), "%.*s",
            (int)(length < VALUE_BYTES ? length : VALUE_BYTES - 1), values);
        if (!conditions[which].add(filter, value, reason))
            return false;
        values += length + (values[length] == ',');
    }
    return true;
}

bool study_filter_add(struct study_filter *filter, const char *condition,
    char reason[static STUDY_FILTER_REASON_BYTES])
{
    size_t length = strcspn(condition, "=");

    for (uint32_t i = 0; i < CONDITION_COUNT; i++)
        if (strlen(conditions[i].key) == length && condition[length] == '=' &&
            condition[length + 1] && memcmp(conditions[i].key, condition, length) == 0)
            return add_values(filter, i, condition + length + 1, reason);
    snprintf(reason, STUDY_FILTER_REASON_BYTES,
        "'%s' is not KEY=VALUE with one of the keys nic, qp, at, from and until", condition);
    return false;
}

/* ---- decisions ------------------------------------------------------------------------------- */

static bool passes_time(const struct study_filter *filter, uint64_t time_ps)
{
    return time_ps >= filter->from_ps && time_ps <= filter->until_ps;
}

static bool passes_qpn(const struct study_filter *filter, uint32_t qpn)
{
    for (uint32_t i = 0; i < filter->qpn_count; i++)
        if (filter->qpns[i] == qpn)
            return true;
    return filter->qpn_count == 0;
}

static bool has_address(const struct study_filter *filter, const struct ipv6_addr *address)
{
    uint32_t nic;

    return plan_nic_of(filter->fabric, address, &nic) && filter->has_nic[nic];
}

bool study_filter_passes_frame(const struct study_filter *filter, const struct sim_frame *frame)
{
    const struct packet *packet = frame->packet;

    if (!passes_time(filter, frame->time_ps) || !passes_qpn(filter, packet->dest_qpn))
        return false;
    if (filter->has_link &&
        !filter->has_link[topology_link_number(&filter->fabric->topology, frame->from)])
        return false;
    return !filter->has_nic || has_address(filter, &packet->src) ||
           has_address(filter, &packet->dst);
}

bool study_filter_passes_event(
    const struct study_filter *filter, uint32_t nic, uint32_t qpn, uint64_t time_ns)
{
    return passes_time(filter, time_ns * PS_PER_NS) && passes_qpn(filter, qpn) &&
           (!filter->has_nic || filter->has_nic[nic]);
}
