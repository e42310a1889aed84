/* SPDX-License-Identifier: Apache-2.0 */
/* The private interface for libmrc-verbs: devices and memory. */
#include "mrc_private.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "api/api_objects.h"
#include "api/log.h"

static struct device *behind(struct mrc_private_device *device)
{
    return (struct device *)device;
}

int mrc_private_name(uint32_t index, char name[MRC_PRIVATE_NAME_BYTES])
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct description_names names;
    int err = 0;

    _Static_assert(MRC_PRIVATE_NAME_BYTES == FOLDER_NAME_BYTES, "names are copied");
    pthread_mutex_lock(&lock);
    if (index == 0)
        err = description_list(&names);
    if (!err && index >= names.count)
        err = -ENODEV;
    if (!err)
        memcpy(name, names.names[index], FOLDER_NAME_BYTES);
    pthread_mutex_unlock(&lock);
    return err;
}

int mrc_private_open(const char *name, struct mrc_private_device **out)
{
    struct device *device;
    int err = device_open(name, &device);

    *out = err ? NULL : (struct mrc_private_device *)device;
    return err;
}

int mrc_private_close(struct mrc_private_device *device)
{
    return device_close(behind(device));
}

/* Hashes the address to the 64 bits that distinguish devices (FNV-1a). */
static uint64_t guid_of(const struct ipv6_addr *address)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < sizeof(address->octets); i++)
        hash = (hash ^ address->octets[i]) * UINT64_C(0x100000001b3);
    return hash;
}

void mrc_private_info(struct mrc_private_device *device, struct mrc_private_info *info)
{
    const struct host_config *host = &behind(device)->description.host;

    *info = (struct mrc_private_info){ .guid = guid_of(&host->address),
        .port_count = host->port_count,
        .qp_count_max = host->qp_count_max,
        .region_count_max = host->region_count_max,
        .work_max = DEVICE_WORK_MAX,
        .piece_max = DEVICE_PIECE_MAX,
        .cqe_max = DEVICE_CQE_MAX,
        .inline_max = DEVICE_INLINE_MAX };
    memcpy(info->gid, host->address.octets, sizeof(info->gid));
}

/* A process that does not own the NIC knows the device's description and records, but not the state
 * of links. */
static int query_one(struct device *device, uint32_t port, struct mrc_private_port *out)
{
    const struct host_config *host = &device->description.host;
    struct host_port_state state;
    bool enabled;
    int err = device_port_is_enabled(device, port, &enabled);

    if (err)
        return err;
    *out = (struct mrc_private_port){ .is_enabled = enabled,
        .is_up = enabled,
        .pmtu_bytes = (uint32_t)host->parameters.pmtu,
        .rate_bps = host->parameters.link_bps / host->port_count };
    pthread_mutex_lock(&device->mutex);
    if (device->nic && host_port_query(device->nic, port - 1, &state) == 0) {
        out->is_up = enabled && state.link_up;
        out->pmtu_bytes = host_pmtu_max(device->nic);
        if (state.rate_bps)
            out->rate_bps = state.rate_bps;
    }
    pthread_mutex_unlock(&device->mutex);
    return 0;
}

int mrc_private_port(struct mrc_private_device *device, uint32_t port, struct mrc_private_port *out)
{
    uint32_t port_count = behind(device)->description.host.port_count;
    struct mrc_private_port sum = { 0 };

    if (port != 0)
        return query_one(behind(device), port, out);
    for (uint32_t i = 1; i <= port_count; i++) {
        int err = query_one(behind(device), i, out);

        if (err)
            return err;
        sum.is_enabled |= out->is_enabled;
        sum.is_up |= out->is_up;
        sum.rate_bps += out->rate_bps;
    }
    out->is_enabled = sum.is_enabled;
    out->is_up = sum.is_up;
    out->rate_bps = sum.rate_bps;
    return 0;
}

uint32_t mrc_private_domain(void)
{
    static _Atomic uint32_t last;

    return atomic_fetch_add(&last, 1) + 1;
}

/* Rights that MRC cannot serve (reads, atomics) are accepted here and refused when work is posted:
 * programs routinely request all rights. */
int mrc_private_register(
    struct mrc_private_device *device, const struct mrc_private_region *from, uint32_t *key)
{
    struct host_region region = { .address = from->address,
        .length_bytes = from->length_bytes,
        .remote_va = from->remote_va,
        .domain = from->domain,
        .key = from->key };
    struct host_nic *nic;
    int err;

    if (from->access & (IBV_ACCESS_MW_BIND | IBV_ACCESS_ZERO_BASED | IBV_ACCESS_ON_DEMAND))
        return -EOPNOTSUPP;
    if (from->access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC) &&
        !(from->access & IBV_ACCESS_LOCAL_WRITE))
        return -EINVAL;
    if (from->access & IBV_ACCESS_LOCAL_WRITE)
        region.access |= HOST_ACCESS_LOCAL_WRITE;
    if (from->access & IBV_ACCESS_REMOTE_WRITE)
        region.access |= HOST_ACCESS_REMOTE_WRITE;
    err = device_claim(behind(device), &nic);
    return err ? err : host_memory_register(nic, &region, key);
}

int mrc_private_deregister(struct mrc_private_device *device, uint32_t key)
{
    struct host_nic *nic;
    int err = device_claim(behind(device), &nic);

    return err ? err : host_memory_deregister(nic, key);
}

void *mrc_private_cq_user(const struct mrc_cq *cq)
{
    return cq->user_context;
}

void *mrc_private_qp_user(const struct mrc_qp *qp)
{
    return qp->init.qp_context;
}

void mrc_private_warn(const char *text)
{
    log_line(LOG_WARN, "%s", text);
}
