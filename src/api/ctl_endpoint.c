/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to endpoints: sends them as fast as the NIC takes them, and collects answers until all
 * have arrived or the time is over. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "api/api_objects.h"
#include "api/error.h"
#include "base/bytes.h"
#include "mrc_ctl.h"

#define ANSWERS  16
#define NOT_SENT UINT32_MAX

struct batch {
    struct host_nic *nic;
    const struct host_config *config;
    const struct mrc_ctl_ep_req *requests;
    uint32_t request_count;
    uint32_t *wire_ids; /* of each request, or NOT_SENT */
    uint32_t sent_count;
    enum dscp_class class;
    struct mrc_ctl_ep_rsp *answers;
    uint32_t answer_count;
};

static bool has_segment(const struct mrc_ctl_ev *ev)
{
    static const uint8_t none[16];

    return memcmp(ev->val + 16, none, sizeof(none)) != 0;
}

static void to_probe(
    const struct batch *batch, const struct mrc_ctl_ep_req *request, struct host_probe *probe)
{
    const struct mrc_ctl_ev *ev = &request->req_ev;
    struct ev_fields fields = { .source_port = (uint16_t)(ev->val[0] << 8 | ev->val[1]) };

    *probe = (struct host_probe){ .port = ev->port - 1u, .class = batch->class };
    memcpy(probe->dst.octets, request->dgid.raw, sizeof(probe->dst.octets));
    if (request->ev_fmt_mode == MRC_CTL_EV_FMT_MODE_UDP)
        probe->ev = ev_join(&batch->config->format, fields);
    else if (request->ev_fmt_mode == MRC_CTL_EV_FMT_MODE_STEV)
        probe->ev = bytes_get_be32(ev->val);
    else {
        probe->ev = probe->port << 16 | request->req_id;
        probe->address_count = has_segment(ev) ? 2 : 1;
        memcpy(probe->addresses.destination.octets, ev->val, 16);
        memcpy(probe->addresses.segment.octets, ev->val + 16, 16);
    }
}

static int check_request(const struct batch *batch, uint32_t index)
{
    const struct mrc_ctl_ep_req *request = &batch->requests[index];
    uint32_t mode = (uint32_t)request->ev_fmt_mode;

    if (memcmp(request->sgid.raw, batch->config->address.octets, 16) != 0)
        return -EINVAL;
    if (mode != MRC_CTL_EV_FMT_MODE_UDP && mode != MRC_CTL_EV_FMT_MODE_STEV &&
        mode != MRC_CTL_EV_FMT_MODE_SRV6)
        return -EINVAL;
    if (request->req_ev.port == 0 || request->req_ev.port > batch->config->port_count)
        return -EINVAL;
    for (uint32_t i = 0; i < index; i++)
        if (batch->requests[i].req_id == request->req_id)
            return -EINVAL;
    return 0;
}

/* Sends as many as the NIC has room for. */
static int send_some(struct batch *batch)
{
    while (batch->sent_count < batch->request_count) {
        struct host_probe probe;
        uint16_t wire_id;
        int err;

        to_probe(batch, &batch->requests[batch->sent_count], &probe);
        err = host_probe_send(batch->nic, &probe, &wire_id);
        if (err == -EAGAIN)
            return batch->sent_count == batch->answer_count ? -EAGAIN : 0;
        if (err)
            return err;
        batch->wire_ids[batch->sent_count++] = wire_id;
    }
    return 0;
}

/* Ignores answers to earlier batches that timed out. */
static void take_answer(struct batch *batch, const struct host_probe_answer *answer)
{
    for (uint32_t i = 0; i < batch->sent_count; i++)
        if (batch->wire_ids[i] == answer->request_id) {
            batch->wire_ids[i] = NOT_SENT;
            batch->answers[batch->answer_count++] =
                (struct mrc_ctl_ep_rsp){ .req_id = batch->requests[i].req_id,
                    .port = (uint8_t)(answer->port + 1),
                    .rtt =
                        answer->rtt_ns < UINT32_MAX ? (unsigned int)answer->rtt_ns : UINT32_MAX };
            return;
        }
}

static uint32_t take_answers(struct batch *batch)
{
    struct host_probe_answer answers[ANSWERS];
    uint32_t count = host_probe_answers(batch->nic, answers, ANSWERS);

    for (uint32_t i = 0; i < count; i++)
        take_answer(batch, &answers[i]);
    return count;
}

static int run_batch(struct batch *batch, uint64_t timeout_ns)
{
    uint64_t deadline_ns = host_now_ns() + timeout_ns;

    while (take_answers(batch))
        ;
    while (batch->answer_count < batch->request_count) {
        int err = send_some(batch);

        if (err && err != -EAGAIN)
            return err;
        host_progress(batch->nic);
        if (take_answers(batch))
            continue;
        if (host_now_ns() >= deadline_ns)
            return err == -EAGAIN ? -EAGAIN : -ETIMEDOUT;
        sched_yield();
    }
    return 0;
}

static int run_alone(struct device *device, struct batch *batch, uint64_t timeout_ns)
{
    int err;

    if (pthread_mutex_trylock(&device->probing) != 0)
        return -EAGAIN;
    batch->wire_ids = calloc(batch->request_count, sizeof(*batch->wire_ids));
    err = batch->wire_ids ? run_batch(batch, timeout_ns) : -ENOMEM;
    free(batch->wire_ids);
    pthread_mutex_unlock(&device->probing);
    return err;
}

static int check_batch(
    struct device *device, uint8_t req_tc, enum mrc_ctl_ep_op_type op_type, struct batch *batch)
{
    int err = 0;

    if (op_type == MRC_CTL_EP_OP_PORT_STATUS_UPDATE)
        return -ENOTSUP; /* the transport sends these itself when a port goes down or comes up */
    batch->config = &device->description.host;
    batch->class = format_dscp_class(&batch->config->format, req_tc);
    if (op_type != MRC_CTL_EP_OP_EV_PROBE || batch->class == DSCP_OTHER ||
        dscp_is_trimmed(batch->class))
        return -EINVAL;
    for (uint32_t i = 0; !err && i < batch->request_count; i++)
        err = check_request(batch, i);
    return err ? err : folder_check_privilege(&device->store.folder);
}

int mrc_ctl_ep_batch_send_wait(struct mrc_context *mrc_ctx, uint8_t req_tc,
    enum mrc_ctl_ep_op_type op_type, struct mrc_ctl_ep_req *req, int num_req, uint32_t rsp_timeout,
    struct mrc_ctl_ep_rsp *rsp, int *num_rsp)
{
    struct batch batch = { .requests = req, .answers = rsp };
    int err;

    if (!mrc_ctx || !req || num_req <= 0 || num_req > UINT16_MAX || !rsp || !num_rsp)
        return error_minus_one(-EINVAL);
    batch.request_count = (uint32_t)num_req;
    *num_rsp = 0;
    err = check_batch(mrc_ctx->device, req_tc, op_type, &batch);
    if (!err)
        err = device_claim(mrc_ctx->device, &batch.nic);
    if (err == -EBUSY)
        err = -EAGAIN; /* another process owns the NIC */
    if (!err)
        err = run_alone(mrc_ctx->device, &batch, rsp_timeout);
    *num_rsp = (int)batch.answer_count;
    return error_minus_one(err);
}
