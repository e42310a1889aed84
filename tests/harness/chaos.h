/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that a seed decides about a small network: its shape, what its hosts believe and can
 * do, what they send each other, and how it must end. Faults by seed: scenario_chaos(). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "scenario.h"

/* 2 or 3 hosts, 1 to 4 planes of up to 16 paths, default or literal parameters, base RTTs known or
 * not, every check on. A test may change it before scenario_of(). */
struct network_config chaos_network(uint64_t seed);

/* Other parameters for one host than for the next: whatever does not have to be agreed upon. At any
 * time. */
void chaos_parameters(struct scenario *, struct prng *, uint32_t host);

/* Two hosts with a QP each, of different sizes, windows, abilities and patience; agreed upon is
 * what a connection must agree upon. `timeout`: T is 1.024 us << timeout. Returns the flow from a
 * to b. */
struct chaos_terms {
    uint8_t timeout;
    uint8_t linear;
    uint8_t exponential;
    bool mistaken; /* now and then an end believes that the other answers trimmed packets */
};
uint32_t chaos_connect(
    struct scenario *, struct prng *, uint32_t a, uint32_t b, struct chaos_terms);

/* Posts writes of 0 bytes to 200 KiB, some with immediate, on random flows. */
void chaos_write(struct scenario *, struct prng *, uint32_t message_count);

/* The responders of some QPs that agreed to dynamic MPR now allow another range. */
void chaos_change_ranges(struct scenario *, struct prng *);

/* A controller denies some EVs and allows others again; `allows_all`: the latter only. */
void chaos_control(struct scenario *, struct prng *, bool allows_all);

/* How long a QP keeps trying without an answer, if it takes this for the base RTT
 * (docs/protocol.md §13). */
uint64_t chaos_patience_ps(struct chaos_terms, uint32_t base_rtt_ns);

/* Runs until nothing is left to do. Each flow has then done all of its work, or has failed: the
 * first request that was not done with RETRY_EXCEEDED, those behind it FLUSHED. Returns how many
 * flows have failed. */
uint32_t chaos_expect_end(struct scenario *, uint64_t limit_ps);
