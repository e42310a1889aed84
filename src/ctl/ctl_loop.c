/* SPDX-License-Identifier: Apache-2.0 */
/* Carries out what the policy decides. */
#include "ctl/ctl_loop.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ctl_clock.h"

/* ---- memory of earlier processes ------------------------------------------------------------- */

static bool is_about(const json_t *entry, const char *element)
{
    const char *other = json_string_value(json_object_get(entry, "element"));

    return other && strcmp(other, element) == 0;
}

static bool is_action(const json_t *entry)
{
    const char *actor = json_string_value(json_object_get(entry, "actor"));

    return actor && strcmp(actor, CTL_POLICY_ACTOR) == 0;
}

/* The time of day may have jumped since: an entry of the future counts as one of now. */
static void recall_actions(struct ctl_controller *controller, const json_t *changes)
{
    int64_t day_ms = ctl_clock_day_ms();
    const json_t *entry;
    size_t i;

    json_array_foreach(changes, i, entry)
    {
        int64_t age_ms = day_ms - json_integer_value(json_object_get(entry, "time_ms"));

        if (is_action(entry) && age_ms < (int64_t)CTL_POLICY_HOUR_MS)
            ctl_policy_recall_action(
                &controller->policy, controller->now_ms - (uint64_t)(age_ms > 0 ? age_ms : 0));
    }
}

static uint32_t count_drains(const json_t *changes, const char *element)
{
    const json_t *entry;
    uint32_t count = 0;
    size_t i;

    json_array_foreach(changes, i, entry)
    {
        const char *verb = json_string_value(json_object_get(entry, "verb"));

        count += is_action(entry) && is_about(entry, element) && verb && strcmp(verb, "drain") == 0;
    }
    return count;
}

static void recall_drains(struct ctl_controller *controller, const json_t *changes)
{
    for (uint32_t i = 0; i < controller->denylist.count; i++) {
        const struct ctl_denied *denied = &controller->denylist.elements[i];

        if (denied->is_automatic)
            ctl_policy_recall_drain(&controller->policy, denied->name,
                count_drains(changes, denied->name), controller->now_ms);
    }
}

/* What an operator changed last, with a verdict that is still open, stays as it is. */
static void recall_operators(struct ctl_controller *controller, const json_t *changes)
{
    for (uint32_t i = 0; i < controller->map.verdict_count; i++) {
        const char *element = controller->map.verdicts[i].element;
        const json_t *entry;
        size_t j;

        json_array_foreach(changes, j, entry)
        {
            if (!is_about(entry, element))
                continue;
            if (!is_action(entry))
                ctl_policy_recall_overruled(&controller->policy, element, controller->now_ms);
            break;
        }
    }
}

int ctl_loop_init(struct ctl_controller *controller, const struct ctl_map_config *map,
    const struct ctl_policy_config *policy, char reason[static CTL_REASON_BYTES])
{
    json_t *changes = ctl_store_changes(controller->store);
    int err = ctl_map_init(&controller->map, controller->plan, controller->store, map);

    if (err)
        snprintf(reason, CTL_REASON_BYTES, "no memory for the map");
    controller->now_ms = ctl_clock_ms();
    ctl_policy_init(&controller->policy, policy);
    recall_actions(controller, changes);
    recall_drains(controller, changes);
    recall_operators(controller, changes);
    json_decref(changes);
    return err;
}

void ctl_loop_fini(struct ctl_controller *controller)
{
    ctl_map_fini(&controller->map);
}

/* ---- actions --------------------------------------------------------------------------------- */

static const struct ctl_map_verdict *verdict_on(
    const struct ctl_controller *controller, const char *element)
{
    for (uint32_t i = 0; i < controller->map.verdict_count; i++)
        if (strcmp(controller->map.verdicts[i].element, element) == 0)
            return &controller->map.verdicts[i];
    return NULL;
}

/* Writes why: the verdict, or that there was none for so long. */
static void write_reason(const struct ctl_controller *controller,
    const struct ctl_decision *decision, char out[static CTL_REASON_BYTES])
{
    const struct ctl_case *it = &controller->policy.cases[decision->index];
    const struct ctl_map_verdict *verdict = verdict_on(controller, decision->element);

    if (decision->verb == CTL_POLICY_DRAIN)
        snprintf(out, CTL_REASON_BYTES, "%s", verdict ? verdict->text : "verdict");
    else
        snprintf(out, CTL_REASON_BYTES, "no verdict in %u rounds of probes, drained for %.0f s",
            it->clean_rounds, (double)(controller->now_ms - it->changed_ms) / 1000);
}

static char *write_evidence(
    const struct ctl_controller *controller, const struct ctl_decision *decision)
{
    const struct ctl_case *it = &controller->policy.cases[decision->index];
    const struct ctl_map_verdict *verdict = verdict_on(controller, decision->element);
    json_t *evidence = json_pack("{s:O*,s:i,s:i,s:I,s:i,s:i}", "verdict",
        verdict ? verdict->evidence : NULL, "clean_rounds", (int)it->clean_rounds, "drains",
        (int)it->drains, "hold_ms", (json_int_t)ctl_policy_hold_ms(&controller->policy, it), "nics",
        (int)controller->map.nics_last, "actions_last_hour",
        (int)ctl_policy_actions(&controller->policy, controller->now_ms));
    char *text = json_dumps(evidence, JSON_COMPACT);

    json_decref(evidence);
    return text;
}

static bool carry_out(struct ctl_controller *controller, const struct ctl_decision *decision)
{
    char reason[CTL_REASON_BYTES];
    char *evidence = write_evidence(controller, decision);
    struct ctl_wish wish = { .actor = CTL_POLICY_ACTOR,
        .element = decision->element,
        .reason = reason,
        .evidence = evidence,
        .is_dry = controller->policy.config.mode == CTL_POLICY_DRY_RUN };
    bool is_drain = decision->verb == CTL_POLICY_DRAIN;
    unsigned status = 200;

    write_reason(controller, decision, reason);
    if (wish.is_dry && !is_drain)
        ctl_store_note(controller->store, &(struct ctl_action){ .actor = wish.actor,
                                              .verb = "restore",
                                              .element = wish.element,
                                              .outcome = "dry_run",
                                              .reason = reason,
                                              .evidence = evidence });
    else
        json_decref(
            (is_drain ? ctl_controller_drain : ctl_controller_restore)(controller, &wish, &status));
    free(evidence);
    return status == 200;
}

/* True if an operator has restored what we had drained, or has drained it. */
static bool is_operators(const struct ctl_controller *controller, const struct ctl_case *it)
{
    const struct ctl_denylist *list = &controller->denylist;

    if (ctl_denylist_is_automatic(list, it->element))
        return false;
    return ctl_denylist_has(list, it->element) ||
           (it->state == CTL_CASE_DRAINED && controller->policy.config.mode == CTL_POLICY_ON);
}

/* What operators changed is theirs for as long as its verdict is open. */
static void heed_operators(struct ctl_controller *controller)
{
    struct ctl_policy *policy = &controller->policy;

    for (uint32_t i = 0; i < policy->case_count; i++)
        if (policy->cases[i].state != CTL_CASE_OVERRULED &&
            is_operators(controller, &policy->cases[i]))
            ctl_policy_overrule(policy, i, controller->now_ms);
}

/* A verdict of an earlier process that no probe has confirmed yet keeps what was done about it, and
 * is no reason to do more. */
static bool counts(const struct ctl_controller *controller, const struct ctl_map_verdict *verdict)
{
    return verdict->number > 0 || ctl_policy_knows(&controller->policy, verdict->element);
}

void ctl_loop_act(struct ctl_controller *controller, bool is_covered)
{
    struct ctl_policy *policy = &controller->policy;
    struct ctl_decision decision;

    ctl_policy_begin_round(policy);
    for (uint32_t i = 0; i < controller->map.verdict_count; i++)
        if (counts(controller, &controller->map.verdicts[i]))
            ctl_policy_blame(policy, controller->map.verdicts[i].element, controller->now_ms);
    heed_operators(controller);
    ctl_policy_end_round(policy, is_covered, controller->now_ms);
    while (ctl_policy_next(policy, controller->now_ms, &decision))
        ctl_policy_tried(policy, &decision, carry_out(controller, &decision), controller->now_ms);
}

/* ---- what operators see ---------------------------------------------------------------------- */

static json_t *describe_case(const struct ctl_controller *controller, const struct ctl_case *it)
{
    uint64_t passed_ms = controller->now_ms - it->changed_ms;
    uint64_t hold_ms = ctl_policy_hold_ms(&controller->policy, it);
    bool is_held = it->state == CTL_CASE_DRAINED && passed_ms < hold_ms;

    return json_pack("{s:s,s:s,s:b,s:i,s:i,s:I}", "element", it->element, "state",
        ctl_case_state_words[it->state], "is_blamed", it->is_blamed, "clean_rounds",
        (int)it->clean_rounds, "drains", (int)it->drains, "hold_left_ms",
        (json_int_t)(is_held ? hold_ms - passed_ms : 0));
}

static json_t *describe_policy(const struct ctl_controller *controller)
{
    const struct ctl_policy *policy = &controller->policy;
    json_t *cases = json_array();

    for (uint32_t i = 0; i < policy->case_count; i++)
        json_array_append_new(cases, describe_case(controller, &policy->cases[i]));
    return json_pack("{s:s,s:i,s:i,s:I,s:i,s:I,s:o}", "mode",
        ctl_policy_mode_words[policy->config.mode], "actions_last_hour",
        (int)ctl_policy_actions(policy, controller->now_ms), "actions_max",
        (int)policy->config.actions_max, "hold_ms", (json_int_t)policy->config.hold_ms,
        "clean_rounds", (int)policy->config.clean_rounds, "held_back",
        (json_int_t)policy->held_back, "cases", cases);
}

void ctl_loop_describe(const struct ctl_controller *controller, json_t *state)
{
    json_t *map = ctl_map_describe(&controller->map);
    json_t *verdicts = json_array();

    for (uint32_t i = 0; i < controller->map.verdict_count; i++)
        json_array_append_new(
            verdicts, json_pack("{s:s,s:s}", "element", controller->map.verdicts[i].element, "text",
                          controller->map.verdicts[i].text));
    json_object_set_new(state, "verdicts", json_integer((json_int_t)json_array_size(verdicts)));
    json_object_set_new(state, "verdicts_open", verdicts);
    if (map)
        json_object_set_new(state, "map", map);
    json_object_set_new(state, "policy", describe_policy(controller));
}
