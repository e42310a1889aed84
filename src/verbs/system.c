/* SPDX-License-Identifier: Apache-2.0 */
/* Verbs that concern the system: forks, sysfs, and structures of the kernel's connection manager.
 */
#include <errno.h>
#include <fcntl.h>
#include <rdma/ib_user_sa.h>
#include <rdma/ib_user_verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <infiniband/sa.h>

#include "verbs/verbs_device.h"

/* ---- forks ----------------------------------------------------------------------------------- */

/* No memory is pinned, so a fork does not affect the memory of the parent. */
int ibv_fork_init(void)
{
    return 0;
}

enum ibv_fork_status ibv_is_fork_initialized(void)
{
    return IBV_FORK_UNNEEDED;
}

int ibv_dontfork_range(void *base, size_t size);
int ibv_dontfork_range(void *base, size_t size)
{
    (void)base;
    (void)size;
    return 0;
}

int ibv_dofork_range(void *base, size_t size);
int ibv_dofork_range(void *base, size_t size)
{
    (void)base;
    (void)size;
    return 0;
}

/* ---- sysfs ----------------------------------------------------------------------------------- */

const char *ibv_get_sysfs_path(void);
const char *ibv_get_sysfs_path(void)
{
    const char *path = getenv("SYSFS_PATH");

    return path && *path ? path : "/sys";
}

/* Returns the length without the last newline, or -1. */
int ibv_read_sysfs_file(const char *dir, const char *file, char *buf, size_t size);
int ibv_read_sysfs_file(const char *dir, const char *file, char *buf, size_t size)
{
    char path[IBV_SYSFS_PATH_MAX + IBV_SYSFS_NAME_MAX];
    ssize_t length;
    int fd;

    if (snprintf(path, sizeof(path), "%s/%s", dir, file) >= (int)sizeof(path)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    length = read(fd, buf, size);
    close(fd);
    if (length <= 0)
        return -1;
    if (buf[length - 1] == '\n')
        buf[--length] = '\0';
    else if ((size_t)length < size)
        buf[length] = '\0';
    return (int)length;
}

/* ---- the kernel's structures ----------------------------------------------------------------- */

void ibv_copy_ah_attr_from_kern(struct ibv_ah_attr *dst, struct ib_uverbs_ah_attr *src);
void ibv_copy_ah_attr_from_kern(struct ibv_ah_attr *dst, struct ib_uverbs_ah_attr *src)
{
    memcpy(dst->grh.dgid.raw, src->grh.dgid, sizeof(dst->grh.dgid.raw));
    dst->grh.flow_label = src->grh.flow_label;
    dst->grh.sgid_index = (uint8_t)src->grh.sgid_index;
    dst->grh.hop_limit = src->grh.hop_limit;
    dst->grh.traffic_class = src->grh.traffic_class;
    dst->dlid = src->dlid;
    dst->sl = src->sl;
    dst->src_path_bits = src->src_path_bits;
    dst->static_rate = src->static_rate;
    dst->is_global = src->is_global;
    dst->port_num = src->port_num;
}

void ibv_copy_qp_attr_from_kern(struct ibv_qp_attr *dst, struct ib_uverbs_qp_attr *src);
void ibv_copy_qp_attr_from_kern(struct ibv_qp_attr *dst, struct ib_uverbs_qp_attr *src)
{
    *dst = (struct ibv_qp_attr){ .qp_state = src->qp_state,
        .cur_qp_state = src->cur_qp_state,
        .path_mtu = src->path_mtu,
        .path_mig_state = src->path_mig_state,
        .qkey = src->qkey,
        .rq_psn = src->rq_psn,
        .sq_psn = src->sq_psn,
        .dest_qp_num = src->dest_qp_num,
        .qp_access_flags = src->qp_access_flags,
        .cap = { .max_send_wr = src->max_send_wr,
            .max_recv_wr = src->max_recv_wr,
            .max_send_sge = src->max_send_sge,
            .max_recv_sge = src->max_recv_sge,
            .max_inline_data = src->max_inline_data },
        .pkey_index = src->pkey_index,
        .alt_pkey_index = src->alt_pkey_index,
        .en_sqd_async_notify = src->en_sqd_async_notify,
        .sq_draining = src->sq_draining,
        .max_rd_atomic = src->max_rd_atomic,
        .max_dest_rd_atomic = src->max_dest_rd_atomic,
        .min_rnr_timer = src->min_rnr_timer,
        .port_num = src->port_num,
        .timeout = src->timeout,
        .retry_cnt = src->retry_cnt,
        .rnr_retry = src->rnr_retry,
        .alt_port_num = src->alt_port_num,
        .alt_timeout = src->alt_timeout };
    ibv_copy_ah_attr_from_kern(&dst->ah_attr, &src->ah_attr);
    ibv_copy_ah_attr_from_kern(&dst->alt_ah_attr, &src->alt_ah_attr);
}

void ibv_copy_path_rec_from_kern(struct ibv_sa_path_rec *dst, struct ib_user_path_rec *src);
void ibv_copy_path_rec_from_kern(struct ibv_sa_path_rec *dst, struct ib_user_path_rec *src)
{
    *dst = (struct ibv_sa_path_rec){ .dlid = src->dlid,
        .slid = src->slid,
        .raw_traffic = (int)src->raw_traffic,
        .flow_label = src->flow_label,
        .hop_limit = src->hop_limit,
        .traffic_class = src->traffic_class,
        .reversible = (int)src->reversible,
        .numb_path = src->numb_path,
        .pkey = src->pkey,
        .sl = src->sl,
        .mtu_selector = src->mtu_selector,
        .mtu = (uint8_t)src->mtu,
        .rate_selector = src->rate_selector,
        .rate = src->rate,
        .packet_life_time_selector = src->packet_life_time_selector,
        .packet_life_time = src->packet_life_time,
        .preference = src->preference };
    memcpy(dst->dgid.raw, src->dgid, sizeof(dst->dgid.raw));
    memcpy(dst->sgid.raw, src->sgid, sizeof(dst->sgid.raw));
}

void ibv_copy_path_rec_to_kern(struct ib_user_path_rec *dst, struct ibv_sa_path_rec *src);
void ibv_copy_path_rec_to_kern(struct ib_user_path_rec *dst, struct ibv_sa_path_rec *src)
{
    *dst = (struct ib_user_path_rec){ .dlid = src->dlid,
        .slid = src->slid,
        .raw_traffic = (uint32_t)src->raw_traffic,
        .flow_label = src->flow_label,
        .reversible = (uint32_t)src->reversible,
        .mtu = src->mtu,
        .pkey = src->pkey,
        .hop_limit = src->hop_limit,
        .traffic_class = src->traffic_class,
        .numb_path = src->numb_path,
        .sl = src->sl,
        .mtu_selector = src->mtu_selector,
        .rate_selector = src->rate_selector,
        .rate = src->rate,
        .packet_life_time_selector = src->packet_life_time_selector,
        .packet_life_time = src->packet_life_time,
        .preference = src->preference };
    memcpy(dst->dgid, src->dgid.raw, sizeof(dst->dgid));
    memcpy(dst->sgid, src->sgid.raw, sizeof(dst->sgid));
}
