/* SPDX-License-Identifier: Apache-2.0 */
/* Tests verbs/system.c: forks, sysfs, and structures of the kernel's connection manager. */
#include <infiniband/sa.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_sa.h>
#include <rdma/ib_user_verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spec.h"

const char *ibv_get_sysfs_path(void);
int ibv_read_sysfs_file(const char *dir, const char *file, char *buf, size_t size);
int ibv_dontfork_range(void *base, size_t size);
int ibv_dofork_range(void *base, size_t size);
void ibv_copy_qp_attr_from_kern(struct ibv_qp_attr *, struct ib_uverbs_qp_attr *);
void ibv_copy_path_rec_from_kern(struct ibv_sa_path_rec *, struct ib_user_path_rec *);
void ibv_copy_path_rec_to_kern(struct ib_user_path_rec *, struct ibv_sa_path_rec *);

SPEC("a fork needs no preparation")
{
    char byte;

    EXPECT_EQ(ibv_fork_init(), 0);
    EXPECT_EQ(ibv_is_fork_initialized(), IBV_FORK_UNNEEDED);
    EXPECT_EQ(ibv_dontfork_range(&byte, 1), 0);
    EXPECT_EQ(ibv_dofork_range(&byte, 1), 0);
}

SPEC("SYSFS_PATH replaces /sys")
{
    unsetenv("SYSFS_PATH");
    EXPECT_STR_EQ(ibv_get_sysfs_path(), "/sys");
    setenv("SYSFS_PATH", "", 1);
    EXPECT_STR_EQ(ibv_get_sysfs_path(), "/sys");
    setenv("SYSFS_PATH", "/elsewhere", 1);
    EXPECT_STR_EQ(ibv_get_sysfs_path(), "/elsewhere");
}

/* Reads a file of this content with room for `size` bytes. */
static int read_back(const char *content, char *buf, size_t size)
{
    char folder[] = "/tmp/verbs-test-XXXXXX";
    char path[64];
    FILE *file;
    int length;

    EXPECT(mkdtemp(folder) != NULL);
    snprintf(path, sizeof(path), "%s/value", folder);
    file = fopen(path, "w");
    EXPECT(file);
    fputs(content, file);
    fclose(file);
    length = ibv_read_sysfs_file(folder, "value", buf, size);
    unlink(path);
    rmdir(folder);
    return length;
}

SPEC("a file of sysfs is read without its last newline")
{
    char text[16];

    EXPECT_EQ(read_back("4: ACTIVE\n", text, sizeof(text)), 9);
    EXPECT_STR_EQ(text, "4: ACTIVE");
    EXPECT_EQ(read_back("0x1", text, sizeof(text)), 3);
    EXPECT_STR_EQ(text, "0x1");
    EXPECT_EQ(read_back("abcdef", text, 4), 4);
    EXPECT_MEM_EQ(text, "abcd", 4);
    EXPECT_EQ(read_back("", text, sizeof(text)), -1);
    EXPECT_EQ(ibv_read_sysfs_file("/nonexistent", "value", text, sizeof(text)), -1);
}

SPEC("attributes of a QP are copied from the kernel's structure with both addresses")
{
    struct ib_uverbs_qp_attr from = { .qp_state = IBV_QPS_RTR,
        .path_mtu = IBV_MTU_4096,
        .dest_qp_num = 0x123456,
        .max_send_wr = 64,
        .port_num = 3,
        .rnr_retry = 7,
        .ah_attr = { .grh = { .dgid = { 0xfe, 0x80 }, .hop_limit = 64 }, .dlid = 9, .port_num = 3 },
        .alt_ah_attr = { .sl = 5 } };
    struct ibv_qp_attr to;

    memset(&to, 0x5a, sizeof(to));
    ibv_copy_qp_attr_from_kern(&to, &from);
    EXPECT_EQ(to.qp_state, IBV_QPS_RTR);
    EXPECT_EQ(to.path_mtu, IBV_MTU_4096);
    EXPECT_EQ(to.dest_qp_num, 0x123456);
    EXPECT_EQ(to.cap.max_send_wr, 64);
    EXPECT_EQ(to.port_num, 3);
    EXPECT_EQ(to.rnr_retry, 7);
    EXPECT_EQ(to.ah_attr.grh.dgid.raw[1], 0x80);
    EXPECT_EQ(to.ah_attr.grh.hop_limit, 64);
    EXPECT_EQ(to.ah_attr.dlid, 9);
    EXPECT_EQ(to.alt_ah_attr.sl, 5);
}

SPEC("a path record is copied to the kernel structure and back unchanged")
{
    struct ibv_sa_path_rec from = { .dgid = { .raw = { 1, 2, 3 } },
        .sgid = { .raw = { 4, 5, 6 } },
        .dlid = 7,
        .slid = 8,
        .flow_label = 9,
        .hop_limit = 10,
        .pkey = 0xffff,
        .mtu = 5,
        .rate = 3,
        .preference = 1 };
    struct ib_user_path_rec kernel;
    struct ibv_sa_path_rec to;

    ibv_copy_path_rec_to_kern(&kernel, &from);
    ibv_copy_path_rec_from_kern(&to, &kernel);
    EXPECT_MEM_EQ(to.dgid.raw, from.dgid.raw, 16);
    EXPECT_MEM_EQ(to.sgid.raw, from.sgid.raw, 16);
    EXPECT_EQ(to.dlid, 7);
    EXPECT_EQ(to.slid, 8);
    EXPECT_EQ(to.flow_label, 9);
    EXPECT_EQ(to.hop_limit, 10);
    EXPECT_EQ(to.pkey, 0xffff);
    EXPECT_EQ(to.mtu, 5);
    EXPECT_EQ(to.rate, 3);
    EXPECT_EQ(to.preference, 1);
}
