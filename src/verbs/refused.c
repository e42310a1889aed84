/* SPDX-License-Identifier: Apache-2.0 */
/* Verbs that MRC does not support. Some are newer than the headers of the build; these are declared
 * here, with the arguments that matter. */
#include <errno.h>

#include "verbs/refuse.h"
#include "verbs/verbs_device.h"

/* ---- shared receive queues ------------------------------------------------------------------- */

struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *srq_init_attr)
{
    (void)pd;
    (void)srq_init_attr;
    return refuse_null(REFUSE_SRQ);
}

int ibv_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *srq_attr, int srq_attr_mask)
{
    (void)srq;
    (void)srq_attr;
    (void)srq_attr_mask;
    return refuse(REFUSE_SRQ);
}

int ibv_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *srq_attr)
{
    (void)srq;
    (void)srq_attr;
    return refuse(REFUSE_SRQ);
}

int ibv_destroy_srq(struct ibv_srq *srq)
{
    (void)srq;
    return refuse(REFUSE_SRQ);
}

/* ---- datagrams and multicast ----------------------------------------------------------------- */

struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
    (void)pd;
    (void)attr;
    return refuse_null(REFUSE_UD);
}

int ibv_init_ah_from_wc(struct ibv_context *context, uint8_t port_num, struct ibv_wc *wc,
    struct ibv_grh *grh, struct ibv_ah_attr *ah_attr)
{
    (void)context;
    (void)port_num;
    (void)wc;
    (void)grh;
    (void)ah_attr;
    return -refuse(REFUSE_UD);
}

struct ibv_ah *ibv_create_ah_from_wc(
    struct ibv_pd *pd, struct ibv_wc *wc, struct ibv_grh *grh, uint8_t port_num)
{
    (void)pd;
    (void)wc;
    (void)grh;
    (void)port_num;
    return refuse_null(REFUSE_UD);
}

int ibv_destroy_ah(struct ibv_ah *ah)
{
    (void)ah;
    return refuse(REFUSE_UD);
}

int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
    (void)qp;
    (void)gid;
    (void)lid;
    return refuse(REFUSE_MULTICAST);
}

int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
    (void)qp;
    (void)gid;
    (void)lid;
    return refuse(REFUSE_MULTICAST);
}

int ibv_resolve_eth_l2_from_gid(struct ibv_context *context, struct ibv_ah_attr *attr,
    uint8_t eth_mac[ETHERNET_LL_SIZE], uint16_t *vid)
{
    (void)context;
    (void)attr;
    (void)eth_mac;
    (void)vid;
    return refuse(REFUSE_ETHERNET_ADDRESS);
}

/* ---- objects of other processes -------------------------------------------------------------- */

struct ibv_context *ibv_import_device(int cmd_fd)
{
    (void)cmd_fd;
    return refuse_null(REFUSE_IMPORT);
}

struct ibv_pd *ibv_import_pd(struct ibv_context *context, uint32_t pd_handle)
{
    (void)context;
    (void)pd_handle;
    return refuse_null(REFUSE_IMPORT);
}

void ibv_unimport_pd(struct ibv_pd *pd)
{
    (void)pd;
}

struct ibv_mr *ibv_import_mr(struct ibv_pd *pd, uint32_t mr_handle)
{
    (void)pd;
    (void)mr_handle;
    return refuse_null(REFUSE_IMPORT);
}

void ibv_unimport_mr(struct ibv_mr *mr)
{
    (void)mr;
}

struct ibv_dm *ibv_import_dm(struct ibv_context *context, uint32_t dm_handle)
{
    (void)context;
    (void)dm_handle;
    return refuse_null(REFUSE_IMPORT);
}

void ibv_unimport_dm(struct ibv_dm *dm)
{
    (void)dm;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Memory of other devices, to which no CPU can write. Programs call this as a test, and use their
 * own memory if it fails. */
struct ibv_mr *ibv_reg_dmabuf_mr(
    struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access)
{
    (void)pd;
    (void)offset;
    (void)length;
    (void)iova;
    (void)access;
    if (fd >= 0)
        return refuse_null(REFUSE_DMABUF);
    refuse_silently();
    return NULL;
}

void *ibv_alloc_dmah(void *context, void *attr);
int ibv_dealloc_dmah(void *dmah);
void *ibv_reg_mr_ex(void *pd, void *attr);
int ibv_dm_export_dmabuf_fd(void *dm);
void *ibv_alloc_buf(void *context, void *attr);
int ibv_free_buf(void *buf);
void *ibv_reg_buf_mr(void *pd, void *buf);

void *ibv_alloc_dmah(void *context, void *attr)
{
    (void)context;
    (void)attr;
    return refuse_null(REFUSE_DEVICE_MEMORY);
}

int ibv_dealloc_dmah(void *dmah)
{
    (void)dmah;
    return refuse(REFUSE_DEVICE_MEMORY);
}

void *ibv_reg_mr_ex(void *pd, void *attr)
{
    (void)pd;
    (void)attr;
    return refuse_null(REFUSE_DEVICE_MEMORY);
}

int ibv_dm_export_dmabuf_fd(void *dm)
{
    (void)dm;
    refuse(REFUSE_DEVICE_MEMORY);
    return -1;
}

void *ibv_alloc_buf(void *context, void *attr)
{
    (void)context;
    (void)attr;
    return refuse_null(REFUSE_DEVICE_MEMORY);
}

int ibv_free_buf(void *buf)
{
    (void)buf;
    return refuse(REFUSE_DEVICE_MEMORY);
}

void *ibv_reg_buf_mr(void *pd, void *buf)
{
    (void)pd;
    (void)buf;
    return refuse_null(REFUSE_DEVICE_MEMORY);
}
