/* SPDX-License-Identifier: Apache-2.0 */
/* Compares a switch in two plans: uSIDs, cables, routes, queues. */
#include <stdarg.h>
#include <string.h>

#include "config/config_diff.h"

struct pair {
    const struct config_switch *before;
    const struct config_switch *after;
    struct config_switch_diff *diff;
};

__attribute__((format(printf, 3, 4))) static void note_change(
    const struct pair *pair, enum config_step step, const char *format, ...)
{
    struct config_change *change = &pair->diff->steps[step];
    va_list arguments;

    if (change->count++ > 0)
        return;
    va_start(arguments, format);
    vsnprintf(change->first, sizeof(change->first), format, arguments);
    va_end(arguments);
}

/* ---- the switch as a whole ------------------------------------------------------------------- */

static void compare_names(const struct pair *pair)
{
    const struct config_switch *before = pair->before;
    const struct config_switch *after = pair->after;

    if (before->block != after->block || before->names.first != after->names.first)
        note_change(pair, CONFIG_STEP_CHANGE, "own uSID %x:%x:%x becomes %x:%x:%x",
            before->block >> 16, before->block & 0xffff, before->names.first, after->block >> 16,
            after->block & 0xffff, after->names.first);
    else if (before->names.count != after->names.count || before->names.step != after->names.step)
        note_change(pair, CONFIG_STEP_CHANGE, "%u own uSIDs become %u", before->names.count,
            after->names.count);
}

static void compare_size(const struct pair *pair, const char *what, uint32_t before, uint32_t after)
{
    if (before != after)
        note_change(pair, CONFIG_STEP_CHANGE, "%s: %u becomes %u", what, before, after);
}

static void compare_queues(const struct pair *pair)
{
    const struct topology_config *from = &pair->before->plan->topology.config;
    const struct topology_config *to = &pair->after->plan->topology.config;
    const struct topology_buffers *before = &from->buffers;
    const struct topology_buffers *after = &to->buffers;

    compare_size(pair, "trims", before->trims, after->trims);
    compare_size(pair, "trimmed", before->trimmed_bytes, after->trimmed_bytes);
    compare_size(pair, "data queue", before->data_bytes, after->data_bytes);
    compare_size(pair, "host_data queue", before->host_data_bytes, after->host_data_bytes);
    compare_size(pair, "control queue", before->control_bytes, after->control_bytes);
    compare_size(pair, "red_min", before->red_min_bytes, after->red_min_bytes);
    compare_size(pair, "red_max", before->red_max_bytes, after->red_max_bytes);
    compare_size(pair, "shared buffer", before->shared_bytes, after->shared_bytes);
    compare_size(pair, "cell", before->cell_bytes, after->cell_bytes);
    if (before->alpha != after->alpha)
        note_change(pair, CONFIG_STEP_CHANGE, "alpha: %s becomes %s",
            topology_alpha_words[before->alpha], topology_alpha_words[after->alpha]);
    compare_size(pair, "check_source", from->checks_source, to->checks_source);
}

/* ---- ports ----------------------------------------------------------------------------------- */

static bool same_end(const struct config_cable *before, const struct config_cable *after)
{
    return strcmp(before->peer_name, after->peer_name) == 0 &&
           before->peer.port == after->peer.port && before->faces_host == after->faces_host;
}

static void compare_cable(
    const struct pair *pair, const struct config_cable *before, const struct config_cable *after)
{
    uint32_t port = before->self.port;

    if (!before->is_there && after->is_there)
        note_change(pair, CONFIG_STEP_ADD, "port %u: cable to %s", port, after->peer_name);
    else if (before->is_there && !after->is_there)
        note_change(pair, CONFIG_STEP_REMOVE, "port %u: no cable to %s", port, before->peer_name);
    if (!before->is_there || !after->is_there)
        return;
    if (!same_end(before, after))
        note_change(pair, CONFIG_STEP_CHANGE, "port %u: cable to %s port %u instead of %s port %u",
            port, after->peer_name, after->peer.port, before->peer_name, before->peer.port);
    if (before->kind.rate_bps != after->kind.rate_bps)
        note_change(pair, CONFIG_STEP_CHANGE, "port %u: %llu Mb/s become %llu", port,
            (unsigned long long)(before->kind.rate_bps / 1000000),
            (unsigned long long)(after->kind.rate_bps / 1000000));
    if (before->marks != after->marks)
        note_change(pair, CONFIG_STEP_CHANGE, "port %u: it marks %s", port,
            after->marks ? "from now on" : "no longer");
}

static void compare_ports(const struct pair *pair)
{
    uint32_t least = pair->before->port_count < pair->after->port_count ? pair->before->port_count
                                                                        : pair->after->port_count;
    struct config_cable before;
    struct config_cable after;

    for (uint32_t port = 0; port < least; port++) {
        config_switch_port(pair->before, port, &before);
        config_switch_port(pair->after, port, &after);
        compare_cable(pair, &before, &after);
    }
    for (uint32_t port = least; port < pair->after->port_count; port++) {
        config_switch_port(pair->after, port, &after);
        note_change(pair, CONFIG_STEP_ADD, "port %u: new, to %s", port,
            after.is_there ? after.peer_name : "no cable");
    }
    for (uint32_t port = least; port < pair->before->port_count; port++)
        note_change(pair, CONFIG_STEP_REMOVE, "port %u: gone", port);
}

/* ---- routes ---------------------------------------------------------------------------------- */

/* Returns false if there is no route, or its port has no cable. */
static bool find_route(const struct config_switch *self, uint32_t usid, uint32_t *port)
{
    for (uint32_t i = 0; i < self->range_count; i++) {
        const struct plan_range *range = &self->ranges[i];
        struct config_cable cable;

        if (usid < range->first_usid || usid > range->last_usid)
            continue;
        *port = range->first_port + usid - range->first_usid;
        config_switch_port(self, *port, &cable);
        return cable.is_there;
    }
    return false;
}

static bool has_range(const struct config_switch *self, uint32_t usid)
{
    for (uint32_t i = 0; i < self->range_count; i++)
        if (usid >= self->ranges[i].first_usid && usid <= self->ranges[i].last_usid)
            return true;
    return false;
}

static void compare_route(const struct pair *pair, uint32_t usid)
{
    uint32_t before = 0;
    uint32_t after = 0;
    bool was_there = find_route(pair->before, usid, &before);
    bool is_there = find_route(pair->after, usid, &after);

    if (!was_there && is_there)
        note_change(pair, CONFIG_STEP_ADD, "route to uSID %x by port %u", usid, after);
    else if (was_there && !is_there)
        note_change(pair, CONFIG_STEP_REMOVE, "no route to uSID %x by port %u", usid, before);
    else if (was_there && before != after)
        note_change(pair, CONFIG_STEP_CHANGE, "route to uSID %x by port %u instead of %u", usid,
            after, before);
}

static void compare_range(
    const struct pair *pair, const struct plan_range *range, const struct config_switch *seen)
{
    for (uint32_t usid = range->first_usid; usid <= range->last_usid; usid++)
        if (!seen || !has_range(seen, usid))
            compare_route(pair, usid);
}

static void compare_routes(const struct pair *pair)
{
    for (uint32_t i = 0; i < pair->before->range_count; i++)
        compare_range(pair, &pair->before->ranges[i], NULL);
    for (uint32_t i = 0; i < pair->after->range_count; i++)
        compare_range(pair, &pair->after->ranges[i], pair->before);
}

void config_diff_switch(const struct config_switch *before, const struct config_switch *after,
    struct config_switch_diff *diff)
{
    struct pair pair = { before, after, diff };
    struct topology_element element = topology_switch_at(&before->plan->topology, before->node);

    memset(diff, 0, sizeof(*diff));
    for (uint32_t i = 0; i < CONFIG_STEP_COUNT; i++) {
        diff->steps[i].step = (enum config_step)i;
        diff->steps[i].place = topology_place_of(&element);
        memcpy(diff->steps[i].name, before->name, sizeof(before->name));
    }
    compare_names(&pair);
    compare_queues(&pair);
    compare_ports(&pair);
    compare_routes(&pair);
}
