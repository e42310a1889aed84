/* SPDX-License-Identifier: Apache-2.0 */
/* Protection domains and memory regions. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "verbs/device.h"

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

/* Bits that verbs let a device ignore are ignored. */
#define ACCESS_KNOWN                                                                               \
    (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |                   \
        IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND | IBV_ACCESS_ZERO_BASED |                    \
        IBV_ACCESS_ON_DEMAND | IBV_ACCESS_HUGETLB)

struct ibv_mr *ibv_reg_mr_iova2(
    struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned int access)
{
    unsigned int known = access & ~(unsigned int)IBV_ACCESS_OPTIONAL_RANGE;
    struct mrc_private_region region = { .address = addr,
        .length_bytes = length,
        .remote_va = iova,
        .access = (int)known,
        .domain = own_pd(pd)->domain };
    struct ibv_mr *mr = calloc(1, sizeof(*mr));
    int err = !mr ? -ENOMEM : known & ~(unsigned int)ACCESS_KNOWN ? -EINVAL : 0;

    if (!err)
        err = mrc_private_register(device_context(pd->context)->device, &region, &mr->lkey);
    if (err) {
        free(mr);
        errno = -err;
        return NULL;
    }
    mr->context = pd->context;
    mr->pd = pd;
    mr->addr = addr;
    mr->length = length;
    mr->rkey = mr->lkey;
    atomic_fetch_add(&own_pd(pd)->user_count, 1);
    return mr;
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
    int err = mrc_private_deregister(device_context(mr->context)->device, mr->lkey);

    if (err) {
        errno = -err;
        return -err;
    }
    atomic_fetch_sub(&own_pd(mr->pd)->user_count, 1);
    free(mr);
    return 0;
}
