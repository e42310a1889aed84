/* SPDX-License-Identifier: Apache-2.0 */
/* The controller interface of MRC: ports, entropy value (EV) formats and profiles, congestion
 * control profiles, EV events, and probes of endpoints.
 *
 * Profiles and port states belong to the device: they outlive the program that sets them, and QPs
 * refer to them by id. To change them, the caller must own the device or have CAP_NET_ADMIN;
 * otherwise calls fail with EPERM. Unless stated otherwise, calls return 0, or -1 with errno.
 * Manual: mrc_api(7). */
#ifndef _MRC_CTL_API_H_
#define _MRC_CTL_API_H_

#include <stdint.h>

#include <infiniband/verbs.h>

#include "mrc.h"
#include "mrc_ctl_api_ver.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MRC_CTL_MAX_VENDOR_CFG_SIZE 128
#define MRC_CTL_EV_MAX_BYTES        32

/* ---- devices --------------------------------------------------------------------------------- */

enum mrc_ctl_protocol_version {
    MRC_CTL_PROTOCOL_VERSION_0 = 0,
    MRC_CTL_PROTOCOL_VERSION_1 = 1 << 0,
};

enum mrc_ctl_attr_opt { /* optional abilities of a device */
    MRC_CTL_OPT_CAP_EV_PROFILE_MODIFY_ONLINE = 1 << 0,
    MRC_CTL_OPT_CAP_CC_PROFILE_MODIFY_ONLINE = 1 << 1,
    MRC_CTL_OPT_CAP_EV_EVENT = 1 << 2,
    MRC_CTL_OPT_CAP_EV_EXPLICIT_RANGE = 1 << 3,
    MRC_CTL_OPT_CAP_EV_EVENT_PRECISE_DROP_CNT = 1 << 4,
    MRC_CTL_OPT_CAP_EP_OP_EV_PROBE = 1 << 5,
};

struct mrc_ctl_device_attr {
    uint32_t mrc_ctl_protocol_version; /* a set of enum mrc_ctl_protocol_version */
    struct {
        uint32_t ev_max_fmt_profiles;
        uint32_t ev_max_profiles;
        uint32_t ev_max_count; /* EVs of all profiles together */
        uint32_t ev_free_count;
        uint32_t ev_max_count_profile;
        uint32_t ev_count_align;    /* ev_count of an explicit profile is a multiple of it */
        uint32_t ev_max_width;      /* bits of an EV value */
        uint32_t ev_fmt_mode_mask;  /* enum mrc_ctl_ev_fmt_mode */
        uint32_t ev_mode_mask;      /* enum mrc_ctl_ev_mode */
        uint32_t ev_op_max_entries; /* entries of one call; 0: no limit */
    } ev;
    struct {
        uint32_t cc_max_profiles;
        const char **algorithms; /* ends with NULL; owned by the library */
    } cc;
    uint32_t phy_port_mask; /* bit N: port N, counted from 1 */
    uint32_t opt_attr;      /* enum mrc_ctl_attr_opt */
};

#if MRC_CTL_API_VER_USED >= MRC_CTL_API_VER(1, 0, 1)
int mrc_ctl_query_device_ex(struct ibv_context *context, struct mrc_context *mcontext,
    struct mrc_ctl_device_attr *ctl_attr, int *supported);
#endif
int mrc_ctl_query_device(struct ibv_context *context, struct mrc_ctl_device_attr *ctl_attr);
void mrc_ctl_query_version(uint32_t *current_version, uint32_t *last_supported_version,
    uint32_t *vendor_version, uint32_t *last_supported_vendor_version);

/* ---- ports ----------------------------------------------------------------------------------- */

enum mrc_ctl_port_admin_state {
    MRC_CTL_PORT_ADMIN_DISABLED,
    MRC_CTL_PORT_ADMIN_ENABLED,
};

enum mrc_ctl_port_attr_mask {
    MRC_CTL_PORT_ADMIN_STATE = 1 << 0,
};

struct mrc_ctl_port_attr {
    enum mrc_ctl_port_admin_state port_admin_state;
};

int mrc_ctl_query_port(
    struct mrc_context *context, uint8_t port_num, struct mrc_ctl_port_attr *attr, int attr_mask);
int mrc_ctl_modify_port(
    struct mrc_context *context, uint8_t port_num, struct mrc_ctl_port_attr *attr, int attr_mask);

/* ---- profiles -------------------------------------------------------------------------------- */

/* All three kinds of profiles are created by a first modify to OFFLINE and used in state ONLINE.
 * They are destroyed in the reverse order. */
enum mrc_ctl_profile_state {
    MRC_CTL_PROFILE_INIT,
    MRC_CTL_PROFILE_OFFLINE,
    MRC_CTL_PROFILE_ONLINE,
};

/* ---- EV formats: the fields of an expanded EV ------------------------------------------------ */

enum mrc_ctl_ev_fmt_mode {
    MRC_CTL_EV_FMT_MODE_STEV = 1 << 0, /* a structured EV of up to 32 bits */
    MRC_CTL_EV_FMT_MODE_SRV6 = 1 << 1, /* a destination address, with or without a segment */
    MRC_CTL_EV_FMT_MODE_UDP = 1 << 2,  /* a UDP source port */
};

enum mrc_ctl_ev_fmt_op {
    MRC_CTL_EV_FMT_OP_MODIFY_FIELDS,
    MRC_CTL_EV_FMT_OP_QUERY_FIELDS,
};

enum mrc_ctl_ev_fmt_profile_attr_mask {
    MRC_CTL_EV_FMT_PROFILE_STATE = 1 << 0,
    MRC_CTL_EV_FMT_PROFILE_CUR_STATE = 1 << 1,
    MRC_CTL_EV_FMT_PROFILE_MODE = 1 << 2,
    MRC_CTL_EV_FMT_PROFILE_OP = 1 << 3,
    MRC_CTL_EV_FMT_VENDOR_CFG = (int)(1U << 31),
};

struct mrc_ctl_ev_fmt_field {
    uint8_t width; /* bits */
};

struct mrc_ctl_ev_fmt_profile_attr {
    enum mrc_ctl_profile_state profile_state;
    enum mrc_ctl_profile_state cur_profile_state; /* if given, it must be the current state */
    enum mrc_ctl_ev_fmt_mode ev_fmt_mode;
    struct {
        enum mrc_ctl_ev_fmt_op op;
        struct mrc_ctl_ev_fmt_field *fmt_fields;
        int fmt_field_count; /* in a query: the room; set to the number, also with E2BIG */
    } ev_fmt_op;
    uint8_t vendor_cfg[MRC_CTL_MAX_VENDOR_CFG_SIZE];
};

int mrc_ctl_modify_ev_fmt_profile(struct mrc_context *mrc_ctx, uint64_t ev_fmt_profile_id,
    struct mrc_ctl_ev_fmt_profile_attr *attr, int attr_mask);
int mrc_ctl_query_ev_fmt_profile(struct mrc_context *mrc_ctx, uint64_t ev_fmt_profile_id,
    struct mrc_ctl_ev_fmt_profile_attr *attr, int attr_mask);

/* ---- EV profiles: the EVs that a QP may use -------------------------------------------------- */

/* A left-justified bit string: the first bit is the most significant of the first byte. */
typedef uint8_t mrc_ctl_ev_t[MRC_CTL_EV_MAX_BYTES];

struct mrc_ctl_ev {
    mrc_ctl_ev_t val;
    uint8_t port; /* from 1 */
};

/* The EV of an entry that is not populated. */
#ifdef __cplusplus
#define MRC_CTL_EV_UNPOPULATED (mrc_ctl_ev())
#else
#define MRC_CTL_EV_UNPOPULATED ((struct mrc_ctl_ev){ .val = { 0 }, .port = 0 })
#endif

enum mrc_ctl_ev_state {
    MRC_CTL_EV_GOOD = 1 << 0,
    MRC_CTL_EV_ASSUMED_BAD = 1 << 1,
    MRC_CTL_EV_DENIED = 1 << 2,
    MRC_CTL_EV_UNKNOWN = (int)(1U << 31),
};

enum mrc_ctl_ev_mode {
    MRC_CTL_EV_MODE_AUTO = 1 << 0, /* the device chooses them and does not disclose them */
    MRC_CTL_EV_MODE_EXP = 1 << 1,  /* the controller lists them */
    MRC_CTL_EV_MODE_GEN = 1 << 2,  /* the device draws them within the limits of the fields */
};

enum mrc_ctl_ev_op {
    MRC_CTL_EV_OP_REPLACE_EV,
    MRC_CTL_EV_OP_MODIFY_EV_STATE,
    MRC_CTL_EV_OP_QUERY_EV_STATE,
    MRC_CTL_EV_OP_QUERY_EV_ARRAY,
};

enum mrc_ctl_ev_op_flags {
    MRC_CTL_EV_OP_F_ALL_COPIES = 1 << 0, /* all entries with this EV, not only one */
};

enum mrc_ctl_ev_fields_op {
    MRC_CTL_EV_FIELDS_OP_MODIFY_FIELDS,
    MRC_CTL_EV_FIELDS_OP_QUERY_FIELDS,
};

enum mrc_ctl_ev_profile_attr_mask {
    MRC_CTL_EV_PROFILE_STATE = 1 << 0,
    MRC_CTL_EV_PROFILE_CUR_STATE = 1 << 1,
    MRC_CTL_EV_PROFILE_MODE = 1 << 2,
    MRC_CTL_EV_PROFILE_FMT_ID = 1 << 3,
    MRC_CTL_EV_PROFILE_COUNT = 1 << 4,
    MRC_CTL_EV_PROFILE_MIN_ACTIVE = 1 << 5,
    MRC_CTL_EV_PROFILE_EVENT_MASK = 1 << 6,
    MRC_CTL_EV_PROFILE_EV_OP = 1 << 7,
    MRC_CTL_EV_PROFILE_EV_FIELDS_OP = 1 << 8,
    MRC_CTL_EV_PROFILE_VENDOR_CFG = (int)(1U << 31),
};

/* How an EV fills one field of the format: its next bits replace the bits of init_val that are set
 * in `mask`, from the highest down. */
struct mrc_ctl_ev_field {
    uint32_t width;
    uint32_t init_val;
    uint32_t min_val; /* limits of the masked bits if the device draws them */
    uint32_t max_val; /* 0: no limit */
    uint32_t mask;
};

struct mrc_ctl_ev_op_entry {
    struct mrc_ctl_ev ev;
    struct mrc_ctl_ev ev_new; /* REPLACE_EV */
    enum mrc_ctl_ev_state state;
    uint32_t flags; /* enum mrc_ctl_ev_op_flags */
};

struct mrc_ctl_ev_profile_attr {
    enum mrc_ctl_profile_state profile_state;
    enum mrc_ctl_profile_state cur_profile_state;
    enum mrc_ctl_ev_mode ev_mode;
    uint64_t ev_fmt_profile_id;
    uint32_t ev_count;
    uint32_t ev_min_active; /* number of EVs that congestion leaves usable */
    int ev_event_mask;      /* enum mrc_ctl_ev_state: a change to one of these is an event */
    struct {
        enum mrc_ctl_ev_op op;
        struct mrc_ctl_ev_op_entry *entries;
        int entry_count; /* in a query: the room; set to the number, also with E2BIG */
    } ev_op;
    struct {
        enum mrc_ctl_ev_fields_op op;
        struct mrc_ctl_ev_field *fields;
        int field_count; /* in a query: as entry_count */
    } ev_fields_op;
    uint8_t vendor_cfg[MRC_CTL_MAX_VENDOR_CFG_SIZE];
};

/* Applies the entries in order. The first that fails ends the call; those before it remain in
 * effect. */
int mrc_ctl_modify_ev_profile(struct mrc_context *mrc_ctx, uint64_t ev_profile_id,
    struct mrc_ctl_ev_profile_attr *attr, int attr_mask);
int mrc_ctl_query_ev_profile(struct mrc_context *mrc_ctx, uint64_t ev_profile_id,
    struct mrc_ctl_ev_profile_attr *attr, int attr_mask);

/* ---- congestion control profiles ------------------------------------------------------------- */

enum mrc_ctl_cc_profile_attr_mask {
    MRC_CTL_CC_PROFILE_STATE = 1 << 0,
    MRC_CTL_CC_PROFILE_CUR_STATE = 1 << 1,
    MRC_CTL_CC_PROFILE_ALGORITHM = 1 << 2,
    MRC_CTL_CC_PROFILE_CONFIG = 1 << 3,
    MRC_CTL_CC_PROFILE_VENDOR_CFG = (int)(1U << 31),
};

struct mrc_ctl_cc_profile_attr {
    enum mrc_ctl_profile_state profile_state;
    enum mrc_ctl_profile_state cur_profile_state;
    const char *algorithm; /* NULL: no congestion control */
    const void *cc_config; /* of the algorithm; in a query: of the library, until the next one */
    uint8_t vendor_cfg[MRC_CTL_MAX_VENDOR_CFG_SIZE];
};

/* The configuration of "uet-1.0-nscc". The device derives members that are 0. */
struct mrc_ctl_cc_nscc_cfg {
    uint8_t disable_qa;
    uint32_t adjust_bytes_threshold;  /* bytes */
    uint32_t adjust_period_threshold; /* ns */
    uint32_t base_rtt;                /* ns */
    float eta;                        /* bytes */
    float fi;                         /* bytes */
    float fi_scale;
    float gamma;
    float max_md_jump;
    uint32_t max_cwnd; /* bytes */
    uint8_t qa_gate;
    uint32_t qa_threshold; /* ns */
    uint32_t target_delay; /* ns */
};

int mrc_ctl_modify_cc_profile(struct mrc_context *mrc_ctx, uint64_t cc_profile_id,
    struct mrc_ctl_cc_profile_attr *attr, int attr_mask);
int mrc_ctl_query_cc_profile(struct mrc_context *mrc_ctx, uint64_t cc_profile_id,
    struct mrc_ctl_cc_profile_attr *attr, int attr_mask);

/* ---- EV events ------------------------------------------------------------------------------- */

struct mrc_ctl_ev_event {
    uint64_t profile_id;
    struct mrc_ctl_ev ev;
    uint32_t drop_count; /* events lost since the previous one */
#if MRC_CTL_API_VER_USED >= MRC_CTL_API_VER(1, 0, 1)
    enum mrc_ctl_ev_state state;
#endif
};

/* Creates a queue for EV events. It does not overrun: events without room are counted. Use
 * mrc_destroy_cq() to destroy it. */
struct mrc_cq *mrc_ctl_create_ev_event_cq(struct mrc_context *mrc_ctx, int cqe, void *cq_context,
    struct mrc_comp_channel *channel, int comp_vector);

/* Returns the number of events written, or a negative errno value. Programs of an earlier version
 * have smaller entries and use another symbol. */
#if MRC_CTL_API_VER_USED >= MRC_CTL_API_VER(1, 0, 1)
int mrc_ctl_poll_ev_event(struct mrc_cq *ev_cq, int num_entries, struct mrc_ctl_ev_event *ev_event);
#else
int mrc_ctl_poll_ev_event(struct mrc_cq *ev_cq, int num_entries,
    struct mrc_ctl_ev_event *ev_event) __asm__("mrc_ctl_poll_ev_event_1_0_0");
#endif

/* ---- endpoints ------------------------------------------------------------------------------- */

enum mrc_ctl_ep_op_type {
    MRC_CTL_EP_OP_EV_PROBE,
    MRC_CTL_EP_OP_PORT_STATUS_UPDATE,
};

struct mrc_ctl_ep_req {
    uint16_t req_id; /* chosen by the caller; unique among outstanding requests */
    union ibv_gid sgid;
    union ibv_gid dgid;
    enum mrc_ctl_ev_fmt_mode ev_fmt_mode;
    struct mrc_ctl_ev req_ev; /* expanded, as packets carry it */
    union {
        struct {
            uint32_t port_status; /* bit N: port N, counted from 1, is reachable */
        } port_status_update;
    } op;
};

struct mrc_ctl_ep_rsp {
    uint16_t req_id;
    uint8_t port;
    unsigned int rtt;     /* ns */
    uint8_t adj_svc_time; /* the peer has subtracted its hold time from rtt */
};

/* Sends all requests and waits for the answers, at most `rsp_timeout` ns. Answers are in the order
 * of their arrival; *num_rsp is their number, also after ETIMEDOUT. `req_tc` is the DSCP of the
 * requests. */
int mrc_ctl_ep_batch_send_wait(struct mrc_context *mrc_ctx, uint8_t req_tc,
    enum mrc_ctl_ep_op_type op_type, struct mrc_ctl_ep_req *req, int num_req, uint32_t rsp_timeout,
    struct mrc_ctl_ep_rsp *rsp, int *num_rsp);

#ifdef __cplusplus
}
#endif

#endif
