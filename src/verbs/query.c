/* SPDX-License-Identifier: Apache-2.0 */
/* A device, its port and its GID table, as verbs programs see them. */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "verbs/verbs_device.h"

#define VENDOR_ID      0x4d5243 /* not the ID of a vendor for which programs have special cases */
#define VENDOR_PART_ID 1
#define MESSAGE_MAX    (UINT32_C(1) << 30)
#define DEFAULT_PKEY   0xffff

/* ---- devices --------------------------------------------------------------------------------- */

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *device_attr)
{
    const struct mrc_private_info *info = &verbs_device_context(context)->info;

    *device_attr = (struct ibv_device_attr){ .fw_ver = OPENMRC_VERSION,
        .node_guid = htobe64(info->guid),
        .sys_image_guid = htobe64(info->guid),
        .max_mr_size = UINT64_MAX,
        .page_size_cap = ~UINT64_C(0xfff),
        .vendor_id = VENDOR_ID,
        .vendor_part_id = VENDOR_PART_ID,
        .hw_ver = 1,
        .max_qp = (int)info->qp_count_max,
        .max_qp_wr = (int)info->work_max,
        .max_sge = (int)info->piece_max,
        .max_cq = (int)info->qp_count_max * 2,
        .max_cqe = (int)info->cqe_max,
        .max_mr = (int)info->region_count_max,
        .max_pd = (int)info->region_count_max,
        .max_qp_rd_atom = 1, /* some programs refuse 0 */
        .max_res_rd_atom = 1,
        .max_qp_init_rd_atom = 1,
        .atomic_cap = IBV_ATOMIC_NONE,
        .max_pkeys = 1,
        .local_ca_ack_delay = 15,
        .phys_port_cnt = 1 };
    return 0;
}

int verbs_device_query_ex(struct ibv_context *context,
    const struct ibv_query_device_ex_input *input, struct ibv_device_attr_ex *attr, size_t size)
{
    struct ibv_device_attr_ex own = { 0 };

    if (input && input->comp_mask)
        return EINVAL;
    if (size < sizeof(own.orig_attr))
        return EINVAL;
    ibv_query_device(context, &own.orig_attr);
    own.phys_port_cnt_ex = 1;
    memset(attr, 0, size);
    memcpy(attr, &own, size < sizeof(own) ? size : sizeof(own));
    return 0;
}

/* ---- ports ----------------------------------------------------------------------------------- */

/* The fastest link in the tables of InfiniBand that is not faster than the rate. */
struct speed {
    uint64_t rate_bps;
    uint8_t width; /* 1: 1x, 2: 4x, 4: 8x */
    uint8_t speed;
};

static struct speed speed_of(uint64_t rate_bps)
{
    static const struct speed table[] = {
        { UINT64_C(2500000000), 1, 1 },
        { UINT64_C(10000000000), 2, 1 },
        { UINT64_C(25000000000), 1, 32 },
        { UINT64_C(40000000000), 2, 4 },
        { UINT64_C(100000000000), 2, 32 },
        { UINT64_C(200000000000), 2, 64 },
        { UINT64_C(400000000000), 2, 128 },
        { UINT64_C(800000000000), 4, 128 },
    };
    struct speed found = table[0];

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (table[i].rate_bps <= rate_bps)
            found = table[i];
    return found;
}

static enum ibv_mtu mtu_of(uint32_t bytes)
{
    enum ibv_mtu mtu = IBV_MTU_256;

    while (mtu < IBV_MTU_4096 && 256u << mtu <= bytes)
        mtu++;
    return mtu;
}

/* The ports that ibv_query_port() and similar calls accept. phys_port_cnt is 1. Programs that have
 * created their own MRC context, besides that of libmrc-verbs, also know the ports of mrc_ctl.h,
 * which are the planes. */
static bool has_port(struct ibv_context *context, uint32_t port_num)
{
    bool knows_planes = mrc_private_context_count(context) > 1;

    return port_num >= 1 &&
           port_num <= (knows_planes ? verbs_device_context(context)->info.port_count : 1);
}

/* For a verbs program port 1 is the device, so port 1 is down only if the controller has disabled
 * it or if no port is up. */
static int look_at_port(
    struct ibv_context *context, uint32_t port_num, struct mrc_private_port *port)
{
    struct verbs_device_context *own = verbs_device_context(context);
    struct mrc_private_port all;
    int err = has_port(context, port_num) ? mrc_private_port(own->device, port_num, port) : -EINVAL;

    if (err || port_num != 1)
        return err;
    err = mrc_private_port(own->device, 0, &all);
    if (err)
        return err;
    port->is_up = port->is_enabled && all.is_up;
    port->rate_bps = all.rate_bps;
    return 0;
}

static int fill_port(struct ibv_context *context, uint8_t port_num, struct ibv_port_attr *attr)
{
    struct mrc_private_port port;
    int err = look_at_port(context, port_num, &port);

    if (err)
        return -err;
    *attr = (struct ibv_port_attr){ .state = port.is_up ? IBV_PORT_ACTIVE : IBV_PORT_DOWN,
        .max_mtu = IBV_MTU_4096,
        .active_mtu = mtu_of(port.pmtu_bytes),
        .gid_tbl_len = DEVICE_GID_COUNT,
        .port_cap_flags = IBV_PORT_IP_BASED_GIDS,
        .max_msg_sz = MESSAGE_MAX,
        .pkey_tbl_len = 1,
        .max_vl_num = 1,
        .active_width = speed_of(port.rate_bps).width,
        .active_speed = speed_of(port.rate_bps).speed,
        .phys_state = port.is_up ? 5 : 3,
        .link_layer = IBV_LINK_LAYER_ETHERNET };
    return 0;
}

/* `size` is the size of the structure that the program was built with. */
int verbs_device_query_port(
    struct ibv_context *context, uint8_t port_num, struct ibv_port_attr *attr, size_t size)
{
    struct ibv_port_attr own;
    int number = fill_port(context, port_num, &own);

    if (number) {
        errno = number;
        return number;
    }
    memset(attr, 0, size);
    memcpy(attr, &own, size < sizeof(own) ? size : sizeof(own));
    return 0;
}

/* A program that calls the symbol directly has the structure without `port_cap_flags2`. */
int ibv_query_port(
    struct ibv_context *context, uint8_t port_num, struct _compat_ibv_port_attr *port_attr)
{
    enum { OLD_BYTES = offsetof(struct ibv_port_attr, port_cap_flags2) };

    return verbs_device_query_port(
        context, port_num, (struct ibv_port_attr *)(void *)port_attr, OLD_BYTES);
}

/* In units of 100 Mb/s. Declared here because the headers used for the build may be older. */
int ibv_query_port_speed(struct ibv_context *context, uint32_t port_num, uint64_t *port_speed);
int ibv_query_port_speed(struct ibv_context *context, uint32_t port_num, uint64_t *port_speed)
{
    struct mrc_private_port port;
    int err = look_at_port(context, port_num, &port);

    if (err) {
        errno = -err;
        return -err;
    }
    *port_speed = port.rate_bps / 100000000;
    return 0;
}

/* ---- GIDs and keys --------------------------------------------------------------------------- */

static bool has_gid(uint32_t index)
{
    return index == 0 || index == DEVICE_GID_COUNT - 1;
}

static int gid_at(
    struct ibv_context *context, uint32_t port_num, uint32_t index, union ibv_gid *gid)
{
    if (!has_port(context, port_num) || index >= DEVICE_GID_COUNT)
        return EINVAL;
    memset(gid, 0, sizeof(*gid));
    if (has_gid(index))
        memcpy(gid->raw, verbs_device_context(context)->info.gid, sizeof(gid->raw));
    return 0;
}

static int minus_one(int number)
{
    if (number == 0)
        return 0;
    errno = number;
    return -1;
}

int ibv_query_gid(struct ibv_context *context, uint8_t port_num, int index, union ibv_gid *gid)
{
    return minus_one(index < 0 ? EINVAL : gid_at(context, port_num, (uint32_t)index, gid));
}

/* Returns an error for empty entries, unlike ibv_query_gid(), which returns zeros. */
static int entry_at(
    struct ibv_context *context, uint32_t port_num, uint32_t index, struct ibv_gid_entry *entry)
{
    int number;

    *entry = (struct ibv_gid_entry){
        .gid_index = index, .port_num = port_num, .gid_type = IBV_GID_TYPE_ROCE_V2
    };
    number = gid_at(context, port_num, index, &entry->gid);
    return !number && !has_gid(index) ? ENODATA : number;
}

int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port_num, uint32_t gid_index,
    struct ibv_gid_entry *entry, uint32_t flags, size_t entry_size)
{
    struct ibv_gid_entry own;
    int number = flags ? EINVAL : entry_at(context, port_num, gid_index, &own);

    if (number) {
        errno = number;
        return number;
    }
    memset(entry, 0, entry_size);
    memcpy(entry, &own, entry_size < sizeof(own) ? entry_size : sizeof(own));
    return 0;
}

/* Returns the two entries in use. Refuses a table without room for both, as the kernel does. */
ssize_t _ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries,
    size_t max_entries, uint32_t flags, size_t entry_size)
{
    static const uint32_t indexes[] = { 0, DEVICE_GID_COUNT - 1 };
    enum { USED = sizeof(indexes) / sizeof(indexes[0]) };

    if (flags || max_entries < USED)
        return -EINVAL;
    for (size_t i = 0; i < USED; i++) {
        struct ibv_gid_entry *to =
            (struct ibv_gid_entry *)(void *)((char *)entries + i * entry_size);
        int number = _ibv_query_gid_ex(context, 1, indexes[i], to, 0, entry_size);

        if (number)
            return -number;
    }
    return USED;
}

/* The type is an int for a version of RoCE, not enum ibv_gid_type: 1 means version 2. */
int ibv_query_gid_type(
    struct ibv_context *context, uint8_t port_num, unsigned int index, unsigned int *type);
int ibv_query_gid_type(
    struct ibv_context *context, uint8_t port_num, unsigned int index, unsigned int *type)
{
    union ibv_gid gid;
    int number = gid_at(context, port_num, index, &gid);

    *type = 1;
    return minus_one(number);
}

int ibv_query_pkey(struct ibv_context *context, uint8_t port_num, int index, __be16 *pkey)
{
    if (!has_port(context, port_num) || index != 0)
        return minus_one(EINVAL);
    *pkey = htobe16(DEFAULT_PKEY);
    return 0;
}

int ibv_get_pkey_index(struct ibv_context *context, uint8_t port_num, __be16 pkey)
{
    if (!has_port(context, port_num) || pkey != htobe16(DEFAULT_PKEY))
        return minus_one(EINVAL);
    return 0;
}
