/* SPDX-License-Identifier: Apache-2.0 */
/* Writes frames as pcapng in order of time. The simulation reports them window by window and node
 * by node, so they are kept until the run has passed their time. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "files/files.h"
#include "pktio/pktio.h"
#include "sim/sim.h"
#include "wire/format.h"

struct study_captured; /* a frame that is kept */

struct study_capture {
    const struct plan *fabric;
    struct wire_format format;
    FILE *pcap_file; /* NULL: no frames */
    struct pcapng pcapng;
    uint32_t snap_bytes;         /* that are written of a frame; 0: all */
    uint32_t *interface_of_port; /* from 1; 0: none yet; by NIC port, then by switch port */
    uint32_t *first_port_of_switch;
    struct study_captured *frames;
    size_t frame_count;
    size_t frame_room;
    int error; /* negative errno of the first write that failed */
};

/* If the path is NULL, nothing is captured. Returns 0 or a negative errno. */
int study_capture_open(struct study_capture *, const struct experiment *, const char *path);
void study_capture_frame(struct study_capture *, const struct sim_frame *);
/* Writes everything up to this time. */
void study_capture_flush(struct study_capture *, uint64_t until_ps);
/* Writes the rest. Returns 0 or the first error. */
int study_capture_close(struct study_capture *);
