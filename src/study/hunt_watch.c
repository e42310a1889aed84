/* SPDX-License-Identifier: Apache-2.0 */
/* Compares flows with their shares, and finds paths that fail without a fault. */
#include "study/hunt_watch.h"

#include <stdlib.h>

#define PS_PER_US 1e6

enum {
    PACKETS_TO_JUDGE = 16, /* fewer packets are not judged */
    SETTLED_PACKETS = 64,
    PACKET_BITS = 4096 * 8,
};

/* ---- paths ----------------------------------------------------------------------------------- */

static void note_failed(struct hunt_watch *watch, uint64_t name, uint64_t now_ps)
{
    if (watch->failed_count == watch->failed_room) {
        uint32_t room = watch->failed_room ? 2 * watch->failed_room : 256;
        struct hunt_watch_failed *moved = reallocarray(watch->failed, room, sizeof(*watch->failed));

        if (!moved)
            return;
        watch->failed = moved;
        watch->failed_room = room;
    }
    watch->failed[watch->failed_count++] =
        (struct hunt_watch_failed){ .since_ps = now_ps, .name = name };
}

static void note_back(struct hunt_watch *watch, uint64_t name, uint64_t now_ps)
{
    for (uint32_t i = 0; i < watch->failed_count; i++) {
        struct hunt_watch_failed *failed = &watch->failed[i];

        if (failed->name != name)
            continue;
        if (now_ps - failed->since_ps > watch->failed_ps)
            watch->failed_ps = now_ps - failed->since_ps;
        *failed = watch->failed[--watch->failed_count];
        return;
    }
}

/* Ports without a cable, and paths that need one, are expected to be failed. */
static bool port_lacks_link(const struct hunt_watch *watch, uint32_t nic, uint32_t plane)
{
    struct topology_element link = { .kind = TOPOLOGY_HOST_LINK, .nic = nic, .plane = plane };

    return study_is_missing(watch->trial, &link);
}

static bool way_lacks_link(
    const struct hunt_watch *watch, uint32_t from_nic, uint32_t to_nic, uint32_t ev)
{
    const struct plan *fabric = watch->track->config->fabric;
    struct topology_element links[PLAN_LINKS_MAX];
    uint32_t count = plan_links(fabric, from_nic, to_nic, ev, links);

    for (uint32_t i = 0; i < count; i++)
        if (study_is_missing(watch->trial, &links[i]))
            return true;
    return false;
}

static bool ev_lacks_link(const struct hunt_watch *watch, uint32_t nic, uint32_t qpn, uint32_t ev)
{
    for (uint32_t i = 0; i < sim_flow_count(watch->track->sim); i++) {
        struct sim_flow flow;

        sim_flow_at(watch->track->sim, i, &flow);
        if (flow.from_nic == nic && flow.qpn == qpn)
            return way_lacks_link(watch, nic, flow.to_nic, ev);
    }
    return port_lacks_link(watch, nic, plan_ev_path(watch->track->config->fabric, ev).plane);
}

static bool lacks_link(const struct hunt_watch *watch, const struct sim_event *event)
{
    if (watch->trial->exception_count == 0)
        return false;
    if (event->kind == SIM_EVENT_PORT_CHANGED)
        return port_lacks_link(watch, event->subject, (uint32_t)event->values[0]);
    return ev_lacks_link(
        watch, event->subject, (uint32_t)event->values[0], (uint32_t)event->values[1]);
}

static void on_event(void *context, const struct sim_event *event)
{
    enum { PORT = 1 };
    struct hunt_watch *watch = context;
    uint64_t nic = (uint64_t)event->subject << 48;
    bool is_back;
    uint64_t name;

    if (event->kind == SIM_EVENT_EV_CHANGED) {
        name = nic | event->values[0] << 24 | event->values[1] << 1;
        is_back = event->values[2] != EV_ASSUMED_BAD;
    } else if (event->kind == SIM_EVENT_PORT_CHANGED) {
        name = nic | event->values[0] << 1 | PORT;
        is_back = event->values[1] != 0;
    } else {
        return;
    }
    if (is_back)
        note_back(watch, name, event->time_ps);
    else if (!lacks_link(watch, event))
        note_failed(watch, name, event->time_ps);
}

static uint64_t longest_failed_ps(const struct hunt_watch *watch)
{
    uint64_t now_ps = watch->track->now_ps;
    uint64_t longest_ps = watch->failed_ps;

    for (uint32_t i = 0; i < watch->failed_count; i++)
        if (now_ps > watch->failed[i].since_ps && now_ps - watch->failed[i].since_ps > longest_ps)
            longest_ps = now_ps - watch->failed[i].since_ps;
    return longest_ps;
}

/* ---- flows ----------------------------------------------------------------------------------- */

static uint64_t placed_bytes(const struct hunt_watch *watch, uint32_t pair)
{
    const struct capacity_pair *its = &watch->track->pairs[pair];
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < its->flow_count; i++) {
        struct sim_flow flow;

        sim_flow_at(watch->track->sim, its->first_flow + i, &flow);
        bytes += flow.placed_bytes;
    }
    return bytes;
}

static void begin_again(struct hunt_watch *watch, uint32_t pair, uint64_t bytes)
{
    struct hunt_watch_pair *its = &watch->pairs[pair];

    its->since_ps = watch->track->now_ps;
    its->since_bytes = bytes;
    its->since_bits = watch->track->bits[pair];
    its->was_idle = false;
}

/* A pair that is briefly idle is not below its share. */
static void judge_pair(struct hunt_watch *watch, uint32_t pair)
{
    struct hunt_watch_pair *its = &watch->pairs[pair];
    uint64_t bytes = placed_bytes(watch, pair);
    uint64_t passed_ps = watch->track->now_ps - its->since_ps;
    double due_bits = watch->track->bits[pair] - its->since_bits;

    its->was_idle = its->was_idle || watch->track->rate_bps[pair] <= 0;
    if (passed_ps < watch->window_ps ||
        (!its->was_idle && due_bits < (double)PACKETS_TO_JUDGE * PACKET_BITS))
        return;
    if (!its->was_idle && (double)(bytes - its->since_bytes) * 8 < due_bits / 2) {
        its->below_ps += passed_ps;
        if (its->below_ps > watch->starved_ps)
            watch->starved_ps = its->below_ps;
    } else {
        its->below_ps = 0;
    }
    begin_again(watch, pair, bytes);
}

static void note_settled(struct hunt_watch *watch)
{
    for (uint32_t pair = 0; pair < watch->track->pair_count; pair++) {
        watch->pairs[pair].settled_bytes = placed_bytes(watch, pair);
        watch->pairs[pair].settled_bits = watch->track->bits[pair];
    }
    watch->is_settled = true;
}

void hunt_watch_look(struct hunt_watch *watch)
{
    for (uint32_t pair = 0; pair < watch->track->pair_count; pair++)
        judge_pair(watch, pair);
    if (!watch->is_settled && watch->track->now_ps >= watch->trial->settled_ps)
        note_settled(watch);
}

/* ---- the end --------------------------------------------------------------------------------- */

static void judge_settled(const struct hunt_watch *watch, struct hunt_figures *figures)
{
    double all_bits = 0;
    double all_due = 0;

    figures->flow_fraction = -1;
    for (uint32_t pair = 0; pair < watch->track->pair_count; pair++) {
        const struct hunt_watch_pair *its = &watch->pairs[pair];
        double bits = (double)(placed_bytes(watch, pair) - its->settled_bytes) * 8;
        double due = watch->track->bits[pair] - its->settled_bits;

        all_bits += bits;
        all_due += due;
        if (due < (double)SETTLED_PACKETS * PACKET_BITS)
            continue;
        if (figures->flow_fraction < 0 || bits / due < figures->flow_fraction) {
            figures->flow_fraction = bits / due;
            figures->flow_from = watch->track->pairs[pair].from_nic;
            figures->flow_to = watch->track->pairs[pair].to_nic;
        }
    }
    figures->capacity_fraction = all_due > 0 ? all_bits / all_due : 1;
}

void hunt_watch_figures(const struct hunt_watch *watch, struct hunt_figures *figures)
{
    const struct topology *topology = &watch->track->config->fabric->topology;

    judge_settled(watch, figures);
    figures->starved_us = (double)watch->starved_ps / PS_PER_US;
    figures->settle_us = (double)hunt_settle_ps(watch->trial, topology) / PS_PER_US;
    if (watch->trial->fault_count == 0)
        figures->failed_rtts = (double)longest_failed_ps(watch) / (double)topology->base_rtt_ps;
}

/* ---- life ------------------------------------------------------------------------------------ */

void hunt_watch_observe(
    struct hunt_watch *watch, const struct study_trial *trial, struct sim_observer *observer)
{
    watch->trial = trial;
    observer->on_event = on_event;
    observer->context = watch;
}

bool hunt_watch_init(struct hunt_watch *watch, struct capacity_track *track)
{
    watch->track = track;
    watch->window_ps = capacity_window_ps(track->config);
    watch->pairs = calloc(track->pair_count ? track->pair_count : 1, sizeof(*watch->pairs));
    return watch->pairs != NULL;
}

void hunt_watch_fini(struct hunt_watch *watch)
{
    free(watch->pairs);
    free(watch->failed);
}
