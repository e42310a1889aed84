/* SPDX-License-Identifier: Apache-2.0 */
/* What a device is: its address, its ports, the fabric around it. Read from the file that
 * MRC_CONFIG names, otherwise from the `config` file of each device folder.
 *
 *     # A comment. Indentation by spaces; mrc_config(5) has all keys.
 *     mrc0:
 *       address: 2001:db8:0:1::1
 *       ports:
 *         - shm:/run/mrc/fabric/h1.p0
 *         - shm:/run/mrc/fabric/h1.p1
 *       fabric: srv6
 *       uplinks: 8
 *       timeout: 14
 *
 * A small part of YAML, read without a library, because libmrc shall need none at run time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "api/folder.h"
#include "host/host.h"
#include "plan/plan.h"

#define DESCRIPTION_DEVICES_MAX   256
#define DESCRIPTION_ADDRESS_BYTES 256
#define DESCRIPTION_PROBLEM_BYTES 256

struct description {
    char name[FOLDER_NAME_BYTES];
    struct host_config host; /* points into this struct: description_attach() after a copy */
    struct plan_nic plan;
    bool has_address;
    bool is_srv6;
    char ports[HOST_PORT_COUNT_MAX][DESCRIPTION_ADDRESS_BYTES];
    char capture_path[DESCRIPTION_ADDRESS_BYTES];
    char graph_path[DESCRIPTION_ADDRESS_BYTES];
};

void description_attach(struct description *);

/* Finds the device `name` in a text. 0; -ENODEV: it is not there; -EINVAL: `problem` says which
 * line is wrong. */
int description_parse(const char *text, const char *name, struct description *,
    char problem[DESCRIPTION_PROBLEM_BYTES]);

/* How many engines it has. NULL, or what is wrong with the value. */
const char *description_set_engines(struct description *, const char *value);

struct description_names {
    uint32_t count;
    char names[DESCRIPTION_DEVICES_MAX][FOLDER_NAME_BYTES];
};

/* Adds a valid name of a folder, if there is room. */
void description_names_add(struct description_names *, const char *name);

/* The devices that a text describes, in its order; at most DESCRIPTION_DEVICES_MAX. */
void description_names(const char *text, struct description_names *);

/* The devices there are now. 0 or a negative errno; what is wrong is logged. */
int description_list(struct description_names *);
int description_find(const char *name, struct description *);
