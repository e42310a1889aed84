/* SPDX-License-Identifier: Apache-2.0 */
/* A soft fabric: all switches and links of a fabric in one unprivileged process, in real time, with
 * the switch core (src/switch). NICs attach through shared memory or UDP; faults are injected while
 * it runs (soft_fault.h, control.h).
 *
 * The same for a namespace fabric (netns.h): the process is its switches, all or some of them, and
 * the cables are pairs of network interfaces. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "plan/plan.h"

#define SOFT_PATH_BYTES 256

/* A NIC that attaches by UDP: plane p uses the given ports plus p, here and there. */
struct soft_udp {
    uint32_t nic;
    char local_host[64];
    uint16_t local_port;
    char remote_host[64];
    uint16_t remote_port;
};

struct soft_config {
    const struct plan *fabric;
    const char *root; /* the folder of all devices: a folder is made there for each NIC */
    const char *name; /* of the fabric: its sockets are in root/NAME */
    uint32_t slower;  /* links are so many times slower and longer; at least 1 */
    uint32_t spin_us; /* polls so long before it sleeps */
    uint64_t seed;
    const struct soft_udp *udp; /* NICs elsewhere */
    uint32_t udp_count;
    const char *prefix;       /* of the namespaces of the switches; NULL: the cables are in here */
    const bool *serves;       /* for each switch; NULL: all */
    bool is_unpaced;          /* links without rate and delay of their own */
    uint32_t thread_count;    /* for planes; 0: by the number of processors */
    const char *text;         /* the file that describes the fabric, for recordings; NULL: none */
    const uint64_t *clock_ps; /* the time in tests; NULL: the system's */
};

struct soft;

/* 0 or a negative errno; -EBUSY: a fabric of this name is running; -ERANGE: so slow no link can be.
 */
int soft_open(struct soft **, const struct soft_config *);
/* NIC 0 is the device mrcF, NIC 1 mrcF+1, ... */
uint32_t soft_first_device(const struct soft *);
/* Until `*stop`, which a signal handler may set, or a control request ends it. */
int soft_run(struct soft *, const volatile int *stop);
/* Takes the sockets and devices away. */
void soft_close(struct soft *);
