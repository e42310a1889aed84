/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of this folder, and their common functions. */
#pragma once

#include <stdbool.h>

#include "doctor/doctor.h"

/* Sets both texts; `advice` may be "". */
__attribute__((format(printf, 4, 5))) void doctor_find(
    struct doctor_finding *, enum doctor_level, const char *advice, const char *reason, ...);

/* Reads the first line of a file, without its end. Returns false if it cannot be read. */
bool doctor_read(const char *path, char *line, int room_bytes);

/* doctor_machine.c */
void doctor_look_at_kernel(struct doctor_finding *);
void doctor_look_at_processors(struct doctor_finding *);
void doctor_look_at_clock(struct doctor_finding *);
void doctor_look_at_scheduling(struct doctor_finding *);
void doctor_look_at_huge_pages(struct doctor_finding *);
void doctor_look_at_locked_memory(struct doctor_finding *);
void doctor_look_at_open_files(struct doctor_finding *);

/* doctor_network.c */
void doctor_look_at_shared_memory(struct doctor_finding *);
void doctor_look_at_udp(struct doctor_finding *);
void doctor_look_at_packet_sockets(struct doctor_finding *);
void doctor_look_at_xdp(struct doctor_finding *);
void doctor_look_at_namespaces(struct doctor_finding *);
void doctor_look_at_segment_routing(struct doctor_finding *);

/* doctor_devices.c */
void doctor_look_at_run_folder(struct doctor_finding *);
void doctor_look_at_fabrics(struct doctor_finding *);
void doctor_look_at_devices(struct doctor_finding *);
