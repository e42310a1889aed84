/* SPDX-License-Identifier: Apache-2.0 */
/* Probes of the devices of a node. */
#include "ctl/ctl_prober.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ctl_agent.h"

enum {
    LINE = 64,
    GRACE_MS = 200,     /* for probes of the last period */
    PATIENCE_MS = 2000, /* for those of a fabric whose processes have to wait for a processor */
    PAUSE_MS = 5000,    /* after a device has not answered */
    SILENT_MS = 60000,  /* without a controller; then there are no probes */
    IDLE_MS = 1000,
    BORROW_MS = 5000,       /* after a device could not be borrowed, */
    BORROW_MS_MAX = 600000, /* and after many failures */
};

/* ---- the fabric ------------------------------------------------------------------------------ */

void ctl_prober_init(struct ctl_prober *prober)
{
    *prober = (struct ctl_prober){ .fabric_id = -1, .rounds = json_array() };
    yaml_init(&prober->yaml);
}

static void close_device(struct ctl_prober_device *device)
{
    map_agent_close(&device->agent);
    device_loan_return(&device->loan);
}

static void close_devices(struct ctl_prober *prober)
{
    for (uint32_t i = 0; i < prober->device_count; i++)
        close_device(&prober->devices[i]);
    prober->device_count = 0;
    prober->is_running = false;
}

static void forget_plan(struct ctl_prober *prober)
{
    close_devices(prober);
    free(prober->memory);
    prober->memory = NULL;
    prober->plan = NULL;
    yaml_fini(&prober->yaml);
    yaml_init(&prober->yaml);
}

void ctl_prober_fini(struct ctl_prober *prober)
{
    forget_plan(prober);
    yaml_fini(&prober->yaml);
    json_decref(prober->rounds);
}

/* Without memory, there are no probes. */
static void open_schedule(struct ctl_prober *prober, const struct plan *plan)
{
    struct arena arena;
    size_t bytes;

    arena_init(&arena, NULL, 0);
    map_schedule_init(&prober->schedule, &arena, plan);
    bytes = (arena.used_bytes + LINE - 1) / LINE * LINE;
    prober->memory = aligned_alloc(LINE, bytes);
    if (!prober->memory)
        return;
    arena_init(&arena, prober->memory, bytes);
    map_schedule_init(&prober->schedule, &arena, plan);
    prober->plan = plan;
}

void ctl_prober_lend(struct ctl_prober *prober, const struct plan *plan, int64_t fabric_id)
{
    forget_plan(prober);
    prober->fabric_id = fabric_id;
    open_schedule(prober, plan);
}

static void take_fabric(struct ctl_prober *prober, const char *text, int64_t fabric_id)
{
    const struct yaml_node *top;

    forget_plan(prober);
    prober->fabric_id = fabric_id;
    top = yaml_parse(&prober->yaml, "the fabric of the controller", text, strlen(text), true);
    if (top && top->kind == YAML_MAPPING && fabric_file_read(&prober->yaml, top, &prober->own_plan))
        open_schedule(prober, &prober->own_plan);
}

static uint32_t number_in(const json_t *object, const char *key, uint32_t most)
{
    json_int_t number = json_integer_value(json_object_get(object, key));

    return number > 0 && number <= most ? (uint32_t)number : 0;
}

void ctl_prober_take_answer(
    struct ctl_prober *prober, const json_t *map, uint64_t sent_ms, uint64_t heard_ms)
{
    const char *text = json_string_value(json_object_get(map, "fabric"));
    uint32_t period_ms = number_in(map, "period_ms", 60000);
    uint32_t round_periods = number_in(map, "round_periods", MAP_ROUND_PERIODS_MAX);
    json_int_t theirs_ms = json_integer_value(json_object_get(map, "time_ms"));

    if (text)
        take_fabric(prober, text, json_integer_value(json_object_get(map, "fabric_id")));
    if (period_ms != prober->period_ms || round_periods != prober->round_periods)
        close_devices(prober);
    if (text || period_ms != prober->period_ms || round_periods != prober->round_periods)
        json_array_clear(prober->rounds); /* of other probes */
    prober->period_ms = round_periods ? period_ms : 0;
    prober->round_periods = round_periods;
    if (theirs_ms <= 0)
        return;
    ctl_pace_hear(&prober->pace, sent_ms, heard_ms, (uint64_t)theirs_ms);
    prober->heard_ms = heard_ms;
}

/* ---- devices --------------------------------------------------------------------------------- */

static uint32_t find_device(const struct ctl_prober *prober, const char *name)
{
    uint32_t i = 0;

    while (i < prober->device_count && strcmp(prober->devices[i].agent.device, name) != 0)
        i++;
    return i;
}

static bool add_device(struct ctl_prober *prober, const struct ctl_agent_device *device)
{
    struct ctl_prober_device *added = &prober->devices[prober->device_count];
    struct ipv6_addr address;
    uint32_t nic;

    if (prober->device_count == EVENT_WATCH_MAX ||
        inet_pton(AF_INET6, device->address, address.octets) != 1 ||
        !plan_nic_of(prober->plan, &address, &nic) || nic >= prober->plan->topology.nic_count)
        return false;
    *added = (struct ctl_prober_device){ .pause_ms = BORROW_MS };
    if (map_agent_open(
            &added->agent, &prober->schedule, device->name, nic, prober->round_periods) != 0)
        return false;
    prober->device_count++;
    return true;
}

/* A device that cannot be opened, perhaps because its fabric does not run, is tried less and less
 * often. */
static void borrow(struct ctl_prober_device *device, uint64_t now_ms)
{
    if (device->loan.device[0] || now_ms < device->borrow_ms)
        return;
    if (device_loan_take(&device->loan, device->agent.device) == 0) {
        device->pause_ms = BORROW_MS;
        device->again_ms = 0;
        return;
    }
    device->borrow_ms = now_ms + device->pause_ms;
    if (device->pause_ms < BORROW_MS_MAX)
        device->pause_ms *= 2;
}

void ctl_prober_look(struct ctl_prober *prober, const struct ctl_agent_device *devices,
    uint32_t device_count, uint64_t now_ms)
{
    if (!prober->plan || prober->period_ms == 0)
        return;
    for (uint32_t i = 0; i < prober->device_count; i++)
        prober->devices[i].is_there = false;
    for (uint32_t i = 0; i < device_count; i++) {
        uint32_t found = find_device(prober, devices[i].name);

        if (found == prober->device_count && !add_device(prober, &devices[i]))
            continue;
        prober->devices[found].is_there = true;
        if (!devices[i].has_owner)
            borrow(&prober->devices[found], now_ms);
    }
    for (uint32_t i = prober->device_count; i-- > 0;)
        if (!prober->devices[i].is_there) {
            close_device(&prober->devices[i]);
            prober->devices[i] = prober->devices[--prober->device_count];
        }
}

bool ctl_prober_has_borrowed(const struct ctl_prober *prober, const char *device)
{
    uint32_t found = find_device(prober, device);

    return found < prober->device_count && prober->devices[found].loan.device[0];
}

/* Returns whether any device is still borrowed. */
static bool return_wanted(struct ctl_prober *prober)
{
    bool is_any = false;

    for (uint32_t i = 0; i < prober->device_count; i++) {
        struct device_loan *loan = &prober->devices[i].loan;

        if (device_loan_is_wanted(loan))
            device_loan_return(loan);
        is_any |= loan->device[0] != '\0';
    }
    return is_any;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static void collect_round(struct ctl_prober *prober)
{
    json_t *nics = json_array();

    for (uint32_t i = 0; i < prober->device_count; i++) {
        json_t *nic = ctl_prober_collect(prober, &prober->devices[i].agent);

        if (nic)
            json_array_append_new(nics, nic);
    }
    if (json_array_size(prober->rounds) >= CTL_PROBER_ROUNDS)
        json_array_remove(prober->rounds, 0);
    json_array_append_new(
        prober->rounds, json_pack("{s:I,s:o}", "round", (json_int_t)prober->round, "nics", nics));
    prober->round++;
}

/* A device that has heard of a later period has got all that will arrive of this round. */
static bool have_heard(const struct ctl_prober *prober)
{
    uint64_t end = (prober->round + 1) * prober->round_periods;

    for (uint32_t i = 0; i < prober->device_count; i++)
        if (prober->devices[i].agent.heard <= end && prober->devices[i].again_ms == 0)
            return false;
    return true;
}

/* The places of a round are used again two rounds after its end. */
static uint64_t patience_ms(const struct ctl_prober *prober)
{
    uint64_t round_ms = (uint64_t)prober->period_ms * prober->round_periods;

    return PATIENCE_MS < round_ms ? PATIENCE_MS : round_ms;
}

static void collect_due(struct ctl_prober *prober, uint64_t theirs_ms)
{
    uint64_t round_ms = (uint64_t)prober->period_ms * prober->round_periods;
    uint64_t grace_ms = GRACE_MS < round_ms / 2 ? GRACE_MS : round_ms / 2;
    uint64_t end_ms = (prober->round + 1) * round_ms;

    if (theirs_ms >= end_ms + patience_ms(prober) ||
        (theirs_ms >= end_ms + grace_ms && have_heard(prober)))
        collect_round(prober);
}

/* ---- periods --------------------------------------------------------------------------------- */

static void send_period(
    struct ctl_prober *prober, struct ctl_prober_device *device, uint64_t now_ms)
{
    char reason[REQUEST_REASON_BYTES];
    enum request_result result;

    if (now_ms < device->again_ms) {
        map_agent_skip(&device->agent, prober->period);
        return;
    }
    device->again_ms = 0;
    result = map_agent_send(&device->agent, prober->period, reason);
    if (result == REQUEST_FAILED || result == REQUEST_NOT_RUNNING)
        device->again_ms = now_ms + PAUSE_MS;
}

static void begin_running(struct ctl_prober *prober, uint64_t period)
{
    prober->is_running = true;
    prober->period = period;
    prober->round = period / prober->round_periods + 1;
}

/* Periods that passed meanwhile are left out; after a long time, or if the clock of another
 * controller is behind, all begins again. */
static void advance_to(struct ctl_prober *prober, uint64_t period)
{
    uint64_t kept = 2 * (uint64_t)prober->round_periods;

    if (!prober->is_running || period > prober->period + kept || period + kept < prober->period)
        begin_running(prober, period);
    for (; prober->period + 1 < period; prober->period++)
        for (uint32_t i = 0; i < prober->device_count; i++)
            map_agent_skip(&prober->devices[i].agent, prober->period + 1);
}

uint32_t ctl_prober_tick(struct ctl_prober *prober, uint64_t now_ms)
{
    uint64_t theirs_ms = ctl_pace_ms(&prober->pace, now_ms);
    uint32_t wait_ms;

    if (!prober->plan || !prober->pace.is_known || prober->period_ms == 0 ||
        now_ms - prober->heard_ms > SILENT_MS) {
        close_devices(prober);
        return IDLE_MS;
    }
    advance_to(prober, theirs_ms / prober->period_ms);
    if (theirs_ms / prober->period_ms > prober->period) {
        prober->period = theirs_ms / prober->period_ms;
        for (uint32_t i = 0; i < prober->device_count; i++)
            send_period(prober, &prober->devices[i], now_ms);
    }
    collect_due(prober, theirs_ms);
    wait_ms = prober->period_ms - (uint32_t)(theirs_ms % prober->period_ms);
    return return_wanted(prober) && wait_ms > DEVICE_LOAN_LOOK_MS ? DEVICE_LOAN_LOOK_MS : wait_ms;
}

bool ctl_prober_has_news(const struct ctl_prober *prober)
{
    return json_array_size(prober->rounds) > 0;
}

json_t *ctl_prober_report(struct ctl_prober *prober)
{
    json_t *report = json_pack(
        "{s:I,s:o}", "fabric_id", (json_int_t)prober->fabric_id, "rounds", prober->rounds);

    prober->rounds = json_array();
    return report;
}
