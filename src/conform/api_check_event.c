/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of asynchronous events, at the end that receives bad requests. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "conform/api_events.h"
#include "conform/api_peer.h"
#include "conform/api_suite.h"

enum { MOMENT_MS = 50 };

static void expect_qp_event(
    struct api_side *side, const struct mrc_async_event *event, enum ibv_event_type type)
{
    api_run_expect(
        side->run, event->event_type == type, "event %d instead of %d", event->event_type, type);
    api_run_expect(side->run, event->element.qp == side->qp, "the event names another QP");
    api_run_expect(side->run, api_side_state(side) == IBV_QPS_ERR,
        "the QP is in state %d after the event, not in ERR", api_side_state(side));
}

/* The peer writes where it must not. */
static void attack(struct api_side *side)
{
    struct api_card card = api_side_card(side);

    api_peer_write(side->run,
        &(struct api_write){ .bytes = 64, .remote = card.address, .rkey = card.rkey ^ 0x40 });
}

void api_suite_event_access(struct api_run *run)
{
    struct api_side side = { .run = NULL };
    struct mrc_async_event event;
    struct api_events events;
    struct ibv_wc wc;

    api_peer_join(run, &side, NULL, NULL, 0);
    api_events_start(&events, &side);
    api_run_must(run, api_side_receive(&side, 9, 1) == 0, "mrc_post_recv fails");
    attack(&side);
    event = api_events_next(&events, "the peer wrote with a wrong key");
    expect_qp_event(&side, &event, IBV_EVENT_QP_ACCESS_ERR);
    API(run, ack_async_event)(&event);
    wc = api_side_next(&side, side.recv_cq);
    api_run_expect(run, wc.wr_id == 9 && wc.status == IBV_WC_WR_FLUSH_ERR,
        "the receive of the failed QP completes with id %lu and status %d", wc.wr_id, wc.status);
    wc = api_peer_next_send(run);
    api_run_expect(run, wc.status == IBV_WC_REM_ACCESS_ERR,
        "the write of the peer completes with status %d instead of %d", wc.status,
        IBV_WC_REM_ACCESS_ERR);
}

void api_suite_event_no_receive(struct api_run *run)
{
    struct api_side side = { .run = NULL };
    struct mrc_async_event event;
    struct api_events events;
    struct api_card card;

    api_peer_join(run, &side, NULL, NULL, 0);
    card = api_side_card(&side);
    api_events_start(&events, &side);
    api_peer_write(
        run, &(struct api_write){
                 .bytes = 64, .remote = card.address, .rkey = card.rkey, .with_immediate = true });
    event = api_events_next(&events, "an immediate found no receive");
    api_run_expect(run,
        event.event_type == IBV_EVENT_QP_FATAL || event.event_type == IBV_EVENT_QP_REQ_ERR,
        "event %d is none of the QP", event.event_type);
    expect_qp_event(&side, &event, event.event_type);
    API(run, ack_async_event)(&event);
}

/* ---- acknowledgements ------------------------------------------------------------------------ */

struct destruction {
    struct api_side *side;
    _Atomic bool is_acknowledged;
    _Atomic bool came_early;
};

static void *destroy_qp(void *context)
{
    struct destruction *destruction = context;
    struct api_side *side = destruction->side;

    side->run->library->calls.destroy_qp(side->qp);
    atomic_store(&destruction->came_early, !atomic_load(&destruction->is_acknowledged));
    return NULL;
}

void api_suite_event_ack(struct api_run *run)
{
    static struct api_side side;
    static struct destruction destruction = { .side = &side };
    struct mrc_async_event event;
    struct api_events events;
    pthread_t thread;

    api_peer_join(run, &side, NULL, NULL, 0);
    api_events_start(&events, &side);
    attack(&side);
    event = api_events_next(&events, "the peer wrote with a wrong key");
    api_run_must(run, event.element.qp == side.qp, "the event names another QP");
    api_run_must(run, pthread_create(&thread, NULL, destroy_qp, &destruction) == 0,
        "no thread can be started");
    usleep(MOMENT_MS * 1000);
    atomic_store(&destruction.is_acknowledged, true);
    API(run, ack_async_event)(&event);
    api_run_enter(run, "mrc_destroy_qp");
    pthread_join(thread, NULL);
    api_run_expect(run, !atomic_load(&destruction.came_early),
        "mrc_destroy_qp returned before the event was acknowledged");
}
