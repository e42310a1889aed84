/* SPDX-License-Identifier: Apache-2.0 */
/* One run of an experiment, from its configuration to its JSON. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "files/files.h"
#include "study/study_checkpoint.h"
#include "study/study_filter.h"

struct study_run {
    struct experiment experiment;            /* must not be moved */
    char set_label[EXPERIMENT_LABEL_BYTES];  /* of the set of values */
    char label[EXPERIMENT_LABEL_BYTES + 32]; /* likewise, with the seed if there are several */
    json_t *settings;                        /* the values of the sweep */
    const struct yaml_node *inputs;          /* the experiment with these values */
};

/* Observes a run without changing its result. Each callback may be NULL. */
struct study_watch {
    void (*on_begin)(void *context, const struct study_run *);
    void (*on_step)(void *context, const struct sim *); /* several times a second */
    void (*on_sample)(void *context, const struct measure_record *);
    void (*on_end)(void *context);
    void *context;
};

/* How to run; not part of the experiment. */
struct study_manner {
    bool uses_heap; /* the plain engine */
    bool wire;
    bool checks;
    uint32_t threads; /* of one run; 0: as many as the processors run and the cluster fills */
    const struct sim_group *group; /* MPI ranks that make each run together, with `threads` each,
                                      0: one; NULL: this process alone */
    uint32_t neighbours;           /* ranks on this machine; 0: no others */
    const char *pcap_path;         /* NULL: none */
    const char *trace_path;        /* NULL: none */
    const struct study_filter *filter; /* of both files; NULL: everything */
    uint32_t snap_bytes;               /* of a captured frame; 0: all of it */
    uint32_t jobs;                     /* runs at a time */
    uint32_t points;                   /* the most values of a series of a run in a process of its
                                          own; 0: all */
    const struct study_checkpoint *checkpoint; /* NULL: writes none and begins at time 0 */
    const volatile sig_atomic_t *is_interrupted;
    void (*complain)(const char *problem);
    struct study_watch watch;
};

/* Formats the problem and passes it to manner->complain. */
__attribute__((format(printf, 2, 3))) void study_complain(
    const struct study_manner *, const char *format, ...);

/* Returns the memory that this process can use. Ranks on one machine share its memory. */
uint64_t study_available_bytes(const struct study_manner *);

/* Returns the "runs" entry of the result, without criteria. NULL after an error message. An
 * interrupted run has the figures so far, unless a checkpoint keeps them: then NULL after a message
 * that says so. */
json_t *study_run(struct study_run *, const struct study_manner *);

/* Other ranks than 0: runs the simulation with them and has no result. Returns false after an error
 * message. */
bool study_run_follow(struct study_run *, const struct study_manner *);
