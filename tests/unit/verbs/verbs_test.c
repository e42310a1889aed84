/* SPDX-License-Identifier: Apache-2.0 */
/* Tests verbs/verbs_device.c, verbs/verbs_context.c, verbs/context_ops.c, verbs/query.c,
 * verbs/memory.c, verbs/objects.h and api/private.c: devices as verbs programs see them. */
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "api_world.h"
#include "verbs/verbs_device.h"

static void open_device(struct api_world *world)
{
    api_world_start(world, 2, "  link_bps: 200G\n");
    api_end_open(&world->ends[0], "mrc0");
}

static void close_device(struct api_world *world)
{
    api_end_close(&world->ends[0]);
    api_world_stop(world);
}

SPEC("the list names every device, ends with NULL, and devices stay when it is freed")
{
    struct api_world world;
    struct ibv_device **list;
    struct ibv_device *first;
    int count;

    api_world_start(&world, 1, NULL);
    list = ibv_get_device_list(&count);
    EXPECT_EQ(count, 2);
    EXPECT_STR_EQ(ibv_get_device_name(list[0]), "mrc0");
    EXPECT_STR_EQ(ibv_get_device_name(list[1]), "mrc1");
    EXPECT(list[2] == NULL);
    EXPECT_NE(ibv_get_device_guid(list[0]), ibv_get_device_guid(list[1]));
    EXPECT_EQ(list[0]->node_type, IBV_NODE_CA);
    EXPECT_EQ(list[0]->transport_type, IBV_TRANSPORT_IB);
    first = list[0];
    ibv_free_device_list(list);
    EXPECT_STR_EQ(ibv_get_device_name(first), "mrc0");
    list = ibv_get_device_list(NULL);
    EXPECT(list[0] == first);
    ibv_free_device_list(list);
    api_world_stop(&world);
}

SPEC("a context has all members that inline verbs use")
{
    struct api_world world;
    struct ibv_context *context;
    struct pollfd ready = { .events = POLLIN };

    open_device(&world);
    context = world.ends[0].verbs;
    EXPECT_EQ(context->num_comp_vectors, 1);
    EXPECT(context->abi_compat == __VERBS_ABI_IS_EXTENDED);
    EXPECT(verbs_get_ctx(context) != NULL);
    EXPECT_EQ(verbs_get_ctx(context)->sz, sizeof(struct verbs_context));
    EXPECT(context->ops.poll_cq && context->ops.req_notify_cq && context->ops.post_send &&
           context->ops.post_recv && context->ops.post_srq_recv && context->ops.alloc_mw);
    EXPECT_GE(context->cmd_fd, 0);
    ready.fd = context->async_fd;
    EXPECT_EQ(poll(&ready, 1, 0), 0);
    close_device(&world);
}

SPEC("the device has a vendor and part for which no program has quirks")
{
    struct api_world world;
    struct ibv_device_attr attr;
    struct ibv_device_attr_ex extended;

    open_device(&world);
    EXPECT_EQ(ibv_query_device(world.ends[0].verbs, &attr), 0);
    EXPECT_NE(attr.vendor_id, 0x02c9);
    EXPECT_EQ(attr.phys_port_cnt, 1);
    EXPECT_GE(attr.max_qp, 1);
    EXPECT_GE(attr.max_qp_wr, 1024);
    EXPECT_EQ(attr.atomic_cap, IBV_ATOMIC_NONE);
    EXPECT_GE(attr.max_pkeys, 1);
    EXPECT_EQ(ibv_query_device_ex(world.ends[0].verbs, NULL, &extended), 0);
    EXPECT_EQ(extended.orig_attr.max_qp, attr.max_qp);
    EXPECT_EQ(extended.phys_port_cnt_ex, 1);
    close_device(&world);
}

SPEC("port attributes are written up to the size of the structure of the caller")
{
    static const size_t sizes[] = { 48, 52, 56, 64 };
    struct api_world world;
    uint8_t bytes[80];

    open_device(&world);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        memset(bytes, 0xa5, sizeof(bytes));
        EXPECT_EQ(verbs_device_query_port(
                      world.ends[0].verbs, 1, (struct ibv_port_attr *)bytes, sizes[i]),
            0);
        EXPECT_EQ(((struct ibv_port_attr *)bytes)->state, IBV_PORT_ACTIVE);
        EXPECT_EQ(bytes[sizes[i]], 0xa5);
        if (sizes[i] > sizeof(struct ibv_port_attr))
            EXPECT_EQ(bytes[sizes[i] - 1], 0);
    }
    memset(bytes, 0xa5, sizeof(bytes));
    EXPECT_EQ((ibv_query_port)(world.ends[0].verbs, 1, (struct _compat_ibv_port_attr *)bytes), 0);
    EXPECT_EQ(bytes[48], 0xa5);
    close_device(&world);
}

SPEC("port 1 is the device: Ethernet, the speed of all planes, four GIDs")
{
    struct api_world world;
    struct ibv_port_attr attr;

    open_device(&world);
    EXPECT_EQ(verbs_device_query_port(world.ends[0].verbs, 1, &attr, sizeof(attr)), 0);
    EXPECT_EQ(attr.link_layer, IBV_LINK_LAYER_ETHERNET);
    EXPECT_EQ(attr.active_mtu, IBV_MTU_4096);
    EXPECT_EQ(attr.max_mtu, IBV_MTU_4096);
    EXPECT_EQ(attr.gid_tbl_len, 4);
    EXPECT_EQ(attr.pkey_tbl_len, 1);
    EXPECT_EQ(attr.active_width, 2);
    EXPECT_EQ(attr.active_speed, 64); /* 4 x 50 Gb/s */
    EXPECT_EQ(attr.lid, 0);
    EXPECT_EQ(verbs_device_query_port(world.ends[0].verbs, 2, &attr, sizeof(attr)), 0);
    EXPECT_EQ(attr.active_speed, 32); /* a plane: half of it */
    EXPECT_EQ(verbs_device_query_port(world.ends[0].verbs, 0, &attr, sizeof(attr)), EINVAL);
    EXPECT_EQ(verbs_device_query_port(world.ends[0].verbs, 3, &attr, sizeof(attr)), EINVAL);
    close_device(&world);
}

SPEC("GIDs 0 and 3 are the address, 1 and 2 are empty, and others do not exist")
{
    static const uint8_t address[16] = { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 };
    static const union ibv_gid none;
    struct api_world world;
    struct ibv_gid_entry entries[4];
    union ibv_gid gid;
    __be16 key;

    open_device(&world);
    for (int i = 0; i < 4; i++) {
        EXPECT_EQ(ibv_query_gid(world.ends[0].verbs, 1, i, &gid), 0);
        EXPECT_MEM_EQ(gid.raw, i == 0 || i == 3 ? address : none.raw, 16);
    }
    EXPECT_EQ(ibv_query_gid(world.ends[0].verbs, 1, 4, &gid), -1);
    EXPECT_EQ(ibv_query_gid(world.ends[0].verbs, 1, -1, &gid), -1);
    EXPECT_EQ(ibv_query_gid(world.ends[0].verbs, 3, 0, &gid), -1);
    EXPECT_EQ(ibv_query_gid_ex(world.ends[0].verbs, 1, 3, &entries[0], 0), 0);
    EXPECT_EQ(entries[0].gid_type, IBV_GID_TYPE_ROCE_V2);
    EXPECT_EQ(ibv_query_gid_ex(world.ends[0].verbs, 1, 9, &entries[0], 0), EINVAL);
    EXPECT_EQ(ibv_query_gid_table(world.ends[0].verbs, entries, 2, 0), 2);
    EXPECT_EQ(entries[1].gid_index, 3);
    EXPECT_EQ(ibv_query_pkey(world.ends[0].verbs, 1, 0, &key), 0);
    EXPECT_EQ(key, 0xffff);
    EXPECT_EQ(ibv_get_pkey_index(world.ends[0].verbs, 1, key), 0);
    EXPECT_EQ(ibv_query_pkey(world.ends[0].verbs, 1, 1, &key), -1);
    close_device(&world);
}

SPEC("an empty entry of the GID table has no data, and a buffer must have room for all others")
{
    struct api_world world;
    struct ibv_gid_entry entries[2];

    open_device(&world);
    EXPECT_EQ(ibv_query_gid_ex(world.ends[0].verbs, 1, 1, &entries[0], 0), ENODATA);
    EXPECT_EQ(ibv_query_gid_ex(world.ends[0].verbs, 1, 2, &entries[0], 0), ENODATA);
    EXPECT_EQ(ibv_query_gid_table(world.ends[0].verbs, entries, 0, 0), -EINVAL);
    EXPECT_EQ(ibv_query_gid_table(world.ends[0].verbs, entries, 1, 0), -EINVAL);
    close_device(&world);
}

SPEC("planes are ports only for programs that have an MRC context of their own")
{
    struct api_world world;
    struct ibv_context *context;
    struct ibv_port_attr attr;
    union ibv_gid gid;
    __be16 key;

    open_device(&world);
    context = world.ends[0].verbs;
    EXPECT_EQ(verbs_device_query_port(context, 2, &attr, sizeof(attr)), 0);
    EXPECT_EQ(mrc_destroy_context(world.ends[0].mrc), 0);
    EXPECT_EQ(verbs_device_query_port(context, 1, &attr, sizeof(attr)), 0);
    EXPECT_EQ(verbs_device_query_port(context, 2, &attr, sizeof(attr)), EINVAL);
    EXPECT_EQ(ibv_query_gid(context, 2, 0, &gid), -1);
    EXPECT_EQ(ibv_query_pkey(context, 2, 0, &key), -1);
    world.ends[0].mrc = mrc_create_context(context, NULL);
    EXPECT_EQ(verbs_device_query_port(context, 2, &attr, sizeof(attr)), 0);
    close_device(&world);
}

SPEC("memory is registered with the requested rights, and its domain cannot be freed")
{
    struct api_world world;
    struct ibv_mr *mr;
    uint8_t bytes[100];

    api_world_open(&world, 1, NULL);
    EXPECT_EQ(ibv_dealloc_pd(world.ends[0].pd), EBUSY);
    mr = ibv_reg_mr_iova2(world.ends[0].pd, bytes, sizeof(bytes), 0x1000,
        IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
            IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_RELAXED_ORDERING);
    EXPECT(mr != NULL);
    EXPECT_EQ(mr->lkey, mr->rkey);
    EXPECT(mr->addr == bytes);
    EXPECT_EQ(mr->length, sizeof(bytes));
    EXPECT_EQ(ibv_dereg_mr(mr), 0);
    EXPECT((ibv_reg_mr)(world.ends[0].pd, bytes, 100, IBV_ACCESS_REMOTE_WRITE) == NULL);
    EXPECT_EQ(errno, EINVAL); /* not without local write */
    EXPECT((ibv_reg_mr)(world.ends[0].pd, bytes, 100, IBV_ACCESS_MW_BIND) == NULL);
    EXPECT_EQ(errno, EOPNOTSUPP);
    EXPECT(ibv_reg_dmabuf_mr(world.ends[0].pd, 0, 1, 0, -1, 0) == NULL);
    EXPECT_EQ(errno, EOPNOTSUPP);
    EXPECT_EQ(ibv_close_device(world.ends[0].verbs), -1);
    EXPECT_EQ(errno, EBUSY);
    api_world_close(&world);
}

SPEC("memory is registered again under its keys, and a refusal leaves it unchanged")
{
    struct api_world world;
    struct ibv_pd *pd;
    struct ibv_mr *mr;
    struct ibv_mr before;
    uint8_t bytes[100];

    api_world_open(&world, 1, NULL);
    pd = ibv_alloc_pd(world.ends[0].verbs);
    mr = (ibv_reg_mr)(world.ends[0].pd, bytes, 50, IBV_ACCESS_LOCAL_WRITE);
    before = *mr;
    EXPECT_EQ(ibv_rereg_mr(mr, 0, NULL, NULL, 0, 0), IBV_REREG_MR_ERR_INPUT);
    EXPECT_EQ(ibv_rereg_mr(mr, 1 << 3, NULL, NULL, 0, 0), IBV_REREG_MR_ERR_INPUT);
    EXPECT_EQ(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_PD, NULL, NULL, 0, 0), IBV_REREG_MR_ERR_INPUT);
    EXPECT_EQ(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, bytes, 0, 0),
        IBV_REREG_MR_ERR_INPUT);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, IBV_ACCESS_REMOTE_WRITE),
        IBV_REREG_MR_ERR_INPUT);
    EXPECT_MEM_EQ((uint8_t *)mr, (uint8_t *)&before, sizeof(before));
    EXPECT_EQ(
        ibv_rereg_mr(mr,
            IBV_REREG_MR_CHANGE_TRANSLATION | IBV_REREG_MR_CHANGE_PD | IBV_REREG_MR_CHANGE_ACCESS,
            pd, bytes + 10, 90, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE),
        0);
    EXPECT_EQ(mr->lkey, before.lkey);
    EXPECT_EQ(mr->rkey, before.rkey);
    EXPECT(mr->addr == bytes + 10 && mr->length == 90 && mr->pd == pd);
    EXPECT_EQ(ibv_dealloc_pd(pd), EBUSY);
    EXPECT_EQ(ibv_dereg_mr(mr), 0);
    EXPECT_EQ(ibv_dealloc_pd(pd), 0);
    api_world_close(&world);
}
