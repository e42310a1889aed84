/* SPDX-License-Identifier: Apache-2.0 */
/* Protection domains and memory regions. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "verbs/verbs_device.h"

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
    struct mrc_private_pd *pd = calloc(1, sizeof(*pd));

    if (!pd) {
        errno = ENOMEM;
        return NULL;
    }
    pd->ibv.context = context;
    pd->domain = mrc_private_domain();
    return &pd->ibv;
}

static struct mrc_private_pd *own_pd(struct ibv_pd *pd)
{
    return (struct mrc_private_pd *)pd;
}

int ibv_dealloc_pd(struct ibv_pd *pd)
{
    if (atomic_load(&own_pd(pd)->user_count)) {
        errno = EBUSY;
        return EBUSY;
    }
    free(pd);
    return 0;
}

/* Access bits that verbs define as optional are ignored. */
#define ACCESS_KNOWN                                                                               \
    (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |                   \
        IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND | IBV_ACCESS_ZERO_BASED |                    \
        IBV_ACCESS_ON_DEMAND | IBV_ACCESS_HUGETLB)

/* A region, and what struct ibv_mr does not contain. */
struct region {
    struct ibv_mr ibv;
    uint64_t iova;
    unsigned int access;
};

/* Registers a new region, or replaces the region of an existing key. */
static int register_region(const struct region *region, uint32_t *key)
{
    unsigned int known = region->access & ~(unsigned int)IBV_ACCESS_OPTIONAL_RANGE;
    struct mrc_private_region wanted = { .address = region->ibv.addr,
        .length_bytes = region->ibv.length,
        .remote_va = region->iova,
        .access = (int)known,
        .domain = own_pd(region->ibv.pd)->domain,
        .key = region->ibv.lkey };

    if (known & ~(unsigned int)ACCESS_KNOWN)
        return -EINVAL;
    return mrc_private_register(verbs_device_context(region->ibv.context)->device, &wanted, key);
}

struct ibv_mr *ibv_reg_mr_iova2(
    struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned int access)
{
    struct region *region = calloc(1, sizeof(*region));
    int err = -ENOMEM;

    if (region) {
        region->ibv =
            (struct ibv_mr){ .context = pd->context, .pd = pd, .addr = addr, .length = length };
        region->iova = iova;
        region->access = access;
        err = register_region(region, &region->ibv.lkey);
    }
    if (err) {
        free(region);
        errno = -err;
        return NULL;
    }
    region->ibv.rkey = region->ibv.lkey;
    atomic_fetch_add(&own_pd(pd)->user_count, 1);
    return &region->ibv;
}

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
{
    return ibv_reg_mr_iova2(pd, addr, length, (uintptr_t)addr, (unsigned int)access);
}

struct ibv_mr *ibv_reg_mr_iova(
    struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, int access)
{
    return ibv_reg_mr_iova2(pd, addr, length, iova, (unsigned int)access);
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
    int err = mrc_private_deregister(verbs_device_context(mr->context)->device, mr->lkey);

    if (err) {
        errno = -err;
        return -err;
    }
    atomic_fetch_sub(&own_pd(mr->pd)->user_count, 1);
    free(mr);
    return 0;
}

/* The keys stay the same. If it fails, the region is unchanged. */
int ibv_rereg_mr(
    struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length, int access)
{
    struct region *old = (struct region *)mr;
    struct region changed = *old;
    int err = flags == 0 || flags & ~IBV_REREG_MR_FLAGS_SUPPORTED ? -EINVAL : 0;

    if (flags & IBV_REREG_MR_CHANGE_TRANSLATION) {
        changed.ibv.addr = addr;
        changed.ibv.length = length;
        changed.iova = (uintptr_t)addr;
    }
    if (flags & IBV_REREG_MR_CHANGE_PD)
        changed.ibv.pd = pd;
    if (flags & IBV_REREG_MR_CHANGE_ACCESS)
        changed.access = (unsigned int)access;
    if (!changed.ibv.pd || !changed.ibv.addr)
        err = -EINVAL;
    if (!err)
        err = register_region(&changed, &changed.ibv.lkey);
    if (err) {
        errno = -err;
        return IBV_REREG_MR_ERR_INPUT;
    }
    atomic_fetch_add(&own_pd(changed.ibv.pd)->user_count, 1);
    atomic_fetch_sub(&own_pd(old->ibv.pd)->user_count, 1);
    *old = changed;
    return 0;
}
