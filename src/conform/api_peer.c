/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to a peer and their answers. */
#include "conform/api_peer.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum peer_operation {
    PEER_OPEN,
    PEER_CONNECT,
    PEER_RECEIVE,
    PEER_WRITE,
    PEER_NEXT_SEND,
    PEER_NEXT_RECEIVE,
    PEER_EXTRA,
    PEER_FILL,
    PEER_DIFFERS,
    PEER_STATE,
    PEER_TO_STATE,
    PEER_ALLOW,
    PEER_FORGET_MEMORY,
};

struct peer_request {
    enum peer_operation operation;
    struct api_side_wants wants;
    struct api_card card;
    struct api_write write;
    uint64_t numbers[3];
};

struct peer_answer {
    struct api_card card;
    struct ibv_wc wc;
    uint64_t number;
};

/* ---- for checks ------------------------------------------------------------------------------ */

/* A peer that cannot answer has reported the reason, or the process that watches does. */
static struct peer_answer ask_peer(struct api_run *run, const struct peer_request *request)
{
    struct peer_answer answer = { .number = 0 };
    int fd = run->peer->fd;

    api_run_enter(run, API_RUN_NO_CALL ": it waits for its peer");
    if (send(fd, request, sizeof(*request), MSG_NOSIGNAL) != sizeof(*request) ||
        recv(fd, &answer, sizeof(answer), 0) != sizeof(answer))
        api_run_done(run);
    return answer;
}

void api_peer_open(struct api_run *run)
{
    run->peer->card =
        ask_peer(run, &(struct peer_request){ .operation = PEER_OPEN, .wants = run->peer->wants })
            .card;
}

void api_peer_connect(struct api_run *run, const struct api_card *card)
{
    ask_peer(run, &(struct peer_request){ .operation = PEER_CONNECT, .card = *card });
}

void api_peer_join(struct api_run *run, struct api_side *side, const struct api_side_wants *mine,
    const struct mrc_qp_attr *mrc, int mrc_mask)
{
    struct api_side_wants wants = { .depth = 0 };
    struct api_card card;

    api_peer_open(run);
    if (!side->run)
        api_side_open(side, run, run->device);
    api_side_make(side, mine ? mine : &wants);
    card = api_side_card(side);
    api_peer_connect(run, &card);
    api_side_connect(side, &run->peer->card, mrc, mrc_mask);
}

void api_peer_receive(struct api_run *run, uint64_t first_id, uint32_t count)
{
    ask_peer(
        run, &(struct peer_request){ .operation = PEER_RECEIVE, .numbers = { first_id, count } });
}

void api_peer_write(struct api_run *run, const struct api_write *write)
{
    ask_peer(run, &(struct peer_request){ .operation = PEER_WRITE, .write = *write });
}

struct ibv_wc api_peer_next_send(struct api_run *run)
{
    return ask_peer(run, &(struct peer_request){ .operation = PEER_NEXT_SEND }).wc;
}

struct ibv_wc api_peer_next_receive(struct api_run *run)
{
    return ask_peer(run, &(struct peer_request){ .operation = PEER_NEXT_RECEIVE }).wc;
}

uint32_t api_peer_extra(struct api_run *run)
{
    return (uint32_t)ask_peer(run, &(struct peer_request){ .operation = PEER_EXTRA }).number;
}

static struct peer_request about_bytes(
    enum peer_operation operation, uint32_t offset, uint32_t bytes, uint8_t seed)
{
    return (struct peer_request){ .operation = operation, .numbers = { offset, bytes, seed } };
}

void api_peer_fill(struct api_run *run, uint32_t offset, uint32_t bytes, uint8_t seed)
{
    struct peer_request request = about_bytes(PEER_FILL, offset, bytes, seed);

    ask_peer(run, &request);
}

uint32_t api_peer_differs(struct api_run *run, uint32_t offset, uint32_t bytes, uint8_t seed)
{
    struct peer_request request = about_bytes(PEER_DIFFERS, offset, bytes, seed);

    return (uint32_t)ask_peer(run, &request).number;
}

enum ibv_qp_state api_peer_state(struct api_run *run)
{
    return (enum ibv_qp_state)ask_peer(run, &(struct peer_request){ .operation = PEER_STATE })
        .number;
}

void api_peer_to_state(struct api_run *run, enum ibv_qp_state state)
{
    ask_peer(run, &(struct peer_request){ .operation = PEER_TO_STATE, .numbers = { state } });
}

void api_peer_allow(struct api_run *run, int access)
{
    ask_peer(
        run, &(struct peer_request){ .operation = PEER_ALLOW, .numbers = { (uint64_t)access } });
}

void api_peer_forget_memory(struct api_run *run)
{
    ask_peer(run, &(struct peer_request){ .operation = PEER_FORGET_MEMORY });
}

/* ---- the process of the peer ----------------------------------------------------------------- */

static void must_return_zero(struct api_side *side, int err, const char *what)
{
    api_run_must(side->run, err == 0, "%s: %s", what, api_run_error_text(err));
}

static void open_peer(
    struct api_side *side, const struct api_side_wants *wants, struct api_card *card)
{
    api_side_open(side, side->run, wants->device ? wants->device : side->run->device);
    api_side_make(side, wants);
    *card = api_side_card(side);
}

static void allow_access(struct api_side *side, int access)
{
    struct ibv_qp_attr attr = { .qp_access_flags = (unsigned int)access };

    must_return_zero(side, API(side->run, modify_qp)(side->qp, &attr, IBV_QP_ACCESS_FLAGS, NULL, 0),
        "mrc_modify_qp of the access flags");
}

static void forget_memory(struct api_side *side)
{
    must_return_zero(side, VERB(side->run, dereg_mr)(side->mr), "ibv_dereg_mr");
    side->mr = NULL;
}

/* One case for each operation. */
static void serve_request(
    struct api_side *side, const struct peer_request *request, struct peer_answer *answer)
{
    uint32_t first = (uint32_t)request->numbers[0];
    uint32_t second = (uint32_t)request->numbers[1];
    uint8_t seed = (uint8_t)request->numbers[2];

    switch (request->operation) {
    case PEER_OPEN:
        open_peer(side, &request->wants, &answer->card);
        break;
    case PEER_CONNECT:
        api_side_connect(side, &request->card, NULL, 0);
        break;
    case PEER_RECEIVE:
        must_return_zero(
            side, api_side_receive(side, request->numbers[0], second), "mrc_post_recv");
        break;
    case PEER_WRITE:
        must_return_zero(side, api_side_write(side, &request->write), "mrc_post_send");
        break;
    case PEER_NEXT_SEND:
        answer->wc = api_side_next(side, side->send_cq);
        break;
    case PEER_NEXT_RECEIVE:
        answer->wc = api_side_next(side, side->recv_cq);
        break;
    case PEER_EXTRA:
        answer->number = (uint64_t)api_side_extra(side, side->send_cq) +
                         (uint64_t)api_side_extra(side, side->recv_cq);
        break;
    case PEER_FILL:
        api_side_fill(side, first, second, seed);
        break;
    case PEER_DIFFERS:
        answer->number = api_side_differs(side, first, second, seed);
        break;
    case PEER_STATE:
        answer->number = api_side_state(side);
        break;
    case PEER_TO_STATE:
        must_return_zero(side, api_side_to_state(side, (enum ibv_qp_state)first), "mrc_modify_qp");
        break;
    case PEER_ALLOW:
        allow_access(side, (int)first);
        break;
    case PEER_FORGET_MEMORY:
        forget_memory(side);
        break;
    }
}

void api_peer_serve(struct api_run *run, int fd)
{
    struct api_side side = { .run = run };
    struct peer_request request;

    for (;;) {
        struct peer_answer answer = { .number = 0 };

        api_run_enter(run, API_RUN_NO_CALL ": it waits for the check");
        if (recv(fd, &request, sizeof(request), 0) != sizeof(request))
            break;
        serve_request(&side, &request, &answer);
        if (send(fd, &answer, sizeof(answer), MSG_NOSIGNAL) != sizeof(answer))
            break;
    }
    if (side.qp)
        api_side_close(&side);
    api_run_done(run);
}
