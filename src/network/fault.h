/* SPDX-License-Identifier: Apache-2.0 */
/* What breaks, where and when. The kinds are the rows of fault.def. */
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

/* After these, the kinds that only the network of the tests has. */
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
    FAULT_CUTS = 1,      /* links go down and up; nothing has to be asked about each packet */
    FAULT_ONE_WAY = 2,   /* may have a direction */
    FAULT_ONE_EV = 4,    /* may be of the packets of one EV */
    FAULT_OF_SWITCH = 8, /* of switches alone */
    FAULT_WHOLE = 16,    /* of a switch: of what it receives, too; others harm what it sends */
};

struct fault {
    enum fault_kind kind;
    const struct topology_element *where; /* one, or a group: a transceiver */
    uint32_t where_count;
    enum fault_direction direction; /* upward: NIC to T0, T0 to T1 */
    bool of_ev;                     /* only packets with this EV */
    uint32_t ev;
    uint64_t from_ps;
    uint64_t until_ps;      /* FAULT_NEVER_PS: stays */
    uint32_t probability;   /* of 2^32 */
    uint64_t rate_bps;      /* SLOW */
    uint64_t period_ps;     /* FLAP */
    uint32_t duty_permille; /* FLAP: share of the period that it is down */
};

struct fault_kind_description {
    const char *word;
    uint32_t needs;    /* enum fault_needs */
    uint32_t may_have; /* besides */
    uint32_t traits;
};

enum fault_quantity {        /* what a parameter is, and so how it is written */
    FAULT_QUANTITY_FRACTION, /* of 2^32 */
    FAULT_QUANTITY_BIT_RATE, /* bit/s */
    FAULT_QUANTITY_TIME,     /* ps */
    FAULT_QUANTITY_PERMILLE,
    FAULT_QUANTITY_COUNT,
};

struct fault_parameter_description {
    enum fault_quantity quantity;
    size_t offset;       /* of the member in struct fault */
    const char *key;     /* of files */
    const char *request; /* key in JSON */
    const char *form;    /* in usages: "RATE" */
    const char *example;
};

extern const struct fault_kind_description fault_kinds[FAULT_KIND_COUNT];
extern const struct fault_parameter_description fault_parameters[FAULT_PARAMETER_COUNT];
/* The words alone, each list with a NULL at its end. */
extern const char *const fault_kind_words[FAULT_KIND_COUNT + 1];
extern const char *const fault_direction_words[FAULT_DIRECTION_COUNT + 1];

static inline bool fault_kind_is(enum fault_kind kind, enum fault_trait trait)
{
    return (fault_kinds[kind].traits & trait) != 0;
}

/* The kind needs this parameter or may have it. */
static inline bool fault_kind_has(enum fault_kind kind, enum fault_parameter parameter)
{
    return ((fault_kinds[kind].needs | fault_kinds[kind].may_have) >> parameter & 1) != 0;
}

static inline bool fault_kind_needs(enum fault_kind kind, enum fault_parameter parameter)
{
    return (fault_kinds[kind].needs >> parameter & 1) != 0;
}

/* In the unit of the member. */
uint64_t fault_get(const struct fault *, enum fault_parameter);
void fault_set(struct fault *, enum fault_parameter, uint64_t value);

/* ---- before it begins ------------------------------------------------------------------------ */

struct problem;
/* It makes sense on this fabric; false: `problem` has the member at fault, and why. */
bool fault_check(const struct plan *, const struct fault *, struct problem *);
