/* SPDX-License-Identifier: Apache-2.0 */
/* The description of a device: its address, its ports, its fabric. It is read from the file that
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
 * The format is a subset of YAML. It is parsed without a library, so that libmrc depends on none.
 */
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
    char exceptions_path[DESCRIPTION_ADDRESS_BYTES];
};

void description_attach(struct description *);

/* Finds the device `name` in a text. Returns 0; -ENODEV if it is not there; -EINVAL if the text is
 * wrong, with the line and the reason in `problem`. */
int description_parse(const char *text, const char *name, struct description *,
    char problem[DESCRIPTION_PROBLEM_BYTES]);

/* Sets the number of engines. Returns NULL, or the problem with the value. */
const char *description_set_engines(struct description *, const char *value);

struct description_names {
    uint32_t count;
    char names[DESCRIPTION_DEVICES_MAX][FOLDER_NAME_BYTES];
};

/* Adds a name that is valid for a folder, if there is room. */
void description_names_add(struct description_names *, const char *name);

/* Lists the devices that a text describes, in order; at most DESCRIPTION_DEVICES_MAX. */
void description_names(const char *text, struct description_names *);

/* Lists the devices that exist now. Returns 0 or a negative errno. Problems are logged. */
int description_list(struct description_names *);
int description_find(const char *name, struct description *);
