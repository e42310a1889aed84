/* SPDX-License-Identifier: Apache-2.0 */
/* Drains and restores. The order is always: check, store, then change the list in memory, so that
 * a refused write leaves everything as it was. */
#include "ctl/ctl_controller.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ctl_clock.h"
#include "ctl/ctl_conduct.h"
#include "ctl/ctl_loop.h"

#define STORE_MS      200
#define CLOCK_JUMP_MS 2000

static int load_denylist(struct ctl_controller *controller, char reason[static CTL_REASON_BYTES])
{
    json_t *rows = ctl_store_denylist(controller->store);
    const json_t *row;
    size_t i;

    if (!rows) {
        snprintf(reason, CTL_REASON_BYTES, "cannot read the denylist");
        return -EIO;
    }
    json_array_foreach(rows, i, row)
    {
        const char *name = json_string_value(json_object_get(row, "element"));
        const char *actor = json_string_value(json_object_get(row, "actor"));
        char why[TOPOLOGY_REASON_BYTES];

        if (ctl_denylist_add(&controller->denylist, name, why)) {
            ctl_denylist_set_automatic(
                &controller->denylist, name, actor && strcmp(actor, CTL_POLICY_ACTOR) == 0);
            continue;
        }
        snprintf(reason, CTL_REASON_BYTES,
            "%s is drained in the store, but not an element of this fabric: %s; start with the "
            "former "
            "fabric file and restore it first",
            name, why);
        json_decref(rows);
        return -ENOENT;
    }
    json_decref(rows);
    return 0;
}

int ctl_controller_init(struct ctl_controller *controller, const struct plan *plan,
    struct ctl_store *store, const struct ctl_limits *limits, char reason[static CTL_REASON_BYTES])
{
    int err;

    *controller = (struct ctl_controller){ .plan = plan,
        .store = store,
        .limits = *limits,
        .denylist.plan = plan,
        .ports_down = calloc(plan->topology.nic_count, sizeof(*controller->ports_down)),
        .version = ctl_store_version(store),
        .pending = json_array() };
    err = ctl_members_init(&controller->members, plan->topology.nic_count);
    if (err || !controller->ports_down)
        snprintf(reason, CTL_REASON_BYTES, "no memory");
    else
        err = load_denylist(controller, reason);
    return err;
}

void ctl_controller_fini(struct ctl_controller *controller)
{
    ctl_loop_fini(controller);
    ctl_members_fini(&controller->members);
    free(controller->ports_down);
    json_decref(controller->pending);
}

/* ---- drain and restore ----------------------------------------------------------------------- */

static json_t *share_json(const struct ctl_controller *controller, struct ctl_share share)
{
    char name[TOPOLOGY_NAME_BYTES];

    topology_name(&(struct topology_element){ .kind = TOPOLOGY_NIC, .nic = share.nic }, name);
    return json_pack("{s:i,s:s,s:i}", "share_ppm", (int)share.ppm, "nic", name, "limit_ppm",
        (int)controller->limits.capacity_ppm);
}

static void tell_all(struct ctl_controller *controller, const char *event, const json_t *text)
{
    char *line = json_dumps(text, JSON_COMPACT);

    if (line && controller->operators)
        http_server_tell(controller->operators, CTL_CHANNEL, event, line);
    if (line && controller->agents && strcmp(event, "denylist") == 0)
        http_server_tell(controller->agents, CTL_CHANNEL, event, line);
    free(line);
}

struct outcome {
    const char *verb;
    const char *word; /* done, dry_run, refused */
    unsigned status;
    char error[CTL_REASON_BYTES]; /* of a refusal */
    struct ctl_share before;
    struct ctl_share after;
};

static struct ctl_action action_of(const struct ctl_wish *wish, const struct outcome *outcome)
{
    return (struct ctl_action){ .actor = wish->actor,
        .verb = outcome->verb,
        .element = wish->element,
        .outcome = outcome->word,
        .reason = outcome->error[0] ? outcome->error : wish->reason,
        .evidence = wish->evidence };
}

static void refuse_wish(struct outcome *outcome, unsigned status)
{
    outcome->word = "refused";
    outcome->status = status;
}

/* Stores the change, or notes the attempt. */
static void store_outcome(struct ctl_controller *controller, const struct ctl_wish *wish,
    struct outcome *outcome, int (*change)(struct ctl_store *, const struct ctl_action *))
{
    bool is_change = strcmp(outcome->word, "done") == 0;
    struct ctl_action action = action_of(wish, outcome);
    int err =
        is_change ? change(controller->store, &action) : ctl_store_note(controller->store, &action);

    controller->store_err = err;
    if (!err || !is_change)
        return;
    snprintf(outcome->error, sizeof(outcome->error),
        "the store refuses the change (%s); nothing was changed", strerror(-err));
    refuse_wish(outcome, 507);
}

static json_t *answer_of(const struct ctl_controller *controller, const struct ctl_wish *wish,
    const struct outcome *outcome)
{
    json_t *answer = json_pack("{s:s,s:s,s:s,s:I}", "element", wish->element, "verb", outcome->verb,
        "outcome", outcome->word, "version", (json_int_t)controller->version);

    if (outcome->error[0])
        json_object_set_new(answer, "error", json_string(outcome->error));
    if (outcome->status != 404) {
        json_object_set_new(answer, "before", share_json(controller, outcome->before));
        json_object_set_new(answer, "after", share_json(controller, outcome->after));
    }
    return answer;
}

static json_t *finish_wish(
    struct ctl_controller *controller, const struct ctl_wish *wish, struct outcome *outcome)
{
    json_t *answer;

    if (strcmp(outcome->word, "done") == 0)
        controller->version = ctl_store_version(controller->store);
    answer = answer_of(controller, wish, outcome);
    if (strcmp(outcome->word, "done") == 0)
        tell_all(controller, "denylist", answer);
    return answer;
}

/* With the element in the list: is what remains enough, and can devices carry it out? */
static void judge_drain(struct ctl_controller *controller, struct outcome *outcome)
{
    struct ctl_orders *orders = malloc(sizeof(*orders));

    outcome->after = ctl_denylist_share(&controller->denylist, controller->ports_down);
    if (outcome->after.ppm < controller->limits.capacity_ppm) {
        char nic[TOPOLOGY_NAME_BYTES];

        topology_name(
            &(struct topology_element){ .kind = TOPOLOGY_NIC, .nic = outcome->after.nic }, nic);
        snprintf(outcome->error, sizeof(outcome->error),
            "%s would keep %.1f %% of its paths, below the limit of %.1f %%; it has %.1f %% now, "
            "with %u element%s drained",
            nic, outcome->after.ppm / 1e4, controller->limits.capacity_ppm / 1e4,
            outcome->before.ppm / 1e4, controller->denylist.count - 1,
            controller->denylist.count == 2 ? "" : "s");
        refuse_wish(outcome, 409);
    } else if (!orders || !ctl_denylist_orders(&controller->denylist, 0, orders)) {
        snprintf(outcome->error, sizeof(outcome->error),
            "a device can deny at most %d EVs, and this needs more", EV_ADMIN_MAX);
        refuse_wish(outcome, 409);
    }
    free(orders);
}

json_t *ctl_controller_drain(
    struct ctl_controller *controller, const struct ctl_wish *wish, unsigned *status)
{
    struct outcome outcome = { .verb = "drain",
        .word = wish->is_dry ? "dry_run" : "done",
        .status = 200,
        .before = ctl_denylist_share(&controller->denylist, controller->ports_down) };
    char why[TOPOLOGY_REASON_BYTES];
    bool is_automatic = strcmp(wish->actor, CTL_POLICY_ACTOR) == 0;
    bool is_taken_over =
        !is_automatic && ctl_denylist_is_automatic(&controller->denylist, wish->element);
    bool is_added = false;

    if (is_taken_over) {
        outcome.after = outcome.before;
    } else if (ctl_denylist_has(&controller->denylist, wish->element)) {
        snprintf(outcome.error, sizeof(outcome.error), "it is drained already");
        outcome.after = outcome.before;
        refuse_wish(&outcome, 409);
    } else if (!ctl_denylist_add(&controller->denylist, wish->element, why)) {
        snprintf(outcome.error, sizeof(outcome.error), "%s", why);
        refuse_wish(&outcome, 404);
    } else {
        is_added = true;
        judge_drain(controller, &outcome);
    }
    store_outcome(
        controller, wish, &outcome, is_taken_over ? ctl_store_take_over : ctl_store_drain);
    if (strcmp(outcome.word, "done") == 0)
        ctl_denylist_set_automatic(&controller->denylist, wish->element, is_automatic);
    else if (is_added)
        ctl_denylist_remove(&controller->denylist, wish->element);
    *status = outcome.status;
    return finish_wish(controller, wish, &outcome);
}

json_t *ctl_controller_restore(
    struct ctl_controller *controller, const struct ctl_wish *wish, unsigned *status)
{
    struct outcome outcome = { .verb = "restore",
        .word = wish->is_dry ? "dry_run" : "done",
        .status = 200,
        .before = ctl_denylist_share(&controller->denylist, controller->ports_down) };
    struct ctl_denylist *before = malloc(sizeof(*before));

    outcome.after = outcome.before;
    if (!before) {
        *status = 503;
        return NULL;
    }
    *before = controller->denylist;
    if (ctl_denylist_remove(&controller->denylist, wish->element)) {
        outcome.after = ctl_denylist_share(&controller->denylist, controller->ports_down);
    } else {
        snprintf(outcome.error, sizeof(outcome.error), "it is not drained");
        refuse_wish(&outcome, 404);
    }
    store_outcome(controller, wish, &outcome, ctl_store_restore);
    if (strcmp(outcome.word, "done") != 0)
        controller->denylist = *before;
    free(before);
    *status = outcome.status;
    return finish_wish(controller, wish, &outcome);
}

/* ---- time ------------------------------------------------------------------------------------ */

static void note_clock(struct ctl_controller *controller)
{
    int64_t offset_ms = ctl_clock_day_ms() - (int64_t)controller->now_ms;
    int64_t jump_ms = offset_ms - controller->clock_offset_ms;
    bool is_first = controller->clock_offset_ms == 0;
    char reason[96];

    controller->clock_offset_ms = offset_ms;
    if (is_first || (jump_ms < CLOCK_JUMP_MS && jump_ms > -CLOCK_JUMP_MS))
        return;
    snprintf(reason, sizeof(reason),
        "the time of day jumped by %.1f s; the order of entries is kept", (double)jump_ms / 1000);
    ctl_store_note(controller->store, &(struct ctl_action){ .actor = "mrcd",
                                          .verb = "clock",
                                          .element = "",
                                          .outcome = "noted",
                                          .reason = reason });
}

static struct ctl_event event_of(const json_t *event)
{
    return (struct ctl_event){
        .agent = json_string_value(json_object_get(event, "agent")),
        .device = json_string_value(json_object_get(event, "nic")),
        .kind = json_string_value(json_object_get(event, "event")),
        .time_ms = json_integer_value(json_object_get(event, "time_ms")),
    };
}

static void store_events(struct ctl_controller *controller)
{
    size_t count = json_array_size(controller->pending);
    struct ctl_event *events = calloc(count + 1, sizeof(*events));
    char **texts = calloc(count + 1, sizeof(*texts));

    for (size_t i = 0; events && texts && i < count; i++) {
        const json_t *event = json_array_get(controller->pending, i);

        events[i] = event_of(event);
        events[i].text = texts[i] = json_dumps(event, JSON_COMPACT);
    }
    controller->store_err = events && texts
                                ? ctl_store_add_events(controller->store, events, (uint32_t)count)
                                : -ENOMEM;
    if (controller->store_err)
        controller->events_dropped += count;
    for (size_t i = 0; texts && i < count; i++)
        free(texts[i]);
    free(texts);
    free(events);
    json_array_clear(controller->pending);
}

void ctl_controller_tick(struct ctl_controller *controller, uint64_t now_ms)
{
    controller->now_ms = now_ms;
    if (ctl_map_turn(&controller->map, &controller->denylist, now_ms))
        ctl_loop_act(controller, ctl_map_is_covered(&controller->map));
    if (now_ms - controller->stored_ms < STORE_MS)
        return;
    controller->stored_ms = now_ms;
    note_clock(controller);
    ctl_conduct_note(controller);
    if (json_array_size(controller->pending) > 0)
        store_events(controller);
}
