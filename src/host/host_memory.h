/* SPDX-License-Identifier: Apache-2.0 */
/* Registered memory: regions of the process that peers may write to and work requests may read
 * from, each with a random key. */
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
    uint64_t remote_va; /* address of the first byte for peers; usually the local address */
    uint32_t access;    /* enum host_access */
    uint32_t domain;    /* protection domain: a key is valid only for QPs of the same domain */
    uint32_t key;       /* key of the region that this one replaces; 0 if none */
};

/* `*key` is both lkey and rkey. Returns -EINVAL if the region is empty or wraps around, -ENOMEM
 * beyond region_count_max, -ENOENT if there is no region to replace. When it returns, the replaced
 * region is no longer read or written. */
int host_memory_register(struct host_nic *, const struct host_region *, uint32_t *key);
/* When it returns, the region is no longer read or written. Returns -ENOENT if the key does not
 * exist. */
int host_memory_deregister(struct host_nic *, uint32_t key);
