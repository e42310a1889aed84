/* SPDX-License-Identifier: Apache-2.0 */
/* The policy that drains elements which verdicts name, watches them, and restores them: decisions
 * only, without a clock, a store or a fabric. After each round of probes its owner says which
 * elements have a verdict, and carries out what the policy wants:
 *
 *     ctl_policy_begin_round(&policy);
 *     ctl_policy_blame(&policy, "p1.t0.0-t1.3");           for each open verdict
 *     ctl_policy_end_round(&policy, is_covered, now_ms);
 *     while (ctl_policy_next(&policy, now_ms, &decision))
 *         ctl_policy_tried(&policy, &decision, is_done, now_ms);
 *
 * An element is drained when it has a verdict. It is restored after a number of rounds without one,
 * and not before its hold-off is over, which doubles each time the element is drained again. There
 * is a limit on actions in an hour. The limit on capacity is the owner's: it refuses the action. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "topology/topology.h"

#define CTL_CASES_MAX          256
#define CTL_POLICY_ACTIONS_MAX 64 /* in an hour */
#define CTL_POLICY_HOUR_MS     UINT64_C(3600000)
#define CTL_POLICY_HOLD_MAX_MS UINT64_C(86400000) /* a day */

enum ctl_policy_mode {
    CTL_POLICY_OFF,
    CTL_POLICY_DRY_RUN, /* only writes down what it would do */
    CTL_POLICY_ON,
    CTL_POLICY_MODE_COUNT,
};
/* "off", "dry-run", "on"; NULL at the end. */
extern const char *const ctl_policy_mode_words[CTL_POLICY_MODE_COUNT + 1];

struct ctl_policy_config {
    enum ctl_policy_mode mode;
    uint32_t actions_max;  /* drains and restores in an hour, at most CTL_POLICY_ACTIONS_MAX */
    uint64_t hold_ms;      /* the first hold-off */
    uint32_t clean_rounds; /* without a verdict, before an element is restored */
};

enum ctl_case_state {
    CTL_CASE_BLAMED,    /* has a verdict and is in service */
    CTL_CASE_DRAINED,   /* by the policy */
    CTL_CASE_RESTORED,  /* by the policy, and remembered: it may fail again */
    CTL_CASE_OVERRULED, /* an operator drained or restored it: left alone while it has a verdict */
    CTL_CASE_STATE_COUNT,
};
extern const char *const ctl_case_state_words[CTL_CASE_STATE_COUNT + 1];

struct ctl_case {
    char element[TOPOLOGY_NAME_BYTES];
    enum ctl_case_state state;
    bool is_blamed; /* in this round */
    uint32_t clean_rounds;
    uint32_t drains; /* so far: sets the hold-off */
    uint32_t refusals;
    uint64_t changed_ms; /* when the state began */
    uint64_t retry_ms;   /* after a refusal: not before */
};

struct ctl_policy {
    struct ctl_policy_config config;
    struct ctl_case cases[CTL_CASES_MAX];
    uint32_t case_count;
    uint64_t actions_ms[CTL_POLICY_ACTIONS_MAX]; /* of the last ones, as a ring */
    uint64_t action_count;
    uint64_t held_back; /* rounds in which the limit on actions held something back */
    bool is_holding_back;
};

enum ctl_policy_verb { CTL_POLICY_DRAIN, CTL_POLICY_RESTORE };

struct ctl_decision {
    enum ctl_policy_verb verb;
    uint32_t index; /* of the case */
    char element[TOPOLOGY_NAME_BYTES];
};

void ctl_policy_init(struct ctl_policy *, const struct ctl_policy_config *);
/* An action of an earlier process: it counts against the limit. */
void ctl_policy_recall_action(struct ctl_policy *, uint64_t time_ms);
/* An element that an earlier process has drained, and how often it was drained so far. */
void ctl_policy_recall_drain(
    struct ctl_policy *, const char *element, uint32_t drains, uint64_t now_ms);

/* An element that an operator has taken over from an earlier process. */
void ctl_policy_recall_overruled(struct ctl_policy *, const char *element, uint64_t now_ms);

/* Returns whether there is a case of the element. */
bool ctl_policy_knows(const struct ctl_policy *, const char *element);

void ctl_policy_begin_round(struct ctl_policy *);
void ctl_policy_blame(struct ctl_policy *, const char *element, uint64_t now_ms);
/* `is_covered`: most NICs have reported, so that the absence of a verdict means something. */
void ctl_policy_end_round(struct ctl_policy *, bool is_covered, uint64_t now_ms);
/* An operator decides about the element from now on. */
void ctl_policy_overrule(struct ctl_policy *, uint32_t index, uint64_t now_ms);

/* Returns false if there is nothing to do, or not now. */
bool ctl_policy_next(struct ctl_policy *, uint64_t now_ms, struct ctl_decision *);
/* The owner has carried the decision out, or refuses it: then it is tried again later. */
void ctl_policy_tried(
    struct ctl_policy *, const struct ctl_decision *, bool is_done, uint64_t now_ms);

/* Returns how long an element stays drained at least. */
uint64_t ctl_policy_hold_ms(const struct ctl_policy *, const struct ctl_case *);
/* Returns the number of actions in the last hour. */
uint32_t ctl_policy_actions(const struct ctl_policy *, uint64_t now_ms);
