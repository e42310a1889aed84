/* SPDX-License-Identifier: Apache-2.0 */
/* What attackers have in common: a list of actions with weights, a seed, and a pace. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/prng.h"

struct attacker_action {
    const char *name;
    uint32_t weight;
    void (*act)(void *context, struct prng *);
};

struct attacker_options {
    uint64_t seed;
    uint64_t action_count;
    uint64_t per_second;         /* at most; 0: as many as there can be */
    const char *only;            /* names of actions, separated by commas; NULL: all */
    const _Atomic bool *goes_on; /* while it is true, there are more actions; NULL: none */
};

/* NAME=VALUE among the arguments: seed=, actions=, rate=, only=. */
void attacker_read_options(struct attacker_options *, int argument_count, char **arguments);
/* The value of another one, or `otherwise`. */
const char *attacker_option(
    int argument_count, char **arguments, const char *name, const char *otherwise);

/* Draws and does them, calls `look` now and then, and prints how often each was done. */
void attacker_run(const struct attacker_options *, const struct attacker_action *, size_t count,
    void *context, void (*look)(void *context));

__attribute__((noreturn, format(printf, 1, 2))) void attacker_fail(const char *format, ...);

uint64_t attacker_now_ns(void);
