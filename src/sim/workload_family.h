/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of a kind of workload, for workload.c, which knows all kinds. */
#pragma once

#include "sim/workload.h"

struct workload_family {
    uint32_t (*flow_count)(const struct sim_workload *);
    struct workload_flow (*flow_at)(const struct workload_layout *, uint32_t index);
    uint32_t (*outstanding_max)(const struct sim_workload *);
    /* Begins one collective, or all of the work if the workload is not a collective. */
    void (*begin)(struct workload_rank *, const struct workload_world *, uint64_t now_ps);
    void (*on_sent)(
        struct workload_rank *, const struct workload_world *, uint32_t flow, uint64_t now_ps);
    void (*on_received)(struct workload_rank *, const struct workload_world *, uint32_t flow,
        uint32_t tag, uint64_t now_ps);
    /* Collectives: this one is sent, acknowledged and received completely. Others: NULL. */
    bool (*is_complete)(const struct workload_rank *);
};

extern const struct workload_family workload_pairs;
extern const struct workload_family workload_ping_pong;
extern const struct workload_family workload_ring;
extern const struct workload_family workload_all_to_all;

const struct workload_family *workload_family_of(const struct sim_workload *);

/* Returns the communication pattern: of a training job its collective, otherwise its kind. */
static inline enum sim_workload_kind workload_pattern(const struct sim_workload *workload)
{
    return workload->kind == SIM_TRAINING ? workload->collective : workload->kind;
}

/* Returns the size of part `index` of `bytes` divided into `count`; sizes differ by at most one. */
static inline uint64_t workload_part_bytes(uint64_t bytes, uint32_t count, uint32_t index)
{
    return bytes / count + (index < bytes % count ? 1 : 0);
}

/* placement.c */
void workload_place(struct workload_layout *, const struct topology *, uint64_t seed);
void workload_permute(struct workload_layout *, const struct topology *, uint64_t seed);

/* workload.c */
void workload_begin_collective(
    struct workload_rank *, const struct workload_world *, uint64_t now_ps);
void workload_end_iteration(struct workload_rank *, const struct workload_world *, uint64_t now_ps);

/* workload_training.c */
void workload_training_begin(
    struct workload_rank *, const struct workload_world *, uint64_t now_ps);
void workload_training_on_wake(
    struct workload_rank *, const struct workload_world *, uint64_t now_ps);
void workload_training_on_collective(
    struct workload_rank *, const struct workload_world *, uint64_t now_ps);
