/* SPDX-License-Identifier: Apache-2.0 */
/* The private interface between libmrc.so.1 and libmrc-verbs.so.1, which come from one build:
 * devices, memory and the adoption of verbs objects. It is not installed and not for programs; its
 * symbol version is MRC_PRIVATE_1.
 *
 * libmrc-verbs makes the structures of verbs.h that programs see. libmrc implements them, so that
 * both agree on devices and memory regions. Unless stated otherwise, calls return 0 or a negative
 * errno. */
#ifndef MRC_PRIVATE_H
#define MRC_PRIVATE_H

#include <stdatomic.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#include "mrc.h"

#define MRC_PRIVATE_NAME_BYTES 64

/* A device that this process has open. */
struct mrc_private_device;

/* Returns the name of device `index`; -ENODEV after the last. The list is read again for index
 * 0. */
int mrc_private_name(uint32_t index, char name[MRC_PRIVATE_NAME_BYTES]);

int mrc_private_open(const char *name, struct mrc_private_device **);
int mrc_private_close(struct mrc_private_device *);

struct mrc_private_info {
    uint8_t gid[16];
    uint64_t guid; /* in network byte order */
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
    uint32_t is_enabled; /* set by the controller */
    uint32_t is_up;      /* enabled, and this process knows its link to be up */
    uint32_t pmtu_bytes;
    uint64_t rate_bps;
};
/* Queries a port, counted from 1. Port 0 is all ports together: up while one is, with the sum of
 * their rates. */
int mrc_private_port(struct mrc_private_device *, uint32_t port, struct mrc_private_port *);

/* Makes the mrc_ calls accept this context as that of the device until it is disowned. _disown:
 * -EBUSY while it is the parent of an object. */
int mrc_private_adopt(struct mrc_private_device *, struct ibv_context *);
int mrc_private_disown(struct ibv_context *);
/* Returns the number of MRC contexts whose parent is this context. */
uint32_t mrc_private_context_count(const struct ibv_context *);

/* A protection domain. libmrc-verbs makes it, libmrc counts its users. */
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
    uint32_t key; /* of the region that this one replaces; 0: none */
};
int mrc_private_register(
    struct mrc_private_device *, const struct mrc_private_region *, uint32_t *key);
int mrc_private_deregister(struct mrc_private_device *, uint32_t key);

/* Returns a descriptor that is readable while asynchronous events wait.
 * mrc_private_get_async_event() does not block if it is non-blocking. */
int mrc_private_async_fd(struct mrc_context *);
/* As mrc_get_async_event(), but waiting alone does not attach the NIC to this process: programs
 * wait on every device that they have opened. */
int mrc_private_get_async_event(struct mrc_context *, struct mrc_async_event *);

/* Return cq_context and qp_context. */
void *mrc_private_cq_user(const struct mrc_cq *);
void *mrc_private_qp_user(const struct mrc_qp *);

/* Logs a line for users, if MRC_LOG_LEVEL includes warnings. */
void mrc_private_warn(const char *text);

#endif
