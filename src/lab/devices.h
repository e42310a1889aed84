/* SPDX-License-Identifier: Apache-2.0 */
/* The devices that a fabric offers: one folder with a `config` for each NIC. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "plan/plan.h"
#include "topology/topology.h"

#define DEVICES_ADDRESS_BYTES 320
#define DEVICES_NAME_BYTES    64 /* of a fabric */

/* Software answers in hundreds of microseconds, whatever the cables would allow. */
#define DEVICES_SOFTWARE_RTT_PS UINT64_C(200000000)

struct devices {
    const struct plan *fabric;
    const char *root; /* the folder of all devices */
    const char *name; /* of the fabric */
    /* How a NIC opens its port in a plane, as in mrc_config(5). */
    void (*port_address)(
        const void *context, uint32_t nic, uint32_t plane, char out[static DEVICES_ADDRESS_BYTES]);
    const void *context;
};

/* Makes the devices of all NICs: NIC 0 is mrcF, NIC 1 mrcF+1, ... with the lowest F, `*first`, such
 * that none of them is there. Clears away what killed fabrics have left. 0 or a negative errno. */
int devices_make(const struct devices *, uint32_t *first);

/* Which NIC of which fabric a device is. */
struct devices_origin {
    char fabric[DEVICES_NAME_BYTES];
    uint32_t nic;
};
/* False: there is no device mrcN, or no fabric made it. */
bool devices_origin(const char *root, uint32_t device, struct devices_origin *);

/* The device of a NIC of the fabric called `name`. */
bool devices_find(const char *root, const char *name, uint32_t nic, uint32_t *device);

/* Those of the fabric called `name`, whichever process made them. A device that a process has open
 * loses its description, and goes when that process leaves it; a folder in which profiles are kept
 * stays. */
void devices_remove(const char *root, const char *name);
