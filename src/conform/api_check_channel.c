/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of completion channels. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "conform/api_peer.h"
#include "conform/api_suite.h"

enum { MOMENT_MS = 50 }; /* in which a library that is wrong usually shows it */

/* An end whose receive queue has a channel. */
struct waiting {
    struct api_side side;
    struct mrc_comp_channel *channel;
    int fd;
};

static void open_channel(struct waiting *waiting, struct api_run *run)
{
    int err;

    api_side_open(&waiting->side, run, run->device);
    err = api_run_error_minus(API(run, create_comp_channel)(waiting->side.mrc, &waiting->channel));
    api_run_must(run, err == 0, "mrc_create_comp_channel: %s", api_run_error_text(err));
    err = api_run_error_minus(API(run, get_comp_channel_fd)(waiting->channel, &waiting->fd));
    api_run_must(run, err == 0, "mrc_get_comp_channel_fd: %s", api_run_error_text(err));
    api_run_must(run, fcntl(waiting->fd, F_GETFD) >= 0,
        "mrc_get_comp_channel_fd stored %d, which is no descriptor", waiting->fd);
}

static void join_waiting(struct waiting *waiting, struct api_run *run)
{
    open_channel(waiting, run);
    api_peer_join(
        run, &waiting->side, &(struct api_side_wants){ .channel = waiting->channel }, NULL, 0);
}

static bool is_readable(const struct waiting *waiting, int timeout_ms)
{
    struct pollfd ready = { .fd = waiting->fd, .events = POLLIN };

    return poll(&ready, 1, timeout_ms) == 1;
}

static void wait_readable(struct waiting *waiting, const char *cause)
{
    struct api_run *run = waiting->side.run;

    if (!is_readable(waiting, (int)run->patience_ms))
        api_run_silent(run, "the descriptor of the channel is not readable: %s", cause);
}

static void arm_queue(struct waiting *waiting, int solicited_only)
{
    struct api_run *run = waiting->side.run;
    int err = api_run_error_number(API(run, req_notify_cq)(waiting->side.recv_cq, solicited_only));

    api_run_must(run, err == 0, "mrc_req_notify_cq: %s", api_run_error_text(err));
}

static void take_event(struct waiting *waiting)
{
    struct api_run *run = waiting->side.run;
    struct mrc_cq *cq = NULL;
    void *context = NULL;
    int err = api_run_error_minus(API(run, get_cq_event)(waiting->channel, &cq, &context));

    api_run_must(run, err == 0, "mrc_get_cq_event: %s", api_run_error_text(err));
    api_run_must(run, cq == waiting->side.recv_cq, "the event names another queue");
    api_run_expect(run, context == &waiting->side, "the event has another cq_context");
}

/* The peer sends an immediate. */
static void get_immediate(struct waiting *waiting, unsigned int flags)
{
    struct api_run *run = waiting->side.run;
    struct api_card card = api_side_card(&waiting->side);

    api_run_must(run, api_side_receive(&waiting->side, 1, 1) == 0, "mrc_post_recv fails");
    api_peer_write(run, &(struct api_write){ .remote = card.address,
                            .rkey = card.rkey,
                            .bytes = 8,
                            .with_immediate = true,
                            .flags = flags });
    api_peer_next_send(run);
}

static void close_waiting(struct waiting *waiting)
{
    struct api_side *side = &waiting->side;
    struct api_run *run = side->run;
    int err;

    if (side->qp) {
        API(run, destroy_qp)(side->qp);
        side->qp = NULL;
        API(run, destroy_cq)(side->recv_cq);
        side->recv_cq = NULL;
    }
    err = api_run_error_number(API(run, destroy_comp_channel)(waiting->channel));
    api_run_must(run, err == 0, "mrc_destroy_comp_channel: %s", api_run_error_text(err));
    api_side_close(side);
}

void api_suite_channel(struct api_run *run)
{
    struct waiting waiting;
    struct mrc_cq *cq;

    open_channel(&waiting, run);
    cq = API(run, create_cq)(waiting.side.mrc, 1, NULL, waiting.channel, 0);
    api_run_must(run, cq, "mrc_create_cq with a channel: %s", strerror(errno));
    api_run_ends(run, api_run_error_number(API(run, destroy_comp_channel)(waiting.channel)), EBUSY,
        "mrc_destroy_comp_channel of a channel with a queue");
    if (run->has_failed)
        return;
    api_run_ends(run, api_run_error_number(API(run, destroy_cq)(cq)), 0, "mrc_destroy_cq");
    waiting.side.qp = NULL;
    close_waiting(&waiting);
}

static void make_non_blocking(struct waiting *waiting)
{
    int flags = fcntl(waiting->fd, F_GETFL);

    api_run_must(waiting->side.run, fcntl(waiting->fd, F_SETFL, flags | O_NONBLOCK) == 0,
        "the descriptor cannot be made non-blocking: %s", strerror(errno));
}

void api_suite_channel_empty(struct api_run *run)
{
    struct waiting waiting;
    struct mrc_cq *cq;
    void *context;

    open_channel(&waiting, run);
    make_non_blocking(&waiting);
    api_run_ends(run, api_run_error_minus(API(run, get_cq_event)(waiting.channel, &cq, &context)),
        EAGAIN, "mrc_get_cq_event without an event");
    close_waiting(&waiting);
}

void api_suite_channel_event(struct api_run *run)
{
    struct waiting waiting;

    join_waiting(&waiting, run);
    get_immediate(&waiting, 0);
    api_side_succeed(&waiting.side, waiting.side.recv_cq);
    api_run_expect(run, !is_readable(&waiting, MOMENT_MS), "a queue that is not armed has events");
    arm_queue(&waiting, 0);
    api_run_expect(run, !is_readable(&waiting, 0), "arming alone causes an event");
    get_immediate(&waiting, 0);
    wait_readable(&waiting, "a receive of the armed queue has completed");
    take_event(&waiting);
    API(run, ack_cq_events)(waiting.side.recv_cq, 1);
    api_side_succeed(&waiting.side, waiting.side.recv_cq);
    get_immediate(&waiting, 0);
    api_side_succeed(&waiting.side, waiting.side.recv_cq);
    api_run_expect(
        run, !is_readable(&waiting, MOMENT_MS), "an event disarms its queue, yet there is another");
    close_waiting(&waiting);
}

void api_suite_channel_solicited(struct api_run *run)
{
    struct waiting waiting;

    join_waiting(&waiting, run);
    arm_queue(&waiting, 1);
    get_immediate(&waiting, 0);
    api_side_succeed(&waiting.side, waiting.side.recv_cq);
    api_run_expect(run, !is_readable(&waiting, MOMENT_MS),
        "a completion that is not solicited causes an event");
    get_immediate(&waiting, IBV_SEND_SOLICITED);
    wait_readable(&waiting, "a solicited receive has completed");
    take_event(&waiting);
    API(run, ack_cq_events)(waiting.side.recv_cq, 1);
    api_side_succeed(&waiting.side, waiting.side.recv_cq);
    close_waiting(&waiting);
}

/* ---- acknowledgements ------------------------------------------------------------------------ */

struct destruction {
    struct waiting *waiting;
    _Atomic bool is_acknowledged;
    _Atomic bool came_early;
};

static void *destroy_queue(void *context)
{
    struct destruction *destruction = context;
    struct api_side *side = &destruction->waiting->side;

    side->run->library->calls.destroy_cq(side->recv_cq);
    atomic_store(&destruction->came_early, !atomic_load(&destruction->is_acknowledged));
    return NULL;
}

/* The thread has a moment to return early if it does not wait. */
void api_suite_channel_ack(struct api_run *run)
{
    static struct waiting waiting;
    static struct destruction destruction = { .waiting = &waiting };
    pthread_t thread;

    join_waiting(&waiting, run);
    arm_queue(&waiting, 0);
    get_immediate(&waiting, 0);
    wait_readable(&waiting, "a receive of the armed queue has completed");
    take_event(&waiting);
    API(run, destroy_qp)(waiting.side.qp);
    api_run_must(run, pthread_create(&thread, NULL, destroy_queue, &destruction) == 0,
        "no thread can be started");
    usleep(MOMENT_MS * 1000);
    atomic_store(&destruction.is_acknowledged, true);
    API(run, ack_cq_events)(waiting.side.recv_cq, 1);
    api_run_enter(run, "mrc_destroy_cq");
    pthread_join(thread, NULL);
    api_run_expect(run, !atomic_load(&destruction.came_early),
        "mrc_destroy_cq returned before the event was acknowledged");
}
