/* SPDX-License-Identifier: Apache-2.0 */
/* The devices that a fabric offers: one folder with a `config` for each NIC, mrc0 for NIC 0. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "fabric/fabric.h"

#define DEVICES_ADDRESS_BYTES 320
#define DEVICES_NAME_BYTES    64 /* of a fabric */

/* Software answers in hundreds of microseconds, whatever the cables would allow. */
#define DEVICES_SOFTWARE_RTT_PS UINT64_C(200000000)

struct devices {
    const struct fabric *fabric;
    const char *root; /* the folder of all devices */
    const char *name; /* of the fabric */
    /* How a NIC opens its port in a plane, as in mrc_config(5). */
    void (*port_address)(
        const void *context, uint32_t nic, uint32_t plane, char out[static DEVICES_ADDRESS_BYTES]);
    const void *context;
};

/* 0 or a negative errno. */
int devices_make(const struct devices *);

/* The fabric that made the device of this NIC, running or not; false: there is no such device, or
 * somebody else made it. */
bool devices_owner(const char *root, uint32_t nic, char name[static DEVICES_NAME_BYTES]);

/* Those of the fabric called `name`, whoever made them. A folder in which profiles are kept stays.
 */
void devices_remove(const char *root, const char *name);
