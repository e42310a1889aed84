/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of EV events and of probes of endpoints. */
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "conform/api_peer.h"
#include "conform/api_profile.h"
#include "conform/api_suite.h"

enum { PROBES = 8, PROBE_TIMEOUT_MS = 300, CONTROL_DSCP = 46 };

/* ---- EV events ------------------------------------------------------------------------------- */

static struct mrc_cq *make_events(struct api_side *side, int cqe, struct mrc_comp_channel *channel)
{
    struct mrc_cq *cq = API(side->run, ctl_create_ev_event_cq)(side->mrc, cqe, side, channel, 0);

    if (!cq && errno == EPERM)
        api_run_skip(side->run, "the controller needs CAP_NET_ADMIN");
    api_run_must(side->run, cq, "mrc_ctl_create_ev_event_cq: %s", strerror(errno));
    return cq;
}

void api_suite_events(struct api_run *run)
{
    struct mrc_ctl_ev_event event;
    struct mrc_cq *events;
    struct mrc_cq *cq;
    struct api_side side;
    struct ibv_wc wc;

    api_side_open(&side, run, run->device);
    events = make_events(&side, 16, NULL);
    api_run_expect(run, API(run, ctl_poll_ev_event)(events, 1, &event) == 0,
        "a new queue of EV events is not empty");
    api_run_ends(run, api_run_error_minus(API(run, poll_cq)(events, 1, &wc)), EINVAL,
        "mrc_poll_cq of a queue of EV events");
    cq = API(run, create_cq)(side.mrc, 1, NULL, NULL, 0);
    api_run_must(run, cq, "mrc_create_cq: %s", strerror(errno));
    api_run_expect(run, API(run, ctl_poll_ev_event)(cq, 1, &event) == -EINVAL,
        "mrc_ctl_poll_ev_event of a completion queue does not return -EINVAL");
    api_run_ends(run,
        api_run_error_null(API(run, ctl_create_ev_event_cq)(side.mrc, 0, NULL, NULL, 0)), EINVAL,
        "mrc_ctl_create_ev_event_cq of 0 entries");
    API(run, destroy_cq)(cq);
    api_run_ends(run, api_run_error_number(API(run, destroy_cq)(events)), 0,
        "mrc_destroy_cq of a queue of EV events");
    api_side_close(&side);
}

static void write_once(struct api_side *side)
{
    struct api_run *run = side->run;
    struct api_write write = {
        .bytes = 100000, .remote = run->peer->card.address, .rkey = run->peer->card.rkey
    };

    api_run_must(run, api_side_write(side, &write) == 0, "mrc_post_send fails");
    api_side_succeed(side, side->send_cq);
}

static bool is_ours(struct api_side *side, const struct mrc_ctl_ev *ev)
{
    for (uint32_t i = 0; i < API_PROFILE_EVS; i++) {
        struct mrc_ctl_ev own = api_profile_ev_of(side, i);

        if (memcmp(&own, ev, sizeof(own)) == 0)
            return true;
    }
    return false;
}

/* Traffic until an event of port 2 is there: its plane loses all packets. */
static void wait_for_bad(struct api_side *side, struct mrc_cq *events)
{
    struct api_run *run = side->run;
    struct api_wait wait = api_run_wait(run);
    struct mrc_ctl_ev_event event = { .profile_id = 0 };

    while (event.ev.port != 2) {
        int count;

        write_once(side);
        memset(&event, 0, sizeof(event));
        count = API(run, ctl_poll_ev_event)(events, 1, &event);
        api_run_must(run, count >= 0, "mrc_ctl_poll_ev_event returns %d", count);
        if (count > 0) {
            api_run_expect(run, event.profile_id == API_PROFILE_EV,
                "an event names the profile 0x%lx", (unsigned long)event.profile_id);
            api_run_expect(run, is_ours(side, &event.ev), "an event names an unknown EV");
            api_run_expect(run,
                event.state == MRC_CTL_EV_ASSUMED_BAD || event.state == MRC_CTL_EV_GOOD,
                "an event has the state 0x%x", (unsigned int)event.state);
            api_run_expect(run, event.drop_count == 0, "drop_count is %u", event.drop_count);
        } else if (!api_run_goes_on(&wait)) {
            api_run_silent(run, "no event of the EVs that lose all packets");
        }
        api_run_must(run, !run->has_failed, "the events are wrong");
    }
    api_run_expect(run, event.state == MRC_CTL_EV_ASSUMED_BAD,
        "the event of an EV that loses all packets has the state 0x%x", (unsigned int)event.state);
}

/* The queue was armed before its first event. */
static void expect_channel_event(
    struct api_run *run, struct mrc_comp_channel *channel, struct mrc_cq *events)
{
    struct pollfd ready = { .fd = -1, .events = POLLIN };
    struct mrc_cq *cq = NULL;
    void *context;

    api_run_must(run, API(run, get_comp_channel_fd)(channel, &ready.fd) == 0,
        "mrc_get_comp_channel_fd: %s", strerror(errno));
    if (poll(&ready, 1, (int)run->patience_ms) != 1)
        api_run_silent(run, "EV events do not make the descriptor of their channel readable");
    api_run_must(run, API(run, get_cq_event)(channel, &cq, &context) == 0 && cq == events,
        "mrc_get_cq_event does not return the queue of EV events");
    API(run, ack_cq_events)(cq, 1);
}

/* Programs built before 1.0.1 have entries of 48 bytes, which end before `state`. */
static void read_event_bytes(struct api_run *run, struct mrc_cq *old_events)
{
    struct mrc_ctl_ev_event event;
    const uint8_t *state = (const uint8_t *)&event.state;

    memset(&event, 0xee, sizeof(event));
    if (API(run, ctl_poll_ev_event)(old_events, 1, &event) != 1)
        return;
    api_run_reading(run, API_POINT_EVENT_BYTES, "%s bytes", *state == 0xee ? "48" : "56");
}

void api_suite_events_bad(struct api_run *run)
{
    struct mrc_qp_attr attr = { .profile.ev_profile_id = API_PROFILE_EV };
    struct mrc_context_attr old = { .mrc_api_version_used = MRC_API_VER(1, 0, 0) };
    struct api_side side;
    struct api_side old_side;
    struct mrc_comp_channel *channel = NULL;
    struct mrc_cq *events;
    struct mrc_cq *old_events;

    if (!run->is_private)
        api_run_skip(run, "this kit cannot make an EV of this device fail");
    run->device = "mrc2";
    run->peer->wants.device = "mrc3";
    api_profile_open(&side, run);
    api_profile_make_fmt(&side);
    api_profile_make_ev(&side);
    api_profile_populate(&side);
    api_run_ends(run, api_profile_ev_state(&side, MRC_CTL_PROFILE_ONLINE), 0, "the step to ONLINE");
    api_run_must(run, API(run, create_comp_channel)(side.mrc, &channel) == 0,
        "mrc_create_comp_channel: %s", strerror(errno));
    events = make_events(&side, 64, channel);
    api_run_must(run, API(run, req_notify_cq)(events, 0) == 0,
        "mrc_req_notify_cq of a queue of EV events: %s", strerror(errno));
    old_side = side;
    old_side.mrc = API(run, create_context)(side.verbs, &old);
    api_run_must(run, old_side.mrc, "mrc_create_context for 1.0.0: %s", strerror(errno));
    old_events = make_events(&old_side, 64, NULL);
    api_peer_join(run, &side, NULL, &attr, MRC_QP_EV_PROFILE_ID);
    wait_for_bad(&side, events);
    expect_channel_event(run, channel, events);
    read_event_bytes(run, old_events);
}

/* ---- probes ---------------------------------------------------------------------------------- */

static struct mrc_ctl_ep_req request_of(struct api_side *side, const union ibv_gid *to, uint16_t id)
{
    struct mrc_ctl_ep_req request = { .req_id = id,
        .dgid = *to,
        .ev_fmt_mode = MRC_CTL_EV_FMT_MODE_UDP,
        .req_ev = api_profile_ev_of(side, id) };

    if (side->run->path) {
        request.ev_fmt_mode = MRC_CTL_EV_FMT_MODE_SRV6;
        request.req_ev = (struct mrc_ctl_ev){ .port = 1 };
        memcpy(request.req_ev.val, side->run->path, 16);
    }
    api_run_must(side->run,
        VERB(side->run, query_gid)(side->verbs, 1, side->run->gid_index, &request.sgid) == 0,
        "the device has no GID %d", side->run->gid_index);
    return request;
}

static int send_probes(struct api_side *side, struct mrc_ctl_ep_req *requests, int count,
    struct mrc_ctl_ep_rsp *answers, int *answer_count)
{
    uint32_t timeout_ns = UINT32_C(1000000) * PROBE_TIMEOUT_MS;
    int err = api_run_error_minus(API(side->run, ctl_ep_batch_send_wait)(side->mrc, CONTROL_DSCP,
        MRC_CTL_EP_OP_EV_PROBE, requests, count, timeout_ns, answers, answer_count));

    if (err == EPERM)
        api_run_skip(side->run, "the controller needs CAP_NET_ADMIN");
    return err;
}

static void judge_answers(
    struct api_run *run, const struct mrc_ctl_ep_req *requests, struct mrc_ctl_ep_rsp *answers)
{
    uint32_t seen = 0;

    for (int i = 0; i < PROBES; i++) {
        int number = answers[i].req_id - requests[0].req_id;

        api_run_must(
            run, number >= 0 && number < PROBES, "an answer has the id %u", answers[i].req_id);
        api_run_expect(run, !(seen >> number & 1), "two answers have the id %u", answers[i].req_id);
        api_run_expect(run, answers[i].rtt > 0, "the round trip of an answer is 0");
        seen |= 1u << number;
    }
}

/* A probe may get lost, which no protocol repeats: the batch is sent again. */
void api_suite_probe(struct api_run *run)
{
    struct api_wait wait = api_run_wait(run);
    struct mrc_ctl_ep_req requests[PROBES];
    struct mrc_ctl_ep_rsp answers[PROBES];
    struct api_side side = { .run = NULL };
    int answer_count = -1;
    int err;

    api_peer_join(run, &side, NULL, NULL, 0);
    for (uint32_t i = 0; i < PROBES; i++)
        requests[i] = request_of(&side, &run->peer->card.gid, (uint16_t)(100 + i));
    do
        err = send_probes(&side, requests, PROBES, answers, &answer_count);
    while (err == ETIMEDOUT && api_run_goes_on(&wait));
    api_run_ends(run, err, 0, "mrc_ctl_ep_batch_send_wait to the peer");
    api_run_must(
        run, err != 0 || answer_count == PROBES, "%d answers to %d probes", answer_count, PROBES);
    if (err == 0)
        judge_answers(run, requests, answers);
    api_side_close(&side);
}

void api_suite_probe_timeout(struct api_run *run)
{
    struct mrc_ctl_ep_req requests[2];
    struct mrc_ctl_ep_rsp answers[2];
    struct api_side side = { .run = NULL };
    union ibv_gid unassigned;
    int answer_count = -1;

    api_peer_join(run, &side, NULL, NULL, 0);
    unassigned = run->peer->card.gid;
    unassigned.raw[15] ^= 0x55;
    requests[0] = request_of(&side, &run->peer->card.gid, 5);
    requests[1] = request_of(&side, &unassigned, 6);
    api_run_ends(run, send_probes(&side, requests, 2, answers, &answer_count), ETIMEDOUT,
        "probes of the peer and of an address without endpoint");
    api_run_expect(run, answer_count == 0 || (answer_count == 1 && answers[0].req_id == 5),
        "%d answers, the first with id %u", answer_count, answers[0].req_id);
    api_side_close(&side);
}

static void read_port_status(struct api_side *side, struct mrc_ctl_ep_req *request)
{
    struct mrc_ctl_ep_rsp answer;
    int answer_count = 0;
    int err;

    request->op.port_status_update.port_status = 0x2;
    err = api_run_error_minus(API(side->run, ctl_ep_batch_send_wait)(side->mrc, CONTROL_DSCP,
        MRC_CTL_EP_OP_PORT_STATUS_UPDATE, request, 1, 1000000, &answer, &answer_count));
    api_run_reading(side->run, API_POINT_PORT_STATUS_UPDATE, "%s",
        err == ENOTSUP ? "refused with ENOTSUP" : api_run_error_text(err));
}

void api_suite_probe_arguments(struct api_run *run)
{
    struct mrc_ctl_ep_req requests[2];
    struct mrc_ctl_ep_rsp answers[2];
    union ibv_gid unassigned = { .raw = { 0x20, 1, 0xd, 0xb8, [15] = 0x77 } };
    struct api_side side;
    int answer_count;

    api_side_open(&side, run, run->device);
    requests[0] = requests[1] = request_of(&side, &unassigned, 1);
    api_run_ends(run, send_probes(&side, requests, 2, answers, &answer_count), EINVAL,
        "two requests with one id");
    api_run_ends(
        run, send_probes(&side, requests, 0, answers, &answer_count), EINVAL, "no request");
    requests[0].req_ev.port = 99;
    api_run_ends(run, send_probes(&side, requests, 1, answers, &answer_count), EINVAL,
        "a port that does not exist");
    requests[0] = request_of(&side, &unassigned, 1);
    requests[0].ev_fmt_mode = (enum mrc_ctl_ev_fmt_mode)(1 << 6);
    api_run_ends(
        run, send_probes(&side, requests, 1, answers, &answer_count), EINVAL, "an unknown mode");
    requests[0] = request_of(&side, &unassigned, 1);
    requests[0].sgid.raw[15] ^= 0x55;
    api_run_ends(run, send_probes(&side, requests, 1, answers, &answer_count), EINVAL,
        "another source than the device");
    requests[0] = request_of(&side, &unassigned, 1);
    read_port_status(&side, &requests[0]);
    api_side_close(&side);
}
