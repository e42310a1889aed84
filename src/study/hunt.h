/* SPDX-License-Identifier: Apache-2.0 */
/* The hunt for cases in which the transport achieves less than the fabric allows.
 *
 * Times: "1 ms" stands for max(1 ms, 50 base RTTs, 200 packet times of the narrowest link), which
 * is hunt_settle_ps(). A case is judged from that time after the last change of a fault. */
#pragma once

#include "study/study.h"

enum {
    HUNT_FAULTS_MAX = 3,
    HUNT_MESSAGE_BYTES_MIN = 16384, /* smaller ones need more answers than capacity accounts for */
};

/* ---- drawing --------------------------------------------------------------------------------- */

struct hunt_options {
    uint64_t seed;
    uint32_t kinds;    /* bits of the sim_workload_kinds that may be drawn; 0: all */
    uint32_t faults;   /* bits of the numbers of faults, 0 to 3, that may be drawn; 0: all */
    uint64_t hops_max; /* packet-hops of a case, approximately; 0: the default */
    const struct study_parameter *parameters; /* set in all cases */
    uint32_t parameter_count;
};

/* Draws case number `index`. It depends only on the options and the number. */
void hunt_draw(struct study_trial *, const struct hunt_options *, uint32_t index);

/* ---- limits ---------------------------------------------------------------------------------- */

uint64_t hunt_settle_ps(const struct study_trial *, const struct topology *);
/* Sets settled_ps, sample_ps and duration_ps. */
void hunt_time(struct study_trial *, const struct plan *);
/* Returns the rate of the fastest NIC times the base RTT. */
uint64_t hunt_bdp_bytes(const struct study_trial *, const struct topology *);
/* Returns the approximate number of packet-hops. */
uint64_t hunt_hops(const struct study_trial *, const struct sim_config *);

/* Returns true if the case stays within the limits of the transport: the QPs of a pair hold two
 * BDPs, four are posted, messages are not tiny, and the run is not too long. */
bool hunt_is_fair(const struct study_trial *, const struct sim_config *, uint64_t hops_max);
/* Returns true if there is no trimming and a queue is shorter than the BDP of its port. */
bool hunt_has_small_buffers(const struct study_trial *, const struct topology *);
/* Returns true if a plane has no fault and no missing link. */
bool hunt_has_intact_plane(const struct study_trial *);
/* Returns true if no timeout may fire in this case. */
bool hunt_forbids_timeouts(const struct study_trial *, const struct sim_config *);

/* ---- running --------------------------------------------------------------------------------- */

enum hunt_outcome {
    HUNT_RAN,
    HUNT_REFUSED, /* the case is invalid: see `reason` */
    HUNT_CRASHED, /* its process crashed: see `reason` */
    HUNT_STOPPED, /* the simulator gave up: see `reason` */
    HUNT_OUTCOME_COUNT,
};

/* Properties of a case that are known before it runs. */
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
    double capacity_fraction; /* of all flows, after settling */
    double flow_fraction; /* worst flow, relative to its max-min rate, after settling; < 0: none */
    uint32_t flow_from;   /* NICs */
    uint32_t flow_to;
    double starved_us; /* longest time that a flow was below half of its share */
    double settle_us;
    double failed_rtts; /* longest time that an EV or port was failed without a fault */
    uint64_t qp_errors;
    uint64_t timeouts;
    uint64_t packet_hops;
    uint64_t hash;
    char reason[STUDY_REASON_BYTES];
};

/* Runs the case in this process. */
void hunt_run(const struct study_trial *, struct hunt_figures *);
/* Runs the case in a separate process, which may crash. */
void hunt_run_apart(const struct study_trial *, struct hunt_figures *);
/* Records the exit status, as from wait(), of the process that ran the case. */
void hunt_note_end(struct hunt_figures *, int status);

/* The ways in which a case can be bad. */
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
/* Returns true if the transport gives a guarantee: a plane is intact and queues are long enough. */
bool hunt_is_promised(const struct hunt_class *);
/* Returns how bad the case is in this way: 0 is good, 1 is the limit, more is worse. */
double hunt_badness(const struct hunt_figures *, enum hunt_fault);

/* Makes the case as small as possible while it stays as bad in this way, or nearly. Returns the
 * number of runs. */
uint32_t hunt_shrink(
    struct study_trial *, enum hunt_fault, const struct hunt_options *, uint32_t runs_max);
