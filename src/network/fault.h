/* SPDX-License-Identifier: Apache-2.0 */
/* Faults: what fails, where and when. The kinds are the rows of fault.def. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/plan.h"
#include "topology/topology.h"

#define FAULT_NEVER_PS UINT64_MAX

enum fault_kind {
#define FAULT(ID, word, needs, may_have, traits, meaning) FAULT_##ID,
#include "network/fault.def"
    FAULT_KIND_COUNT,
};

/* These follow the kinds of fault.def; only the network of the tests has them. */
enum fault_test_kind {
    FAULT_TEST_KIND_FIRST = FAULT_KIND_COUNT - 1,
#define TEST_FAULT(ID, word, meaning) FAULT_##ID,
#include "network/fault.def"
    FAULT_TEST_KIND_COUNT,
};

enum fault_direction {
#define FAULT_DIRECTION(ID, word) FAULT_##ID,
#include "network/fault.def"
    FAULT_DIRECTION_COUNT,
};

enum fault_parameter {
#define FAULT_PARAMETER(ID, type, member, quantity, key, request, form, example) FAULT_##ID,
#include "network/fault.def"
    FAULT_PARAMETER_COUNT,
};

enum fault_needs { /* sets of parameters */
#define FAULT_PARAMETER(ID, type, member, quantity, key, request, form, example)                   \
    FAULT_HAS_##ID = 1 << FAULT_##ID,
#include "network/fault.def"
};

enum fault_trait {
    FAULT_CUTS = 1,      /* links go down and up; no decision per packet is needed */
    FAULT_ONE_WAY = 2,   /* may have a direction */
    FAULT_ONE_EV = 4,    /* may affect the packets of a single EV */
    FAULT_OF_SWITCH = 8, /* applies to switches only */
    FAULT_WHOLE = 16,    /* at a switch, affects received packets as well as sent ones */
    FAULT_EMPTIES = 32,  /* the switch loses its queues */
};

struct fault {
    enum fault_kind kind;
    const struct topology_element *where; /* one, or several: those of a transceiver */
    uint32_t where_count;
    enum fault_direction direction; /* upward: NIC to T0, T0 to T1 */
    bool of_ev;                     /* affects only packets with this EV */
    uint32_t ev;
    uint64_t from_ps;
    uint64_t until_ps;      /* FAULT_NEVER_PS: permanent */
    uint32_t probability;   /* in units of 2^-32 */
    uint64_t rate_bps;      /* SLOW */
    uint64_t period_ps;     /* FLAP */
    uint32_t duty_permille; /* FLAP: part of the period in which the link is down */
};

struct fault_effect;

struct fault_kind_description {
    const char *word;
    const struct fault_effect *effect;
    uint32_t needs;    /* enum fault_needs */
    uint32_t may_have; /* optional ones */
    uint32_t traits;
};

enum fault_quantity {        /* the type of a parameter, which determines its text form */
    FAULT_QUANTITY_FRACTION, /* in units of 2^-32 */
    FAULT_QUANTITY_BIT_RATE, /* bit/s */
    FAULT_QUANTITY_TIME,     /* ps */
    FAULT_QUANTITY_PERMILLE,
    FAULT_QUANTITY_COUNT,
};

struct fault_parameter_description {
    enum fault_quantity quantity;
    size_t offset;       /* of the member in struct fault */
    const char *key;     /* key in files */
    const char *request; /* key in JSON */
    const char *form;    /* in usage texts: "RATE" */
    const char *example;
};

extern const struct fault_kind_description fault_kinds[FAULT_KIND_COUNT];
extern const struct fault_parameter_description fault_parameters[FAULT_PARAMETER_COUNT];
/* The words alone; each list ends with NULL. */
extern const char *const fault_kind_words[FAULT_KIND_COUNT + 1];
extern const char *const fault_direction_words[FAULT_DIRECTION_COUNT + 1];

static inline bool fault_kind_is(enum fault_kind kind, enum fault_trait trait)
{
    return (fault_kinds[kind].traits & trait) != 0;
}

/* Returns whether the kind requires or allows this parameter. */
static inline bool fault_kind_has(enum fault_kind kind, enum fault_parameter parameter)
{
    return ((fault_kinds[kind].needs | fault_kinds[kind].may_have) >> parameter & 1) != 0;
}

static inline bool fault_kind_needs(enum fault_kind kind, enum fault_parameter parameter)
{
    return (fault_kinds[kind].needs >> parameter & 1) != 0;
}

/* Returns the value in the unit of the member. */
uint64_t fault_get(const struct fault *, enum fault_parameter);
void fault_set(struct fault *, enum fault_parameter, uint64_t value);

/* ---- effects --------------------------------------------------------------------------------- */

#define FAULT_CERTAIN (UINT64_C(1) << 32)

/* Returns the probability that the fault loses or damages a packet, in units of 2^-32. */
uint64_t fault_lost_share(const struct fault *);
/* Returns the rate of a link, which is `healthy_bps` without this fault. */
uint64_t fault_rate_bps(const struct fault *, uint64_t healthy_bps);

/* ---- checks ---------------------------------------------------------------------------------- */

struct problem;
/* Returns whether the fault is possible on this fabric. If not, `problem` has the member and the
 * reason. */
bool fault_check(const struct plan *, const struct fault *, struct problem *);
