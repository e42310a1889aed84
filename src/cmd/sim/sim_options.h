/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of mrc sim. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cmd/options.h"

struct sim_options {
    const char *file;          /* the experiment */
    struct option_list sets;   /* KEY=VALUE */
    struct option_list sweeps; /* KEY=VALUE,VALUE,... */
    const char *protocol;      /* NULL: that of the file */
    bool has_seed;
    uint64_t seed;
    uint32_t repeat; /* 0: the number in the file */
    uint32_t jobs;
    uint32_t threads; /* of a run; 0: chosen */
    bool wire;
    bool heap;
    bool checks;
    bool is_json;
    bool is_quiet;
    bool is_live;                  /* shows the state of the run while it runs */
    bool wants_parameters;         /* lists parameters and does nothing else */
    bool wants_hardware;           /* lists presets of hardware and does nothing else */
    const char *pcap_path;         /* NULL: none */
    const char *trace_path;        /* NULL: none */
    struct option_list conditions; /* of frames and events that are written */
    uint32_t snap_bytes;           /* 0: whole frames */
    const char *checkpoint_path;   /* NULL: none */
    const char *resume_path;       /* NULL: begin; `file` may then be NULL */
    uint64_t checkpoint_every_ps;  /* of wall time */
    bool has_checkpoint_interval;  /* it was given */
    const char *output_path;
    const char *csv_path; /* NULL: none */
    bool is_verbose;      /* prints every run of several */
};

extern const struct option_table sim_option_table;

/* Like options_read(). Also finds the experiment. */
bool sim_options_read(
    struct sim_options *, int argument_count, char **arguments, enum cmd_status *);
