/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of completion queues. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "conform/api_events.h"
#include "conform/api_peer.h"
#include "conform/api_suite.h"

static void must_destroy_cq(struct api_side *side, struct mrc_cq *cq)
{
    int err = api_run_error_number(API(side->run, destroy_cq)(cq));

    api_run_must(side->run, err == 0, "mrc_destroy_cq: %s", api_run_error_text(err));
}

void api_suite_cq(struct api_run *run)
{
    struct api_side side;
    struct ibv_wc wc[4];
    struct mrc_cq *cq;

    api_side_open(&side, run, run->device);
    for (int cqe = 1; cqe <= 1024; cqe *= 32) {
        cq = API(run, create_cq)(side.mrc, cqe, &side, NULL, 0);
        api_run_must(run, cq, "mrc_create_cq of %d entries: %s", cqe, strerror(errno));
        api_run_expect(run, API(run, poll_cq)(cq, 4, wc) == 0, "a new queue is not empty");
        api_run_expect(run, API(run, poll_cq)(cq, 0, NULL) == 0, "a poll for no entry fails");
        must_destroy_cq(&side, cq);
    }
    api_side_close(&side);
}

static void expect_refused(struct api_side *side, int cqe, int vector, const char *what)
{
    struct mrc_cq *cq = API(side->run, create_cq)(side->mrc, cqe, NULL, NULL, vector);

    api_run_ends(side->run, api_run_error_null(cq), EINVAL, what);
    if (cq)
        must_destroy_cq(side, cq);
}

void api_suite_cq_arguments(struct api_run *run)
{
    struct ibv_device_attr attr = { .max_cqe = 0 };
    struct api_side side;

    api_side_open(&side, run, run->device);
    expect_refused(&side, 0, 0, "mrc_create_cq of 0 entries");
    expect_refused(&side, -1, 0, "mrc_create_cq of -1 entries");
    expect_refused(&side, 1, -1, "mrc_create_cq with vector -1");
    expect_refused(
        &side, 1, side.verbs->num_comp_vectors, "mrc_create_cq with vector num_comp_vectors");
    api_run_must(run, VERB(run, query_device)(side.verbs, &attr) == 0, "ibv_query_device fails");
    if (attr.max_cqe > 0 && attr.max_cqe < INT_MAX)
        expect_refused(&side, attr.max_cqe + 1, 0, "mrc_create_cq of max_cqe + 1 entries");
    api_side_close(&side);
}

void api_suite_cq_busy(struct api_run *run)
{
    struct api_side side;

    api_side_open(&side, run, run->device);
    api_side_make(&side, &(struct api_side_wants){ .depth = 1 });
    api_run_ends(run, api_run_error_number(API(run, destroy_cq)(side.send_cq)), EBUSY,
        "mrc_destroy_cq of the send queue of a QP");
    api_run_ends(run, api_run_error_number(API(run, destroy_cq)(side.recv_cq)), EBUSY,
        "mrc_destroy_cq of the receive queue of a QP");
    if (!run->has_failed)
        api_side_close(&side);
}

void api_suite_cq_null(struct api_run *run)
{
    struct ibv_wc wc;

    api_run_ends(run, api_run_error_null(API(run, create_cq)(NULL, 1, NULL, NULL, 0)), EINVAL,
        "mrc_create_cq of no context");
    api_run_ends(run, api_run_error_minus(API(run, poll_cq)(NULL, 1, &wc)), EINVAL,
        "mrc_poll_cq of no queue");
    api_run_ends(run, api_run_error_number(API(run, destroy_cq)(NULL)), EINVAL,
        "mrc_destroy_cq of no queue");
    api_run_ends(run, api_run_error_number(API(run, req_notify_cq)(NULL, 0)), EINVAL,
        "mrc_req_notify_cq of no queue");
}

/* Writes of no bytes, which leave completions. */
static void write_nothing(struct api_side *side, uint32_t count)
{
    struct api_run *run = side->run;

    for (uint32_t i = 0; i < count; i++) {
        struct api_write write = {
            .id = i, .remote = run->peer->card.address, .rkey = run->peer->card.rkey
        };
        int err = api_side_write(side, &write);

        api_run_must(run, err == 0, "mrc_post_send: %s", api_run_error_text(err));
    }
}

void api_suite_cq_poll(struct api_run *run)
{
    struct api_wait wait = api_run_wait(run);
    struct api_side side = { .run = NULL };
    struct ibv_wc wc[8];
    uint64_t expected = 0;

    api_peer_join(run, &side, NULL, NULL, 0);
    write_nothing(&side, 20);
    while (expected < 20) {
        int count = API(run, poll_cq)(side.send_cq, 3, wc);

        api_run_must(run, count >= 0 && count <= 3, "mrc_poll_cq for 3 returned %d", count);
        for (int i = 0; i < count; i++, expected++)
            api_run_expect(run, wc[i].wr_id == expected, "completion %lu has the id %lu", expected,
                wc[i].wr_id);
        if (count == 0 && !api_run_goes_on(&wait))
            api_run_silent(run, "%lu of 20 writes completed", expected);
    }
    api_run_expect(run, API(run, poll_cq)(side.send_cq, 8, wc) == 0,
        "the queue is not empty after all completions");
    api_side_close(&side);
}

static void read_overrun(struct api_side *side)
{
    struct ibv_wc wc[4];
    int count = API(side->run, poll_cq)(side->send_cq, 4, wc);

    if (count < 0)
        api_run_reading(side->run, API_POINT_OVERRUN_POLL, "fails with %s",
            api_run_error_text(api_run_error_minus(count)));
    else
        api_run_reading(side->run, API_POINT_OVERRUN_POLL, "returns completions");
}

/* The device may grant more entries than requested. */
void api_suite_cq_overrun(struct api_run *run)
{
    struct api_side side = { .run = NULL };
    struct api_events events;
    struct mrc_async_event event;

    api_peer_join(run, &side, &(struct api_side_wants){ .depth = 1024, .cqe = 1 }, NULL, 0);
    api_events_start(&events, &side);
    write_nothing(&side, 1024);
    event = api_events_next(&events, "the queue of 1 entry got 1024 completions");
    api_run_expect(run, event.event_type == IBV_EVENT_CQ_ERR, "event %d instead of CQ_ERR (%d)",
        event.event_type, IBV_EVENT_CQ_ERR);
    api_run_expect(run, event.event_type != IBV_EVENT_CQ_ERR || event.element.cq == side.send_cq,
        "the event names another queue");
    API(run, ack_async_event)(&event);
    read_overrun(&side);
}
