/* SPDX-License-Identifier: Apache-2.0 */
/* The work of a simulated cluster: workloads, the jobs that they belong to, and schedules of
 * messages and computing. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SIM_NAME_BYTES 32

enum sim_workload_kind {
#define WORKLOAD(ID, name, weight, meaning) SIM_##ID,
#include "sim/workloads.def"
    SIM_WORKLOAD_COUNT,
};

enum sim_workload_trait {
    SIM_STEADY = 1,     /* ranks write messages back to back and do not wait for each other */
    SIM_COLLECTIVE = 2, /* has a beginning and an end for all ranks; can be part of a training */
    SIM_PAIRED = 4,     /* ranks form pairs: their number is even */
    SIM_DIVIDED = 8,    /* message_bytes is divided among the ranks */
    SIM_SCHEDULED = 16, /* messages and their order are those of a schedule */
};

/* The names in experiment files and results, then NULL. */
extern const char *const sim_workload_words[SIM_WORKLOAD_COUNT + 1];
/* How often random experiments have each kind; 0: never. */
extern const uint8_t sim_workload_weights[SIM_WORKLOAD_COUNT];
bool sim_workload_is(enum sim_workload_kind, enum sim_workload_trait);

/* What an operation waits for in another one. */
enum sim_after {
    SIM_AFTER_BEGIN,   /* it has begun: of the same rank */
    SIM_AFTER_END,     /* it has computed, or its message is acknowledged: of the same rank */
    SIM_AFTER_ARRIVAL, /* its message has arrived: at the rank that waits */
};

/* A message to another rank, or computing. */
struct sim_operation {
    uint64_t bytes;    /* of the message; 0: computing */
    uint64_t start_ps; /* begins no earlier, from the start of its rank */
    uint64_t time_ps;  /* computing: how long; a message: its delay after what it waits for */
    uint32_t rank;
    uint32_t where;        /* a message: its pair; computing: the processor of the rank */
    uint32_t waits;        /* number of operations that it waits for */
    uint32_t first_waiter; /* those that wait for it, up to first_waiter of the next operation */
};

struct sim_waiter {
    uint32_t operation : 30;
    uint32_t after : 2; /* enum sim_after */
};
#define SIM_OPERATIONS_MAX (UINT32_C(1) << 30)

/* Two ranks, the first of which sends messages to the second. */
struct sim_pair {
    uint32_t from_rank;
    uint32_t to_rank;
    uint32_t message_count;
    bool tells; /* operations of the second wait for them */
};

/* Operations of ranks that wait for each other, without a cycle. */
struct sim_schedule {
    const struct sim_operation *operations; /* by rank; one more than operation_count */
    const struct sim_waiter *waiters;
    const struct sim_pair *pairs;    /* by from_rank, each once */
    const uint32_t *first_operation; /* of each rank; one more than rank_count */
    const uint32_t *first_pair;      /* the same */
    uint32_t rank_count;
    uint32_t operation_count;
    uint32_t pair_count;
    uint32_t processor_count; /* of a rank, at most */
    uint32_t peers_out;       /* the most ranks that one sends to */
    uint32_t peers_in;        /* the most that send to one */
    uint32_t pair_messages;   /* the most messages of a pair */
};

enum sim_placement {
    SIM_PACKED, /* rank r on NIC first_nic + r */
    SIM_RANDOM, /* on random NICs; no NIC twice in one workload */
    SIM_LIST,   /* on `nics` */
    SIM_SPREAD, /* jobs: one NIC of each leaf in turn */
};

/* Workloads on NICs that they share with no other job. SIM_PACKED: the first NICs that are free. */
struct sim_job {
    char name[SIM_NAME_BYTES];
    enum sim_placement placement;
    uint32_t nic_count;
    const uint32_t *nics; /* SIM_LIST; no NIC is in two lists */
    uint64_t start_ps;    /* for the result; workloads have their own */
};

struct sim_workload {
    char name[SIM_NAME_BYTES];
    enum sim_workload_kind kind;
    const struct sim_job *job; /* of config->jobs: NICs are numbers in the job; NULL: none */
    enum sim_placement placement;
    uint32_t rank_count;
    uint32_t first_nic;
    const uint32_t *nics;                /* SIM_LIST */
    uint64_t message_bytes;              /* schedule: the largest message */
    const struct sim_schedule *schedule; /* NULL: the kind is another one */
    uint32_t iterations;                 /* consecutive messages or collectives; 0: until the end */
    uint32_t outstanding; /* stream, incast, permutation: messages a flow has posted at once */
    uint32_t qps;         /* per pair of ranks; messages use them in turn */
    bool bidirectional;   /* stream: both directions */
    uint32_t shift;       /* permutation: to rank + shift (mod ranks); 0: a random derangement whose
                             targets are outside the T0 if possible */
    uint32_t chunks; /* tree_all_reduce: into which each half of the buffer is divided; 0: 32 */
    uint32_t group;  /* ranks of a group: hierarchical_all_reduce; parallel_training: of a node;
                        all_to_all, 0: all ranks */
    uint32_t peers_at_once; /* all_to_all: ranks that a rank sends to at a time; 0: all */
    uint64_t local_bps;     /* hierarchical_all_reduce, parallel_training: rate of a rank in its
                               group, without using the network; 0: groups use the network */
    uint64_t start_ps;
    uint64_t jitter_ps;  /* delays the start of each rank by a random time up to this */
    uint64_t stagger_ps; /* delays the start of rank r by r times this */
    /* training */
    uint64_t compute_ps;
    uint32_t overlap_permille; /* share of the computing that the collective may overlap */
    enum sim_workload_kind collective;
    /* parallel_training; 0 counts as 1 */
    uint32_t tensor;        /* ranks that share each layer */
    uint32_t pipeline;      /* stages */
    uint32_t expert;        /* ranks of a stage that share the experts */
    uint32_t micro_batches; /* of a step */
    uint32_t exchanges;     /* with experts, there and back, in each pass of a micro-batch */
    /* Of a rank: to the next stage, between tensor ranks in a pass, to experts and back. */
    uint64_t activation_bytes;
    uint64_t tensor_bytes;
    uint64_t dispatch_bytes;
    uint64_t combine_bytes;
    /* Only these EVs, in this order; the first `ev_active` of each plane are active. */
    const uint32_t *evs;
    uint32_t ev_count;
    uint32_t ev_active_per_plane;
};

/* Returns the kind of communication: of a training job its collective, otherwise its kind. */
static inline enum sim_workload_kind sim_workload_pattern(const struct sim_workload *workload)
{
    return workload->kind == SIM_TRAINING ? workload->collective : workload->kind;
}

/* Returns the number of ranks that a rank writes to. */
uint32_t sim_workload_peers(const struct sim_workload *);

/* Returns the size of a message on one flow; if sizes differ, the smallest, which is at least 1. */
uint64_t sim_message_bytes(const struct sim_workload *);

/* Returns the time of one collective, or of one training step, at this rate of all ranks together;
 * 0: the workload is neither, or the rate is 0. */
uint64_t sim_collective_ps(const struct sim_workload *, uint64_t bps);

/* Returns the time of a training step of which the network takes none; 0: there are no steps. */
uint64_t sim_compute_ps(const struct sim_workload *);
