/* SPDX-License-Identifier: Apache-2.0 */
/* Agents of NICs on this machine. */
#include "control/map_agent.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "plan/plan.h"

enum { ROUNDS_KEPT = 4 };

/* ---- probes of a period ---------------------------------------------------------------------- */

static uint32_t kept_periods(const struct map_agent *agent)
{
    return ROUNDS_KEPT * agent->round_periods;
}

static size_t place_of(const struct map_agent *agent, uint32_t port, uint64_t period)
{
    return (size_t)port * kept_periods(agent) + period % kept_periods(agent);
}

int map_agent_open(struct map_agent *agent, const struct map_schedule *schedule, const char *device,
    uint32_t nic, uint32_t round_periods)
{
    size_t count;

    *agent = (struct map_agent){ .schedule = schedule,
        .nic = nic,
        .port_count = schedule->plan->topology.config.plane_count,
        .round_periods = round_periods };
    snprintf(agent->device, sizeof(agent->device), "%s", device);
    count = (size_t)agent->port_count * kept_periods(agent);
    agent->arrived = calloc(count, sizeof(*agent->arrived));
    agent->sent = calloc(count, sizeof(*agent->sent));
    agent->lost = calloc((size_t)round_periods * MAP_SLOTS_MAX, sizeof(*agent->lost));
    if (agent->arrived && agent->sent && agent->lost)
        return 0;
    map_agent_close(agent);
    return -ENOMEM;
}

void map_agent_close(struct map_agent *agent)
{
    free(agent->arrived);
    free(agent->sent);
    free(agent->lost);
    *agent = (struct map_agent){ 0 };
}

enum { ENTRY_BYTES = 2 * INET6_ADDRSTRLEN + 24, LIST_BYTES = REQUEST_LINE_BYTES - 128 };

/* Probes that are asked for at once. */
struct list {
    char text[LIST_BYTES];
    size_t length;
    uint32_t count;
    uint64_t period;
};

static bool has_room(const struct list *list)
{
    return list->length + ENTRY_BYTES < sizeof(list->text);
}

/* Appends PORT/ID/OUTER/DESTINATION. */
static void add_probe(const struct map_agent *agent, const struct map_slot *slot,
    const struct map_probe *probe, struct list *list)
{
    const struct plan *plan = agent->schedule->plan;
    struct ipv6_addr outer_address = plan_trail_outer(plan, &probe->trail);
    struct ipv6_addr to_address = plan_nic_address(plan, probe->to_nic);
    char outer[INET6_ADDRSTRLEN];
    char to[INET6_ADDRSTRLEN];
    struct packet packet;

    map_packet_write(slot, &packet);
    inet_ntop(AF_INET6, outer_address.octets, outer, sizeof(outer));
    inet_ntop(AF_INET6, to_address.octets, to, sizeof(to));
    list->length += (size_t)snprintf(list->text + list->length, sizeof(list->text) - list->length,
        "%s%u/%u/%s/%s", list->length ? "," : "", slot->port, packet.psn.value, outer, to);
    list->count++;
}

/* ---- arrivals -------------------------------------------------------------------------------- */

/* Returns true if the probe is one that this port expects: its own, or one way from the neighbour
 * whose turn it is. */
static bool is_expected(const struct map_agent *agent, const struct map_slot *slot,
    const struct ipv6_addr *from, uint32_t port)
{
    const struct plan *plan = agent->schedule->plan;
    struct ipv6_addr sender = plan_nic_address(plan, agent->nic);
    struct map_slot incoming;

    if (ip_address_equal(from, &sender))
        return slot->port == port;
    if (!map_schedule_incoming(agent->schedule, agent->nic, port, slot->period, &incoming))
        return false;
    sender = plan_nic_address(plan, incoming.nic);
    return ip_address_equal(from, &sender) && incoming.number == slot->number;
}

/* An arrival is [FROM, PORT, ID, PERIOD]. One of a period that is no longer kept is ignored. */
static void take_arrival(struct map_agent *agent, const json_t *arrival)
{
    const char *text = json_string_value(json_array_get(arrival, 0));
    uint32_t port = (uint32_t)json_integer_value(json_array_get(arrival, 1));
    struct packet packet = { .opcode = OPCODE_ENDPOINT_REQUEST };
    struct ipv6_addr from;
    struct map_slot slot = { .nic = agent->nic };

    packet.psn = psn((uint32_t)json_integer_value(json_array_get(arrival, 2)) & UINT16_MAX);
    packet.endpoint = (struct packet_endpoint){ .op = ENDPOINT_MAP_PROBE,
        .port_status_mask = (uint32_t)json_integer_value(json_array_get(arrival, 3)) };
    if (!text || port >= agent->port_count || inet_pton(AF_INET6, text, from.octets) != 1 ||
        !map_packet_read(&packet, agent->last_period, &slot) ||
        slot.period + 2 * (uint64_t)agent->round_periods < agent->last_period ||
        slot.period > agent->last_period + agent->round_periods ||
        !is_expected(agent, &slot, &from, port))
        return;
    agent->arrived[place_of(agent, port, slot.period)] |= UINT64_C(1) << slot.number;
    if (slot.period >= agent->heard)
        agent->heard = slot.period + 1;
}

static void forget_last_periods(struct map_agent *agent)
{
    for (uint32_t port = 0; port < agent->port_count; port++)
        for (uint64_t back = 0; back < 2 && back <= agent->last_period; back++)
            agent->sent[place_of(agent, port, agent->last_period - back)] = 0;
}

/* A process that opens the device begins to count its answers. */
static void note_answer(struct map_agent *agent, enum request_result result, const json_t *answer)
{
    uint64_t requests = (uint64_t)json_integer_value(json_object_get(answer, "requests"));

    if (result == REQUEST_ANSWERED && requests <= agent->requests)
        agent->is_opened_anew = true;
    if (result == REQUEST_ANSWERED)
        agent->requests = requests;
    if (agent->is_opened_anew || result == REQUEST_NOT_RUNNING || result == REQUEST_FAILED)
        forget_last_periods(agent);
}

static enum request_result ask_device(
    struct map_agent *agent, const struct list *list, char reason[REQUEST_REASON_BYTES])
{
    struct request_line line;
    enum request_result result;
    const json_t *arrival;
    json_t *answer;
    size_t i;

    request_line_begin(&line, "probe");
    if (list) {
        request_line_number(&line, "period", (uint32_t)list->period);
        request_line_text(&line, "sends", list->text);
    }
    result = request_device(agent->device, line.text, &answer, reason);
    note_answer(agent, result, answer);
    json_array_foreach(json_object_get(answer, "arrived"), i, arrival) take_arrival(agent, arrival);
    if (result == REQUEST_ANSWERED && list &&
        json_integer_value(json_object_get(answer, "sent")) < list->count) {
        snprintf(reason, REQUEST_REASON_BYTES, "a port has no room for its probes");
        result = REQUEST_REFUSED;
    }
    json_decref(answer);
    return result;
}

/* ---- periods --------------------------------------------------------------------------------- */

/* Adds the probes of a port, and asks for those that do not fit. */
static enum request_result add_port(struct map_agent *agent, struct map_slot *slot,
    struct list *list, char reason[REQUEST_REASON_BYTES])
{
    uint32_t count = map_schedule_count(agent->schedule, agent->nic, slot->port);
    enum request_result result = REQUEST_ANSWERED;
    struct map_probe probe;

    for (slot->number = 0; slot->number < count; slot->number++) {
        if (!map_schedule_at(agent->schedule, slot, &probe))
            continue;
        add_probe(agent, slot, &probe, list);
        if (has_room(list))
            continue;
        result = ask_device(agent, list, reason);
        if (result != REQUEST_ANSWERED)
            return result;
        list->length = list->count = 0;
    }
    return result;
}

/* What was noted of the period that will have the same place next is forgotten a round before. */
static void begin_period(struct map_agent *agent, uint32_t port, uint64_t period)
{
    agent->sent[place_of(agent, port, period)] = 0;
    agent->arrived[place_of(agent, port, period + agent->round_periods)] = 0;
}

enum request_result map_agent_send(
    struct map_agent *agent, uint64_t period, char reason[REQUEST_REASON_BYTES])
{
    struct list list = { .period = period };
    enum request_result result;

    agent->last_period = period;
    agent->is_opened_anew = false;
    for (uint32_t port = 0; port < agent->port_count; port++) {
        struct map_slot slot = { .nic = agent->nic, .port = port, .period = period };

        begin_period(agent, port, period);
        result = add_port(agent, &slot, &list, reason);
        if (result != REQUEST_ANSWERED)
            return result;
    }
    result = ask_device(agent, list.length ? &list : NULL, reason);
    for (uint32_t port = 0; result == REQUEST_ANSWERED && port < agent->port_count; port++)
        agent->sent[place_of(agent, port, period)] = !agent->is_opened_anew;
    return result;
}

void map_agent_skip(struct map_agent *agent, uint64_t period)
{
    agent->last_period = period;
    for (uint32_t port = 0; port < agent->port_count; port++)
        begin_period(agent, port, period);
}

enum request_result map_agent_listen(struct map_agent *agent, char reason[REQUEST_REASON_BYTES])
{
    return ask_device(agent, NULL, reason);
}

/* ---- reports --------------------------------------------------------------------------------- */

bool map_agent_losses(
    struct map_agent *agent, uint32_t port, uint64_t first_period, struct map_report *report)
{
    uint32_t count = map_schedule_count(agent->schedule, agent->nic, port);

    *report = (struct map_report){
        .nic = agent->nic, .port = port, .periods = agent->round_periods, .lost = agent->lost
    };
    for (uint32_t i = 0; i < report->periods; i++) {
        size_t place = place_of(agent, port, first_period + i);
        uint64_t lost = ~agent->arrived[place];

        if (agent->sent[place] == 0)
            return false;
        if (count < MAP_SLOTS_MAX)
            lost &= (UINT64_C(1) << count) - 1;
        for (; lost != 0; lost &= lost - 1)
            agent->lost[report->lost_count++] =
                (struct map_loss){ .period = (uint16_t)i, .slot = (uint8_t)bits_lowest(lost) };
    }
    return count > 0;
}

static bool report_port(struct map_agent *agent, struct map *map, uint32_t port)
{
    struct map_report report;

    if (map_schedule_count(agent->schedule, agent->nic, port) == 0)
        return true;
    return map_agent_losses(agent, port, map_period(map), &report) && map_report(map, &report);
}

bool map_agent_report(struct map_agent *agent, struct map *map)
{
    bool all = true;

    for (uint32_t port = 0; port < agent->port_count; port++)
        all &= report_port(agent, map, port);
    return all;
}
