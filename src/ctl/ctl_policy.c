/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of elements, and what to do about them. */
#include "ctl/ctl_policy.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    RETRY_MS = 60000, /* after a refusal; doubles up to an hour */
    DOUBLINGS_MAX = 16,
};

const char *const ctl_policy_mode_words[CTL_POLICY_MODE_COUNT + 1] = { "off", "dry-run", "on",
    NULL };

const char *const ctl_case_state_words[CTL_CASE_STATE_COUNT + 1] = { "blamed", "drained",
    "restored", "overruled", NULL };

void ctl_policy_init(struct ctl_policy *policy, const struct ctl_policy_config *config)
{
    assert(config->actions_max <= CTL_POLICY_ACTIONS_MAX);
    *policy = (struct ctl_policy){ .config = *config };
}

/* ---- cases ----------------------------------------------------------------------------------- */

/* Returns the index of the case of the element, or the number of cases. */
static uint32_t index_of(const struct ctl_policy *policy, const char *element)
{
    uint32_t i = 0;

    while (i < policy->case_count && strcmp(policy->cases[i].element, element) != 0)
        i++;
    return i;
}

static struct ctl_case *find_or_add(struct ctl_policy *policy, const char *element, uint64_t now_ms)
{
    uint32_t index = index_of(policy, element);
    struct ctl_case *found;

    if (index < policy->case_count)
        return &policy->cases[index];
    if (policy->case_count == CTL_CASES_MAX)
        return NULL;
    found = &policy->cases[policy->case_count++];
    *found = (struct ctl_case){ .state = CTL_CASE_BLAMED, .changed_ms = now_ms };
    snprintf(found->element, sizeof(found->element), "%s", element);
    return found;
}

static void enter_state(struct ctl_case *it, enum ctl_case_state state, uint64_t now_ms)
{
    it->state = state;
    it->changed_ms = now_ms;
    it->clean_rounds = 0;
    it->refusals = 0;
    it->retry_ms = 0;
}

static uint64_t doubled(uint64_t first_ms, uint32_t times, uint64_t most_ms)
{
    uint64_t value_ms = first_ms << (times < DOUBLINGS_MAX ? times : DOUBLINGS_MAX);

    return value_ms < most_ms ? value_ms : most_ms;
}

uint64_t ctl_policy_hold_ms(const struct ctl_policy *policy, const struct ctl_case *it)
{
    return doubled(
        policy->config.hold_ms, it->drains > 0 ? it->drains - 1 : 0, CTL_POLICY_HOLD_MAX_MS);
}

void ctl_policy_recall_drain(
    struct ctl_policy *policy, const char *element, uint32_t drains, uint64_t now_ms)
{
    struct ctl_case *it = find_or_add(policy, element, now_ms);

    if (!it)
        return;
    enter_state(it, CTL_CASE_DRAINED, now_ms);
    it->drains = drains;
}

bool ctl_policy_knows(const struct ctl_policy *policy, const char *element)
{
    return index_of(policy, element) < policy->case_count;
}

void ctl_policy_recall_overruled(struct ctl_policy *policy, const char *element, uint64_t now_ms)
{
    struct ctl_case *it = find_or_add(policy, element, now_ms);

    if (it)
        enter_state(it, CTL_CASE_OVERRULED, now_ms);
}

void ctl_policy_overrule(struct ctl_policy *policy, uint32_t index, uint64_t now_ms)
{
    assert(index < policy->case_count);
    enter_state(&policy->cases[index], CTL_CASE_OVERRULED, now_ms);
}

/* ---- rounds ---------------------------------------------------------------------------------- */

void ctl_policy_begin_round(struct ctl_policy *policy)
{
    policy->held_back += policy->is_holding_back;
    policy->is_holding_back = false;
    for (uint32_t i = 0; i < policy->case_count; i++)
        policy->cases[i].is_blamed = false;
}

void ctl_policy_blame(struct ctl_policy *policy, const char *element, uint64_t now_ms)
{
    struct ctl_case *it = find_or_add(policy, element, now_ms);

    if (it)
        it->is_blamed = true;
}

/* A drain that was taken back is remembered for as long as its hold-off was, so that an element
 * that fails again and again is out of service for longer each time. */
static bool is_over(const struct ctl_policy *policy, const struct ctl_case *it, uint64_t now_ms)
{
    if (it->is_blamed || it->state == CTL_CASE_DRAINED)
        return false;
    return it->drains == 0 || (it->clean_rounds >= policy->config.clean_rounds &&
                                  now_ms - it->changed_ms >= 2 * ctl_policy_hold_ms(policy, it));
}

void ctl_policy_end_round(struct ctl_policy *policy, bool is_covered, uint64_t now_ms)
{
    for (uint32_t i = policy->case_count; i-- > 0;) {
        struct ctl_case *it = &policy->cases[i];

        if (it->is_blamed)
            it->clean_rounds = 0;
        else if (is_covered)
            it->clean_rounds++;
        if (it->is_blamed && it->state == CTL_CASE_RESTORED)
            enter_state(it, CTL_CASE_BLAMED, now_ms);
        if (!it->is_blamed && is_covered && it->state == CTL_CASE_OVERRULED)
            enter_state(it, CTL_CASE_RESTORED, now_ms); /* a later verdict is a new one */
        if (is_covered && is_over(policy, it, now_ms))
            *it = policy->cases[--policy->case_count];
    }
}

/* ---- actions --------------------------------------------------------------------------------- */

void ctl_policy_recall_action(struct ctl_policy *policy, uint64_t time_ms)
{
    policy->actions_ms[policy->action_count++ % CTL_POLICY_ACTIONS_MAX] = time_ms;
}

uint32_t ctl_policy_actions(const struct ctl_policy *policy, uint64_t now_ms)
{
    uint32_t kept = policy->action_count < CTL_POLICY_ACTIONS_MAX ? (uint32_t)policy->action_count
                                                                  : CTL_POLICY_ACTIONS_MAX;
    uint32_t count = 0;

    for (uint32_t i = 0; i < kept; i++)
        count += now_ms - policy->actions_ms[i] < CTL_POLICY_HOUR_MS;
    return count;
}

static bool wants_restore(
    const struct ctl_policy *policy, const struct ctl_case *it, uint64_t now_ms)
{
    return it->state == CTL_CASE_DRAINED && !it->is_blamed &&
           it->clean_rounds >= policy->config.clean_rounds &&
           now_ms - it->changed_ms >= ctl_policy_hold_ms(policy, it);
}

static bool wants_drain(const struct ctl_case *it)
{
    return it->state == CTL_CASE_BLAMED && it->is_blamed;
}

/* Restores come first: they give capacity back. */
static bool find_wish(
    const struct ctl_policy *policy, uint64_t now_ms, struct ctl_decision *decision)
{
    for (int verb = CTL_POLICY_RESTORE; verb >= CTL_POLICY_DRAIN; verb--)
        for (uint32_t i = 0; i < policy->case_count; i++) {
            const struct ctl_case *it = &policy->cases[i];

            if (now_ms < it->retry_ms ||
                !(verb == CTL_POLICY_DRAIN ? wants_drain(it) : wants_restore(policy, it, now_ms)))
                continue;
            *decision = (struct ctl_decision){ .verb = (enum ctl_policy_verb)verb, .index = i };
            snprintf(decision->element, sizeof(decision->element), "%s", it->element);
            return true;
        }
    return false;
}

bool ctl_policy_next(struct ctl_policy *policy, uint64_t now_ms, struct ctl_decision *decision)
{
    if (policy->config.mode == CTL_POLICY_OFF || !find_wish(policy, now_ms, decision))
        return false;
    policy->is_holding_back = ctl_policy_actions(policy, now_ms) >= policy->config.actions_max;
    return !policy->is_holding_back;
}

void ctl_policy_tried(
    struct ctl_policy *policy, const struct ctl_decision *decision, bool is_done, uint64_t now_ms)
{
    struct ctl_case *it = &policy->cases[decision->index];

    assert(decision->index < policy->case_count);
    if (!is_done) {
        it->retry_ms = now_ms + doubled(RETRY_MS, it->refusals++, CTL_POLICY_HOUR_MS);
        return;
    }
    ctl_policy_recall_action(policy, now_ms);
    if (decision->verb == CTL_POLICY_DRAIN) {
        enter_state(it, CTL_CASE_DRAINED, now_ms);
        it->drains++;
    } else {
        enter_state(it, CTL_CASE_RESTORED, now_ms);
    }
}
