/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of a kind of workload. workload.c calls them and knows no kind. */
#pragma once

#include "sim/workload.h"

struct problem;

/* NULL where a comment allows it. */
struct workload_kind {
    uint32_t traits; /* set of enum sim_workload_trait */
    /* Checks what only this kind requires. NULL: nothing. */
    bool (*check)(const struct sim_workload *, struct problem *);

    /* Returns the number of ranks that a rank writes to. NULL: 1. */
    uint32_t (*peers_out)(const struct sim_workload *);
    /* Returns the largest number of ranks that write to one rank. NULL: as peers_out. */
    uint32_t (*peers_in)(const struct sim_workload *);
    uint32_t (*flow_count)(const struct sim_workload *);
    struct workload_flow (*flow_at)(const struct workload_layout *, uint32_t index);
    /* Fills in to_rank of the layout, for flow_at. NULL: it is not used. */
    void (*choose_targets)(struct workload_layout *, const struct topology *, uint64_t seed);
    /* Takes the scripts of the layout; the arena may only measure. NULL: there are none. */
    void (*take_scripts)(struct workload_layout *, struct arena *);

    /* Returns the number of messages that message_bytes is divided into. NULL: 1. */
    uint64_t (*part_count)(const struct sim_workload *);
    /* The same for its largest messages, if they differ in size. NULL: as part_count. */
    uint64_t (*largest_count)(const struct sim_workload *);
    /* Instead: the bytes of its largest message, if message_bytes is not that of all. */
    uint64_t (*largest_bytes)(const struct sim_workload *);
    uint32_t (*outstanding_max)(const struct sim_workload *);
    uint32_t (*lane_count)(const struct sim_workload *); /* NULL: 0 */
    /* Returns the number of flows that send at a time. NULL: all. */
    uint32_t (*flows_at_once)(const struct sim_workload *);
    /* Returns the number of messages that a flow of the rank has in total; 0: there is no end.
     * NULL: not known before the rank has finished. */
    uint32_t (*message_total)(const struct workload_rank *, uint32_t flow);

    /* Begins one collective, or all of the work if the workload is not a collective. */
    void (*begin)(struct workload_rank *, const struct workload_world *, uint64_t now_ps);
    void (*on_sent)(
        struct workload_rank *, const struct workload_world *, uint32_t flow, uint64_t now_ps);
    void (*on_received)(struct workload_rank *, const struct workload_world *, uint32_t flow,
        uint32_t tag, uint64_t now_ps);
    /* Collectives: this one is sent, acknowledged and received completely. Others: NULL. */
    bool (*is_complete)(const struct workload_rank *);
    /* Likewise: the payload that all ranks send in one collective. */
    uint64_t (*collective_bytes)(const struct sim_workload *);
    /* SIM_STEADY: whether the rank writes. NULL: every rank does. */
    bool (*writes)(const struct workload_rank *);

    /* Kinds that consist of steps with a collective, or in part of waiting. Others: NULL. */
    void (*begin_step)(struct workload_rank *, const struct workload_world *, uint64_t now_ps);
    /* Returns the time of a step without the network. */
    uint64_t (*compute_ps)(const struct sim_workload *);
    /* Returns the time of a step whose collective takes this long. */
    uint64_t (*step_ps)(const struct sim_workload *, uint64_t collective_ps);
    void (*on_collective)(struct workload_rank *, const struct workload_world *, uint64_t now_ps);
    void (*on_wake)(struct workload_rank *, const struct workload_world *, uint64_t now_ps);
};

#define WORKLOAD(ID, name, weight, meaning) extern const struct workload_kind workload_##name;
#include "sim/workloads.def"

/* Returns the kind of the workload. */
const struct workload_kind *workload_kind_of(const struct sim_workload *);
/* Returns the kind of its communication: of a training job that of its collective. */
const struct workload_kind *workload_pattern_of(const struct sim_workload *);

/* Returns the size of part `index` of `bytes` divided into `count`; sizes differ by at most one. */
static inline uint64_t workload_part_bytes(uint64_t bytes, uint32_t count, uint32_t index)
{
    return bytes / count + (index < bytes % count ? 1 : 0);
}

/* Returns the time of this many bits at a rate, which is not 0. */
static inline uint64_t workload_time_ps(uint64_t bits, uint64_t bps)
{
    uint64_t bits_per_us = bps / 1000000 + 1;
    uint64_t rest = bits % bps;

    return bits / bps * SIM_PS_PER_S + rest / bits_per_us * 1000000 +
           rest % bits_per_us * 1000000 / bits_per_us;
}

/* workload_steady.c: posts a message, if the workload has one left; ends the work of a rank. */
void workload_post(
    struct workload_rank *, const struct workload_world *, uint32_t flow, uint64_t now_ps);
void workload_finish(struct workload_rank *, const struct workload_world *, uint64_t now_ps);
/* workload_steady.c: the members of a kind whose ranks write messages back to back. */
uint32_t workload_steady_outstanding(const struct sim_workload *);
void workload_steady_begin(struct workload_rank *, const struct workload_world *, uint64_t now_ps);
void workload_steady_on_sent(
    struct workload_rank *, const struct workload_world *, uint32_t flow, uint64_t now_ps);
void workload_steady_on_received(struct workload_rank *, const struct workload_world *,
    uint32_t flow, uint32_t tag, uint64_t now_ps);
#define WORKLOAD_STEADY                                                                            \
    .outstanding_max = workload_steady_outstanding, .begin = workload_steady_begin,                \
    .on_sent = workload_steady_on_sent, .on_received = workload_steady_on_received

/* placement.c */
void workload_place(struct workload_layout *, uint32_t nic_count, uint64_t seed);
void workload_permute(struct workload_layout *, const struct topology *, uint64_t seed);

/* workload.c */
void workload_begin_collective(
    struct workload_rank *, const struct workload_world *, uint64_t now_ps);
void workload_end_iteration(struct workload_rank *, const struct workload_world *, uint64_t now_ps);
