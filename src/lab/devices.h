/* SPDX-License-Identifier: Apache-2.0 */
/* The devices of a fabric: one folder with a `config` for each NIC. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "plan/plan.h"
#include "topology/topology.h"

#define DEVICES_ADDRESS_BYTES 320
#define DEVICES_NAME_BYTES    64 /* of a fabric */

struct devices {
    const struct plan *fabric;
    const struct plan *weighed; /* whose exceptional links NICs consider; NULL: those of `fabric` */
    const char *root;           /* the folder of all devices */
    const char *name;           /* name of the fabric */
    /* Writes the address of a NIC's port in a plane, as in mrc_config(5). */
    void (*port_address)(
        const void *context, uint32_t nic, uint32_t plane, char out[static DEVICES_ADDRESS_BYTES]);
    const void *context;
};

/* Creates the devices of all NICs: NIC 0 is mrcF, NIC 1 is mrcF+1, ... with the lowest F, `*first`,
 * for which none of them exists. Removes what killed fabrics have left. Returns 0 or a negative
 * errno. */
int devices_make(const struct devices *, uint32_t *first);

/* The fabric and the NIC that a device belongs to. */
struct devices_origin {
    char fabric[DEVICES_NAME_BYTES];
    uint32_t nic;
};
/* Returns false if there is no device mrcN, or if no fabric created it. */
bool devices_origin(const char *root, uint32_t device, struct devices_origin *);

/* Finds the device of a NIC of the fabric `name`. */
bool devices_find(const char *root, const char *name, uint32_t nic, uint32_t *device);

/* Removes the devices of the fabric `name`, even if another process created them. A device that a
 * process has open loses its description, and its folder is removed when that process closes it. A
 * folder with profiles stays. */
void devices_remove(const char *root, const char *name);
