/* SPDX-License-Identifier: Apache-2.0 */
/* Verbs devices and contexts as programs see them, and their private parts.
 *
 * Programs have pointers into our structures: to the `ibv` member of a device, to `verbs.context`
 * of a context, to the `ibv` member of a domain or region. All other members are private. */
#pragma once

#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mrc_private.h"

/* verbs.h defines these calls as macros. */
#undef ibv_query_port
#undef ibv_reg_mr
#undef ibv_reg_mr_iova

#define DEVICE_GID_COUNT 4 /* 0 and 3 are the address; most scripts use 3 */

struct device {
    struct ibv_device ibv;
    /* Other libraries look for their own members after an ibv_device and compare what they find.
     * Zeros match none of them. */
    uint8_t nothing[512];
    struct device *next;
    uint64_t guid;
};

struct verbs_device_context {
    struct mrc_private_device *device;
    struct mrc_context *mrc; /* the context that the verbs of this context use */
    struct mrc_private_info info;
    _Atomic bool is_down;       /* as last reported to the program: no port is up */
    struct verbs_context verbs; /* the last member: newer headers add members at its front */
};

static inline struct verbs_device_context *verbs_device_context(struct ibv_context *context)
{
    return (struct verbs_device_context *)((char *)context -
                                           offsetof(struct verbs_device_context, verbs.context));
}

/* Sets the functions that inline verbs call (context_ops.c). */
void verbs_device_fill_ops(struct verbs_context *);

int verbs_device_query_port(
    struct ibv_context *, uint8_t port_num, struct ibv_port_attr *, size_t size);
int verbs_device_query_ex(struct ibv_context *, const struct ibv_query_device_ex_input *,
    struct ibv_device_attr_ex *, size_t size);
