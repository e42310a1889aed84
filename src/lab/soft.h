/* SPDX-License-Identifier: Apache-2.0 */
/* A soft fabric: all switches and links of a fabric in one unprivileged process, in real time, with
 * the switch core (src/switch). NICs attach through shared memory or UDP. Faults are injected while
 * it runs (soft_fault.h, control.h).
 *
 * It also serves a namespace fabric (netns.h): the process then is all or some of the switches, and
 * the cables are pairs of network interfaces. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "plan/plan.h"

#define SOFT_PATH_BYTES 256

/* A NIC that attaches by UDP: plane p uses the given ports plus p, at both ends. */
struct soft_udp {
    uint32_t nic;
    char local_host[64];
    uint16_t local_port;
    char remote_host[64];
    uint16_t remote_port;
};

/* Reads "h3=127.0.0.1:7000,127.0.0.1:7100". */
bool soft_udp_read(const char *text, struct soft_udp *);

struct soft_config {
    const struct plan *fabric;
    const char *root; /* the folder of all devices, in which each NIC gets a folder */
    const char *name; /* of the fabric, whose sockets are in root/NAME */
    uint32_t slower;  /* divides link rates and multiplies delays; at least 1 */
    uint32_t spin_us; /* polls for this time before it sleeps */
    uint64_t seed;
    const struct soft_udp *udp; /* NICs on other machines */
    uint32_t udp_count;
    const char *prefix;       /* of the namespaces of switches; NULL: none are used */
    const bool *serves;       /* for each switch; NULL: all */
    bool is_unpaced;          /* links have no rate and no delay */
    uint32_t thread_count;    /* for planes; 0: derived from the number of processors */
    const char *text;         /* the file that describes the fabric, for recordings; NULL if none */
    const uint64_t *clock_ps; /* the time in tests; NULL: the system clock */
};

struct soft;

/* Returns 0 or a negative errno: -EBUSY if a fabric of this name runs, -ERANGE if `slower` is out
 * of range for a link. */
int soft_open(struct soft **, const struct soft_config *);
/* NIC 0 is the device mrcF, NIC 1 is mrcF+1, ... */
uint32_t soft_first_device(const struct soft *);
/* Runs until `*stop` is set, for example by a signal handler, or until a control request stops it.
 */
int soft_run(struct soft *, const volatile int *stop);
/* Removes the sockets and devices. */
void soft_close(struct soft *);
