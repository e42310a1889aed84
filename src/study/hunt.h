/* SPDX-License-Identifier: Apache-2.0 */
/* The hunt for cases in which the transport achieves less than the fabric allows.
 *
 * Times: "1 ms" stands for max(1 ms, 50 base RTTs, 200 packet times of the narrowest link), which
 * is hunt_settle_ps(). A case is judged by what happens from that time after its last fault
 * changed.
 */
#pragma once

#include "study/study.h"

enum {
    HUNT_FAULTS_MAX = 3,
    HUNT_MESSAGE_BYTES_MIN = 16384, /* answers to smaller ones take more than capacity knows of */
};

/* ---- drawing --------------------------------------------------------------------------------- */

struct hunt_options {
    uint64_t seed;
    uint32_t kinds;    /* a bit for each sim_workload_kind that may be drawn; 0: all */
    uint32_t faults;   /* a bit for each number of faults from 0 to 3; 0: all */
    uint64_t hops_max; /* packet-hops of a case, about; 0: the default */
    const struct study_parameter *parameters; /* set in all cases */
    uint32_t parameter_count;
};

/* Case number `index`: depends on the options and the number alone. */
void hunt_draw(struct study_trial *, const struct hunt_options *, uint32_t index);

/* ---- limits ---------------------------------------------------------------------------------- */

uint64_t hunt_settle_ps(const struct study_trial *, const struct topology *);
/* Sets settled_ps, sample_ps and duration_ps. */
void hunt_time(struct study_trial *, const struct plan *);
/* The fastest NIC's rate times the base RTT. */
uint64_t hunt_bdp_bytes(const struct study_trial *, const struct topology *);
/* About how many packet-hops it takes. */
uint64_t hunt_hops(const struct study_trial *, const struct sim_config *);

/* The case keeps within what the transport promises: a pair's QPs hold two BDPs, four are posted,
 * messages are not tiny, and the run is not too long. */
bool hunt_is_fair(const struct study_trial *, const struct sim_config *, uint64_t hops_max);
/* Without trimming, and a queue is shorter than the BDP of its port. */
bool hunt_has_small_buffers(const struct study_trial *, const struct topology *);
/* Some plane is touched by no fault and lacks no link. */
bool hunt_has_intact_plane(const struct study_trial *);
/* A timeout may not fire: DESIGN's budget. */
bool hunt_forbids_timeouts(const struct study_trial *, const struct sim_config *);

/* ---- running --------------------------------------------------------------------------------- */

enum hunt_outcome {
    HUNT_RAN,
    HUNT_REFUSED, /* it makes no sense: `reason` */
    HUNT_CRASHED, /* so does its process: `reason` */
    HUNT_STOPPED, /* the simulator gave up: `reason` */
    HUNT_OUTCOME_COUNT,
};

/* What is known of a case before it is run. */
struct hunt_class {
    uint8_t fault_count;
    uint8_t kind; /* of its first workload */
    bool trims;
    bool has_small_buffers;
    bool has_intact_plane;
    bool forbids_timeouts;
    uint64_t link_bps; /* of host links */
};

struct hunt_figures {
    enum hunt_outcome outcome;
    struct hunt_class class;
    double capacity_fraction; /* of all flows, once settled */
    double flow_fraction;     /* the worst flow, of its own max-min rate, once settled; < 0: none */
    uint32_t flow_from;       /* NICs */
    uint32_t flow_to;
    double starved_us; /* longest time that a flow was below half of its share, at any time */
    double settle_us;
    double failed_rtts; /* longest time that an EV or port was failed without a fault */
    uint64_t qp_errors;
    uint64_t timeouts;
    uint64_t packet_hops;
    uint64_t hash;
    char reason[STUDY_REASON_BYTES];
};

/* In this process. */
void hunt_run(const struct study_trial *, struct hunt_figures *);
/* In a process of its own, which may crash. */
void hunt_run_apart(const struct study_trial *, struct hunt_figures *);
/* The process that ran the case ended with this status, as wait() tells it. */
void hunt_note_end(struct hunt_figures *, int status);

/* Ways in which a case can be bad. */
enum hunt_fault {
    HUNT_LOW_TOTAL,
    HUNT_LOW_FLOW,
    HUNT_STARVED,
    HUNT_FAILED_PATH,
    HUNT_QP_ERROR,
    HUNT_TIMEOUT,
    HUNT_BROKEN, /* crashed or refused */
    HUNT_FAULT_COUNT,
};
const char *hunt_fault_word(enum hunt_fault);
/* The transport promises something: a plane is intact, and queues are long enough. */
bool hunt_is_promised(const struct hunt_class *);
/* How bad it is in this way: 0 is good, 1 is the limit; more is worse. */
double hunt_badness(const struct hunt_figures *, enum hunt_fault);

/* As small as it can be while it is as bad in this way, or nearly. Returns how many runs it took.
 */
uint32_t hunt_shrink(
    struct study_trial *, enum hunt_fault, const struct hunt_options *, uint32_t runs_max);
