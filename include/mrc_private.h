/* SPDX-License-Identifier: Apache-2.0 */
/* Between libmrc.so.1 and libmrc-verbs.so.1, which come from one build: devices, memory and the
 * adoption of verbs objects. Not installed, and not for programs: symbol version MRC_PRIVATE_1.
 *
 * libmrc-verbs makes the structures of verbs.h that programs see; what is behind them is in libmrc,
 * so that both agree on devices and memory regions. Calls yield 0 or a negative errno unless they
 * say otherwise. */
#ifndef MRC_PRIVATE_H
#define MRC_PRIVATE_H

#include <stdatomic.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#include "mrc.h"

#define MRC_PRIVATE_NAME_BYTES 64

/* A device that this process has open. */
struct mrc_private_device;

/* Name number `index` of the devices there are; -ENODEV behind the last. The list is read anew for
 * index 0. */
int mrc_private_name(uint32_t index, char name[MRC_PRIVATE_NAME_BYTES]);

int mrc_private_open(const char *name, struct mrc_private_device **);
int mrc_private_close(struct mrc_private_device *);

struct mrc_private_info {
    uint8_t gid[16];
    uint64_t guid; /* as the bytes of a network-order number */
    uint32_t port_count;
    uint32_t qp_count_max;
    uint32_t region_count_max;
    uint32_t work_max;  /* send or receive requests of a QP */
    uint32_t piece_max; /* of a gather list */
    uint32_t cqe_max;
    uint32_t inline_max;
};
void mrc_private_info(struct mrc_private_device *, struct mrc_private_info *);

struct mrc_private_port {
    uint32_t is_enabled; /* by the controller */
    uint32_t is_up;      /* enabled, and its link is up as far as this process knows */
    uint32_t pmtu_bytes;
    uint64_t rate_bps;
};
/* Ports count from 1; port 0 is all of them together: up while one is, the sum of the rates. */
int mrc_private_port(struct mrc_private_device *, uint32_t port, struct mrc_private_port *);

/* From now on, and until disowned, the mrc_ calls take this context for the device's.
 * _disown: -EBUSY while it is the parent of something. */
int mrc_private_adopt(struct mrc_private_device *, struct ibv_context *);
int mrc_private_disown(struct ibv_context *);
/* How many MRC contexts have this one as their parent. */
uint32_t mrc_private_context_count(const struct ibv_context *);

/* Protection domains: libmrc-verbs makes them, libmrc counts who uses them. */
struct mrc_private_pd {
    struct ibv_pd ibv;
    uint32_t domain; /* mrc_private_domain() */
    _Atomic uint32_t user_count;
};
uint32_t mrc_private_domain(void);

struct mrc_private_region {
    void *address;
    uint64_t length_bytes;
    uint64_t remote_va;
    int access; /* enum ibv_access_flags */
    uint32_t domain;
    uint32_t key; /* of the region that this one replaces; 0: of none */
};
int mrc_private_register(
    struct mrc_private_device *, const struct mrc_private_region *, uint32_t *key);
int mrc_private_deregister(struct mrc_private_device *, uint32_t key);

/* Readable while asynchronous events wait; non-blocking when its descriptor is made so. */
int mrc_private_async_fd(struct mrc_context *);
/* As mrc_get_async_event(), but waiting alone does not make the NIC this process's: programs wait
 * on every device that they have looked at. */
int mrc_private_get_async_event(struct mrc_context *, struct mrc_async_event *);

/* What a queue or a QP was made with: cq_context, qp_context. */
void *mrc_private_cq_user(const struct mrc_cq *);
void *mrc_private_qp_user(const struct mrc_qp *);

/* A line for people, as far as MRC_LOG_LEVEL asks for warnings. */
void mrc_private_warn(const char *text);

#endif
