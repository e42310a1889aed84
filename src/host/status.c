/* SPDX-License-Identifier: Apache-2.0 */
/* The status socket of a NIC. */
#include "host/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "control/control.h"
#include "host/engine.h"

enum {
    TURNS_UNTIL_SERVED = 256,
    LINE_BYTES = 512,
};

/* ---- requests -------------------------------------------------------------------------------- */

static char *answer_device(void *context, const struct request *request)
{
    (void)request;
    return status_answer_device(context);
}

static char *answer_ports(void *context, const struct request *request)
{
    (void)request;
    return status_answer_ports(context);
}

static char *answer_counters(void *context, const struct request *request)
{
    (void)request;
    return status_answer_counters(context);
}

static char *answer_qps(void *context, const struct request *request)
{
    return status_answer_qps(context, (uint32_t)request_form_number(request, "from"));
}

static char *answer_qp(void *context, const struct request *request)
{
    return status_answer_qp(context, (uint32_t)request_form_number(request, "qpn"));
}

static char *answer_evs(void *context, const struct request *request)
{
    return status_answer_evs(context, (uint32_t)request_form_number(request, "qpn"));
}

static char *answer_probe(void *context, const struct request *request)
{
    return map_probe_answer(context, (uint32_t)request_form_number(request, "period"),
        request_form_text(request, "sends"));
}

static const struct request_argument from_argument[] = {
    { .name = "from", .kind = REQUEST_NUMBER, .max = UINT32_MAX },
    { 0 },
};

static const struct request_argument qpn_argument[] = {
    { .name = "qpn", .kind = REQUEST_NUMBER, .is_required = true, .max = UINT32_MAX },
    { 0 },
};

static const struct request_argument monitor_arguments[] = {
    { .name = "all", .kind = REQUEST_FLAG },
    { 0 },
};

static const struct request_argument probe_arguments[] = {
    { .name = "period", .kind = REQUEST_NUMBER, .max = UINT32_MAX },
    { .name = "sends", .kind = REQUEST_TEXT },
    { 0 },
};

/* clang-format off */
static const struct request_form forms[] = {
    { "dev", "shows the NIC and its parameters", NULL, answer_device },
    { "port", "shows its ports", NULL, answer_ports },
    { "stat", "shows counters, and drops by reason", NULL, answer_counters },
    { "qp", "shows some QPs; next: the number to continue from, 0 at the end", from_argument, answer_qps },
    { "qpn", "shows one QP", qpn_argument, answer_qp },
    { "ev", "shows the EVs of a QP", qpn_argument, answer_evs },
    { "probe", "sends probes of links, PORT/ID/OUTER/DESTINATION,..., and lists those that arrived since", probe_arguments, answer_probe },
    { "monitor", "sends a line per event; all: also for EVs that become SKIP or GOOD", monitor_arguments, NULL },
    { 0 },
};
/* clang-format on */

static char *answer_request(void *context, const char *text)
{
    return request_form_answer(forms, context, text);
}

static uint32_t level_asked_for(const char *text)
{
    char reason[REQUEST_REASON_BYTES];
    struct request request;

    if (!request_form_parse(forms, text, &request, reason) || request.form->answer)
        return 0;
    return request_form_has(&request, "all") ? STATUS_LEVEL_ALL : STATUS_LEVEL_CHANGES;
}

/* The level applies at once, not after all clients of this round are served: a program that
 * follows, and then gets the answer to another request, expects all later events. */
static uint32_t admit_follower(void *context, const char *request)
{
    struct status *status = ((struct host_nic *)context)->status;
    uint32_t level = level_asked_for(request);

    if (level > atomic_load_explicit(&status->level, memory_order_relaxed))
        atomic_store(&status->level, level);
    return level;
}

/* ---- open and close -------------------------------------------------------------------------- */

void status_open(struct host_nic *nic)
{
    struct status *status = calloc(1, sizeof(*status));
    const char *given = nic->config.status_path;

    if (!status)
        return;
    for (uint32_t i = 0; i < HOST_ENGINE_COUNT_MAX; i++)
        ring_init(&status->rings[i].ring, STATUS_EVENTS);
    status->server.answer = answer_request;
    status->server.follows = admit_follower;
    status->server.context = nic;
    if (given &&
        snprintf(status->path, sizeof(status->path), "%s", given) >= (int)sizeof(status->path))
        goto free_status;
    if (!given && run_place(status->path, sizeof(status->path), nic->config.name, "status"))
        goto free_status;
    if (control_server_open(&status->server, status->path))
        goto free_status;
    nic->status = status;
    return;

free_status:
    free(status);
}

void status_close(struct host_nic *nic)
{
    if (!nic->status)
        return;
    if (nic->status->server.listener >= 0)
        unlink(nic->status->path);
    control_server_close(&nic->status->server);
    free(nic->status);
    nic->status = NULL;
}

void status_abandon(struct host_nic *nic)
{
    if (nic->status)
        control_server_close(&nic->status->server);
}

/* ---- the progress thread --------------------------------------------------------------------- */

static void tell_lost(struct host_nic *nic)
{
    uint32_t lost = atomic_exchange(&nic->status->lost, 0);
    char line[LINE_BYTES];

    if (lost == 0)
        return;
    nic->status->lost_count += lost;
    snprintf(line, sizeof(line), "{\"device\":\"%s\",\"event\":\"lost\",\"count\":%u}\n",
        nic->config.name, lost);
    control_server_tell(&nic->status->server, line, STATUS_LEVEL_CHANGES);
}

static uint32_t level_of_event(const struct status_event *event)
{
    uint32_t from = event->values[1] >> 8 & 0xff;
    uint32_t to = event->values[1] & 0xff;
    bool is_routine = event->kind == STATUS_EV && from <= EV_SKIP && to <= EV_SKIP;

    return is_routine ? STATUS_LEVEL_ALL : STATUS_LEVEL_CHANGES;
}

static void tell_ring(struct host_nic *nic, struct status_ring *ring)
{
    struct status *status = nic->status;
    char line[LINE_BYTES];
    uint32_t slot;

    while (ring_peek(&ring->ring, &slot)) {
        status_write_event(nic, &ring->events[slot], line, sizeof(line));
        if (control_server_tell(&status->server, line, level_of_event(&ring->events[slot])))
            atomic_fetch_add_explicit(&status->lost, 1, memory_order_relaxed);
        ring_pop(&ring->ring);
    }
}

static void tell_events(struct host_nic *nic)
{
    for (uint32_t i = 0; i < nic->engine_count; i++)
        tell_ring(nic, &nic->status->rings[i]);
    tell_lost(nic);
}

static uint32_t highest_level(const struct control_server *server)
{
    uint32_t highest = 0;

    for (uint32_t i = 0; i < CONTROL_CLIENTS_MAX; i++)
        if (server->clients[i].sock >= 0 && server->clients[i].level > highest)
            highest = server->clients[i].level;
    return highest;
}

void status_serve(struct host_nic *nic)
{
    struct status *status = nic->status;

    if (!status)
        return;
    status->turns = 0;
    tell_events(nic);
    control_server_poll(&status->server);
    atomic_store_explicit(&status->level, highest_level(&status->server), memory_order_relaxed);
}

void status_turn(struct host_nic *nic)
{
    if (nic->status &&
        (++nic->status->turns >= TURNS_UNTIL_SERVED || status_has_news(nic->engines[0])))
        status_serve(nic);
}

int status_fd(const struct host_nic *nic)
{
    return nic->status ? nic->status->server.epoll_fd : -1;
}
