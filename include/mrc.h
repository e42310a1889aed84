/* SPDX-License-Identifier: Apache-2.0 */
/* The application interface of MRC: contexts, completion queues, queue pairs, work and events.
 *
 * Devices, protection domains, memory regions, ports and GIDs are those of libibverbs. An attribute
 * or a call described "as ibv_x" follows the conventions of that verb. Every call that fails sets
 * errno. Manual: mrc_api(7), and a page for each call. */
#ifndef _MRC_API_H_
#define _MRC_API_H_

#include <stdint.h>

#include <infiniband/verbs.h>

#include "mrc_api_ver.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MRC_MAX_VENDOR_CFG_SIZE 128

struct mrc_context;
struct mrc_qp_hint;
struct mrc_qp;
struct mrc_cq;
struct mrc_comp_channel;

/* ---- devices --------------------------------------------------------------------------------- */

enum mrc_protocol_version {
    MRC_PROTOCOL_VERSION_0 = 0, /* the device chooses */
    MRC_PROTOCOL_VERSION_1 = 1 << 0,
};

enum mrc_device_cap {
    MRC_DEVICE_CAP_TRIM_NACK = 1 << 0,   /* reports trimmed packets */
    MRC_DEVICE_CAP_DYNAMIC_MPR = 1 << 1, /* the PSN window may change while a QP runs */
    MRC_DEVICE_CAP_SVC_TIME = 1 << 2,    /* subtracts its hold time from round trips */
};

struct mrc_device_attr {
    uint32_t mrc_protocol_version; /* a set of enum mrc_protocol_version */
    struct {
        uint16_t max_wimm;      /* writes with immediate in flight, as requester */
        uint16_t max_wimm_dest; /* ... as responder */
    } wimm_attr;
    struct {
        uint8_t max_mpr; /* units of 128 PSNs, as all MPR */
        uint8_t mpr_resolution;
    } mpr_attr;
    struct {
        uint32_t max_qp_hint; /* hint objects */
    } qp_attr;
    uint32_t cap; /* enum mrc_device_cap */
};

#if MRC_API_VER_USED >= MRC_API_VER(1, 0, 1)
int mrc_query_device_ex(struct ibv_context *context, struct mrc_context *mcontext,
    struct mrc_device_attr *attr, int *supported);
#endif
/* Returns 0 or -1. If the device does not support MRC, *supported becomes 0 and attr is
 * unchanged. */
int mrc_query_device(struct ibv_context *context, struct mrc_device_attr *attr, int *supported);

/* Returns the versions of the library, not those with which the program was compiled. A NULL
 * pointer is ignored. */
void mrc_query_version(uint32_t *current_version, uint32_t *last_supported_version,
    uint32_t *vendor_version, uint32_t *last_supported_vendor_version);

/* ---- contexts -------------------------------------------------------------------------------- */

struct mrc_context_attr {
    uint32_t mrc_api_version_used; /* MRC_API_VER_USED of the program; 0: unknown */
    uint32_t mrc_vendor_api_version_used;
};

/* Creates the parent of all objects below. context_attr may be NULL. */
struct mrc_context *mrc_create_context(
    struct ibv_context *vcontext, struct mrc_context_attr *context_attr);
int mrc_destroy_context(struct mrc_context *mrc_ctx); /* EBUSY while it has child objects */

/* ---- completions ----------------------------------------------------------------------------- */

int mrc_create_comp_channel(struct mrc_context *mrc_ctx, struct mrc_comp_channel **channel);
int mrc_get_comp_channel_fd(struct mrc_comp_channel *channel, int *fd); /* readable: an event */
int mrc_destroy_comp_channel(struct mrc_comp_channel *channel);

/* Creates a queue with room for at least `cqe` entries. */
struct mrc_cq *mrc_create_cq(struct mrc_context *mrc_ctx, int cqe, void *cq_context,
    struct mrc_comp_channel *channel, int comp_vector);
/* Returns the number of entries written, or -1. */
int mrc_poll_cq(struct mrc_cq *cq, int num_entries, struct ibv_wc *wc);
/* Waits until all events received from the queue are acknowledged. */
int mrc_destroy_cq(struct mrc_cq *cq);

int mrc_req_notify_cq(struct mrc_cq *cq, int solicited_only); /* requests one event */
int mrc_get_cq_event(struct mrc_comp_channel *channel, struct mrc_cq **cq, void **cq_context);
void mrc_ack_cq_events(struct mrc_cq *cq, unsigned int nevents);

/* ---- hints ----------------------------------------------------------------------------------- */

enum mrc_qp_hint_attr_mask {
    MRC_QP_HINT_NUM_QPS_PER_PEER = 1 << 0,
    MRC_QP_HINT_NUM_SEND_PEERS = 1 << 1,
    MRC_QP_HINT_NUM_REMOTE_RECV_PEERS = 1 << 2,
    MRC_QP_HINT_VENDOR_CFG = (int)(1U << 31),
};

/* Hints of the program about its traffic, for the device. */
struct mrc_qp_hint_attr {
    int num_qps_per_peer;      /* QPs that send to one destination at a time */
    int num_send_peers;        /* destinations at a time */
    int num_remote_recv_peers; /* remote QPs that send to the same destination */
    uint8_t vendor_cfg[MRC_MAX_VENDOR_CFG_SIZE];
};

struct mrc_qp_hint_init_attr {
    struct mrc_qp_hint_attr attr;
};

struct mrc_qp_hint *mrc_create_qp_hint(
    struct mrc_context *mrc_ctx, struct mrc_qp_hint_init_attr *init_attr);
int mrc_destroy_qp_hint(struct mrc_qp_hint *qp_hint); /* EBUSY while a QP uses it */
int mrc_query_qp_hint(
    struct mrc_qp_hint *qp_hint, struct mrc_qp_hint_attr *qp_hint_attr, int qp_hint_attr_mask);
int mrc_modify_qp_hint(
    struct mrc_qp_hint *qp_hint, struct mrc_qp_hint_attr *qp_hint_attr, int qp_hint_attr_mask);

/* ---- queue pairs ----------------------------------------------------------------------------- */

struct mrc_qp_init_attr {
    void *qp_context;
    struct mrc_cq *send_cq;
    struct mrc_cq *recv_cq;
    struct ibv_qp_cap cap; /* requested values; replaced by those granted */
    int sq_sig_all;
    struct ibv_pd *pd;
    uint64_t send_ops_flags; /* enum ibv_qp_create_send_ops_flags */
    enum mrc_protocol_version protocol_version;
};

enum mrc_qp_attr_mask {
    MRC_QP_MAX_WIMM = 1 << 0,
    MRC_QP_MAX_WIMM_DEST = 1 << 1,
    MRC_QP_MPR = 1 << 2,
    MRC_QP_MPR_DEST = 1 << 3,
    MRC_QP_TIMEOUT = 1 << 4,
    MRC_QP_EV_PROFILE_ID = 1 << 5,
    MRC_QP_CC_PROFILE_ID = 1 << 6,
    MRC_QP_HINT = 1 << 7,
    MRC_QP_RETRY_CNT = 1 << 8,
    MRC_QP_CAP = 1 << 9,
    MRC_QP_VENDOR_CFG = (int)(1U << 31),
};

enum mrc_qp_cap {
    MRC_QP_CAP_TRIM_NACK_DEST_UNSUPPORTED = 1 << 0, /* the peer does not report trimmed packets */
    MRC_QP_CAP_DYNAMIC_MPR = 1 << 1,                /* both ends support it */
    MRC_QP_CAP_SVC_TIME_DEST_UNSUPPORTED = 1 << 2,
};

struct mrc_qp_attr {
    struct {
        uint8_t mpr;      /* packets in flight as requester, units of 128 PSNs */
        uint8_t mpr_dest; /* ... as responder */
    } mpr;
    struct {
        uint16_t max_wimm;
        uint16_t max_wimm_dest;
    } wimm;
    uint8_t timeout; /* 1.024 us * 2^timeout, at most 24 */
    struct {
        uint64_t ev_profile_id; /* 0: that of the device */
        uint64_t cc_profile_id; /* 0: automatic */
    } profile;
    struct {
        uint8_t linear_cnt; /* at most 7 */
        uint8_t exp_cnt;    /* at most 25, which means no limit */
    } retry;
    struct mrc_qp_hint *qp_hint; /* NULL: none */
    uint32_t cap;                /* enum mrc_qp_cap */
    uint8_t vendor_cfg[MRC_MAX_VENDOR_CFG_SIZE];
};

struct mrc_qp *mrc_create_qp(struct mrc_context *mrc_ctx, struct mrc_qp_init_attr *mrc_qp_attr);
int mrc_destroy_qp(struct mrc_qp *qp); /* as ibv_destroy_qp: 0 or an errno value */
/* As ibv_query_qp and ibv_modify_qp. With an empty mask, its structure may be NULL. */
int mrc_query_qp(struct mrc_qp *qp, struct ibv_qp_attr *vattr, int vattr_mask,
    struct mrc_qp_attr *mrc_attr, int mrc_attr_mask, struct mrc_qp_init_attr *init_attr);
int mrc_modify_qp(struct mrc_qp *qp, struct ibv_qp_attr *vattr, int vattr_mask,
    struct mrc_qp_attr *mrc_attr, int mrc_attr_mask);
int mrc_get_qpn(struct mrc_qp *qp, uint32_t *qpn);

/* ---- work ------------------------------------------------------------------------------------ */

/* Posts receive requests, one for each write with immediate that arrives. They need no buffer.
 * Returns 0 or -1. */
int mrc_post_recv(struct mrc_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr);
/* Posts IBV_WR_RDMA_WRITE and IBV_WR_RDMA_WRITE_WITH_IMM. Returns 0 or an errno value; the requests
 * before *bad_wr are posted. */
int mrc_post_send(struct mrc_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr);

/* ---- asynchronous events --------------------------------------------------------------------- */

struct mrc_async_event {
    union {
        struct mrc_cq *cq;
        struct mrc_qp *qp;
        int port_num;
    } element;
    enum ibv_event_type event_type;
};

/* Waits for an event, unless the descriptor is non-blocking. Each event must be acknowledged; its
 * object cannot be destroyed before. */
int mrc_get_async_event(struct mrc_context *mrc_ctx, struct mrc_async_event *event);
void mrc_ack_async_event(struct mrc_async_event *event);

#ifdef __cplusplus
}
#endif

#endif
