/* SPDX-License-Identifier: Apache-2.0 */
/* Registered memory: regions of the process that peers may write into and work requests may read
 * from, each under a random key. */
#pragma once

#include <stdint.h>

struct host_nic;

enum host_access {
    HOST_ACCESS_LOCAL_WRITE = 1 << 0,
    HOST_ACCESS_REMOTE_WRITE = 1 << 1,
};

struct host_region {
    void *address;
    uint64_t length_bytes;
    uint64_t remote_va; /* what peers call the first byte; usually the address itself */
    uint32_t access;    /* enum host_access */
    uint32_t domain;    /* protection domain: any number; keys work for QPs of the same one only */
    uint32_t key;       /* of the region that this one replaces; 0: of none */
};

/* `*key` is both lkey and rkey. -EINVAL: empty, or wraps around; -ENOMEM: region_count_max;
 * -ENOENT: there is no region to replace. When it returns, nothing reads or writes the region
 * replaced. */
int host_memory_register(struct host_nic *, const struct host_region *, uint32_t *key);
/* When it returns, nothing reads or writes the region any more. -ENOENT: no such key. */
int host_memory_deregister(struct host_nic *, uint32_t key);
