/* SPDX-License-Identifier: Apache-2.0 */
/* A program that names every call of mrc.h and mrc_ctl.h with its exact type, as C and as C++; run
 * without a device, it says so. */
#include <mrc.h>
#include <mrc_ctl.h>
#include <stdio.h>

/* A function pointer of the right type for each: other signatures do not compile. */
static int (*const query_device_ex)(struct ibv_context *, struct mrc_context *,
    struct mrc_device_attr *, int *) = mrc_query_device_ex;
static int (*const query_device)(
    struct ibv_context *, struct mrc_device_attr *, int *) = mrc_query_device;
static void (*const query_version)(
    uint32_t *, uint32_t *, uint32_t *, uint32_t *) = mrc_query_version;
static struct mrc_context *(*const create_context)(
    struct ibv_context *, struct mrc_context_attr *) = mrc_create_context;
static int (*const destroy_context)(struct mrc_context *) = mrc_destroy_context;
static int (*const create_comp_channel)(
    struct mrc_context *, struct mrc_comp_channel **) = mrc_create_comp_channel;
static int (*const get_comp_channel_fd)(struct mrc_comp_channel *, int *) = mrc_get_comp_channel_fd;
static int (*const destroy_comp_channel)(struct mrc_comp_channel *) = mrc_destroy_comp_channel;
static struct mrc_cq *(*const create_cq)(
    struct mrc_context *, int, void *, struct mrc_comp_channel *, int) = mrc_create_cq;
static int (*const poll_cq)(struct mrc_cq *, int, struct ibv_wc *) = mrc_poll_cq;
static int (*const destroy_cq)(struct mrc_cq *) = mrc_destroy_cq;
static struct mrc_qp_hint *(*const create_qp_hint)(
    struct mrc_context *, struct mrc_qp_hint_init_attr *) = mrc_create_qp_hint;
static int (*const destroy_qp_hint)(struct mrc_qp_hint *) = mrc_destroy_qp_hint;
static int (*const query_qp_hint)(
    struct mrc_qp_hint *, struct mrc_qp_hint_attr *, int) = mrc_query_qp_hint;
static int (*const modify_qp_hint)(
    struct mrc_qp_hint *, struct mrc_qp_hint_attr *, int) = mrc_modify_qp_hint;
static struct mrc_qp *(*const create_qp)(
    struct mrc_context *, struct mrc_qp_init_attr *) = mrc_create_qp;
static int (*const destroy_qp)(struct mrc_qp *) = mrc_destroy_qp;
static int (*const query_qp)(struct mrc_qp *, struct ibv_qp_attr *, int, struct mrc_qp_attr *, int,
    struct mrc_qp_init_attr *) = mrc_query_qp;
static int (*const modify_qp)(
    struct mrc_qp *, struct ibv_qp_attr *, int, struct mrc_qp_attr *, int) = mrc_modify_qp;
static int (*const get_qpn)(struct mrc_qp *, uint32_t *) = mrc_get_qpn;
static int (*const post_recv)(
    struct mrc_qp *, struct ibv_recv_wr *, struct ibv_recv_wr **) = mrc_post_recv;
static int (*const post_send)(
    struct mrc_qp *, struct ibv_send_wr *, struct ibv_send_wr **) = mrc_post_send;
static int (*const get_async_event)(
    struct mrc_context *, struct mrc_async_event *) = mrc_get_async_event;
static void (*const ack_async_event)(struct mrc_async_event *) = mrc_ack_async_event;
static int (*const req_notify_cq)(struct mrc_cq *, int) = mrc_req_notify_cq;
static int (*const get_cq_event)(
    struct mrc_comp_channel *, struct mrc_cq **, void **) = mrc_get_cq_event;
static void (*const ack_cq_events)(struct mrc_cq *, unsigned int) = mrc_ack_cq_events;

static int (*const ctl_query_device_ex)(struct ibv_context *, struct mrc_context *,
    struct mrc_ctl_device_attr *, int *) = mrc_ctl_query_device_ex;
static int (*const ctl_query_device)(
    struct ibv_context *, struct mrc_ctl_device_attr *) = mrc_ctl_query_device;
static void (*const ctl_query_version)(
    uint32_t *, uint32_t *, uint32_t *, uint32_t *) = mrc_ctl_query_version;
static int (*const ctl_query_port)(
    struct mrc_context *, uint8_t, struct mrc_ctl_port_attr *, int) = mrc_ctl_query_port;
static int (*const ctl_modify_port)(
    struct mrc_context *, uint8_t, struct mrc_ctl_port_attr *, int) = mrc_ctl_modify_port;
static int (*const ctl_modify_ev_fmt_profile)(struct mrc_context *, uint64_t,
    struct mrc_ctl_ev_fmt_profile_attr *, int) = mrc_ctl_modify_ev_fmt_profile;
static int (*const ctl_query_ev_fmt_profile)(struct mrc_context *, uint64_t,
    struct mrc_ctl_ev_fmt_profile_attr *, int) = mrc_ctl_query_ev_fmt_profile;
static int (*const ctl_modify_ev_profile)(struct mrc_context *, uint64_t,
    struct mrc_ctl_ev_profile_attr *, int) = mrc_ctl_modify_ev_profile;
static int (*const ctl_query_ev_profile)(struct mrc_context *, uint64_t,
    struct mrc_ctl_ev_profile_attr *, int) = mrc_ctl_query_ev_profile;
static int (*const ctl_modify_cc_profile)(struct mrc_context *, uint64_t,
    struct mrc_ctl_cc_profile_attr *, int) = mrc_ctl_modify_cc_profile;
static int (*const ctl_query_cc_profile)(struct mrc_context *, uint64_t,
    struct mrc_ctl_cc_profile_attr *, int) = mrc_ctl_query_cc_profile;
static struct mrc_cq *(*const ctl_create_ev_event_cq)(
    struct mrc_context *, int, void *, struct mrc_comp_channel *, int) = mrc_ctl_create_ev_event_cq;
static int (*const ctl_poll_ev_event)(
    struct mrc_cq *, int, struct mrc_ctl_ev_event *) = mrc_ctl_poll_ev_event;
static int (*const ctl_ep_batch_send_wait)(struct mrc_context *, uint8_t, enum mrc_ctl_ep_op_type,
    struct mrc_ctl_ep_req *, int, uint32_t, struct mrc_ctl_ep_rsp *,
    int *) = mrc_ctl_ep_batch_send_wait;

#define LINKED(call) ((call) != NULL)

int main(void)
{
    struct mrc_ctl_ev ev = MRC_CTL_EV_UNPOPULATED;
    uint32_t current = 0;
    const int linked[] = { LINKED(query_device_ex), LINKED(query_device), LINKED(query_version),
        LINKED(create_context), LINKED(destroy_context), LINKED(create_comp_channel),
        LINKED(get_comp_channel_fd), LINKED(destroy_comp_channel), LINKED(create_cq),
        LINKED(poll_cq), LINKED(destroy_cq), LINKED(create_qp_hint), LINKED(destroy_qp_hint),
        LINKED(query_qp_hint), LINKED(modify_qp_hint), LINKED(create_qp), LINKED(destroy_qp),
        LINKED(query_qp), LINKED(modify_qp), LINKED(get_qpn), LINKED(post_recv), LINKED(post_send),
        LINKED(get_async_event), LINKED(ack_async_event), LINKED(req_notify_cq),
        LINKED(get_cq_event), LINKED(ack_cq_events), LINKED(ctl_query_device_ex),
        LINKED(ctl_query_device), LINKED(ctl_query_version), LINKED(ctl_query_port),
        LINKED(ctl_modify_port), LINKED(ctl_modify_ev_fmt_profile),
        LINKED(ctl_query_ev_fmt_profile), LINKED(ctl_modify_ev_profile),
        LINKED(ctl_query_ev_profile), LINKED(ctl_modify_cc_profile), LINKED(ctl_query_cc_profile),
        LINKED(ctl_create_ev_event_cq), LINKED(ctl_poll_ev_event), LINKED(ctl_ep_batch_send_wait) };
    int count = 0;

    for (unsigned int i = 0; i < sizeof(linked) / sizeof(linked[0]); i++)
        count += linked[i];
    mrc_query_version(&current, NULL, NULL, NULL);
    printf("%d calls, version %x, context %s, ev port %u\n", count, (unsigned int)current,
        mrc_create_context(NULL, NULL) ? "?" : "none", (unsigned int)ev.port);
    return 0;
}
