/* SPDX-License-Identifier: Apache-2.0 */
/* Messages that are split over several QPs, as NCCL splits them, both ways at once:
 *
 *     split FROM TO QPS MESSAGES
 *
 * Two processes open the devices FROM and TO, and each sends MESSAGES to the other. The receiver
 * posts a receive without a buffer on each of the QPS, then writes where the message is to go into
 * the sender's memory, over the first QP. The sender watches that memory, and writes a part of the
 * message with an immediate over each QP. Every byte is checked. */
#include "end.h"

#include <sys/socket.h>

enum {
    QPS_MAX = 4,
    SLOTS = 8, /* messages under way each way */
    MESSAGE_BYTES = 1 << 17,
    PART_ALIGN = 128,
    COMPLETIONS = 16,
};

/* Where a message is to go. The writer stores `number` last. */
struct invitation {
    uint64_t address;
    uint32_t length;
    uint32_t rkey;
    uint64_t number; /* of the message, from 1 */
};

struct memory {
    struct invitation received[SLOTS]; /* the peer writes them */
    struct invitation sent[SLOTS];
    uint8_t out[SLOTS][MESSAGE_BYTES];
    uint8_t in[SLOTS][MESSAGE_BYTES];
};

/* Messages one way. */
struct way {
    struct mrc_cq *cq;
    struct mrc_qp *qps[QPS_MAX];
    uint64_t begun;
    uint64_t done;
    uint32_t parts_left[SLOTS];
};

struct card {
    struct end_card end;
    uint32_t out_qpns[QPS_MAX];
    uint32_t in_qpns[QPS_MAX];
};

struct side {
    struct ibv_context *verbs;
    struct ibv_pd *pd;
    struct ibv_mr *mr;
    struct mrc_context *mrc;
    struct memory *memory;
    struct way out;
    struct way in;
    struct card peer;
    uint32_t qp_count;
    uint64_t message_count;
};

/* ---- setting up ------------------------------------------------------------------------------ */

static void open_way(struct side *side, struct way *way, uint32_t qpns[QPS_MAX])
{
    struct mrc_qp_init_attr init = { .pd = side->pd,
        .cap = { .max_send_wr = 4 * SLOTS,
            .max_recv_wr = SLOTS,
            .max_send_sge = 1,
            .max_inline_data = sizeof(struct invitation) } };

    way->cq = mrc_create_cq(side->mrc, 4 * SLOTS * QPS_MAX, NULL, NULL, 0);
    end_must(way->cq != NULL, "completion queue");
    init.send_cq = init.recv_cq = way->cq;
    for (uint32_t i = 0; i < side->qp_count; i++) {
        way->qps[i] = mrc_create_qp(side->mrc, &init);
        end_must(way->qps[i] != NULL, "queue pair");
        end_must(mrc_get_qpn(way->qps[i], &qpns[i]) == 0, "QP number");
    }
}

static struct card open_side(struct side *side, const char *device)
{
    struct card card = { .end.address = 0 };

    side->memory = calloc(1, sizeof(*side->memory));
    end_must(side->memory != NULL, "memory");
    side->verbs = end_open_device(device);
    side->pd = ibv_alloc_pd(side->verbs);
    end_must(side->pd != NULL, "protection domain");
    side->mr = (ibv_reg_mr)(side->pd, side->memory, sizeof(*side->memory),
        IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
    end_must(side->mr != NULL, "memory region");
    side->mrc = mrc_create_context(side->verbs, NULL);
    end_must(side->mrc != NULL, "context");
    open_way(side, &side->out, card.out_qpns);
    open_way(side, &side->in, card.in_qpns);
    end_must(ibv_query_gid(side->verbs, 1, 0, &card.end.gid) == 0, "GID");
    card.end.address = (uintptr_t)side->memory;
    card.end.rkey = side->mr->rkey;
    return card;
}

static void connect_qp(struct side *side, struct mrc_qp *qp, uint32_t peer_qpn)
{
    struct end end = { .qp = qp };
    struct end_card peer = side->peer.end;

    peer.qpn = peer_qpn;
    end_connect(&end, &peer, &(struct end_more){ .mrc_mask = 0 });
}

static void swap_cards(int peer, const struct card *mine, struct card *theirs)
{
    end_must(write(peer, mine, sizeof(*mine)) == sizeof(*mine), "peer");
    end_must(read(peer, theirs, sizeof(*theirs)) == sizeof(*theirs), "peer");
}

static void meet(struct side *side, const char *device, int peer)
{
    struct card mine = open_side(side, device);
    struct card ready;

    swap_cards(peer, &mine, &side->peer);
    for (uint32_t i = 0; i < side->qp_count; i++) {
        connect_qp(side, side->out.qps[i], side->peer.in_qpns[i]);
        connect_qp(side, side->in.qps[i], side->peer.out_qpns[i]);
    }
    swap_cards(peer, &mine, &ready);
}

/* ---- messages -------------------------------------------------------------------------------- */

/* Some end within the first part: the other parts are empty. */
static uint32_t length_of(uint64_t number)
{
    return number % 5 == 0 ? (uint32_t)(number % 120) + 8
                           : (uint32_t)(number * 7919 % (MESSAGE_BYTES - 8)) + 8;
}

static uint64_t word_of(uint64_t number, uint32_t offset)
{
    return number * UINT64_C(0x9e3779b97f4a7c15) ^ offset;
}

static void fill(uint8_t *bytes, uint64_t number, uint32_t length)
{
    for (uint32_t at = 0; at + sizeof(uint64_t) <= length; at += sizeof(uint64_t))
        memcpy(bytes + at, &(uint64_t){ word_of(number, at) }, sizeof(uint64_t));
}

static void check(const uint8_t *bytes, uint64_t number, uint32_t length)
{
    for (uint32_t at = 0; at + sizeof(uint64_t) <= length; at += sizeof(uint64_t)) {
        uint64_t word;

        memcpy(&word, bytes + at, sizeof(word));
        if (word == word_of(number, at))
            continue;
        fprintf(stderr, "message %llu differs at byte %u\n", (unsigned long long)number, at);
        _exit(1);
    }
}

static void post(struct mrc_qp *qp, struct ibv_send_wr *wr, const char *what)
{
    struct ibv_send_wr *bad;

    errno = mrc_post_send(qp, wr, &bad);
    end_must(errno == 0, what);
}

/* Of the sends over the first QP one in SLOTS is signaled, so that they leave the queue. */
static void invite(struct side *side)
{
    uint32_t slot = (uint32_t)(side->in.begun % SLOTS);
    struct invitation *invitation = &side->memory->sent[slot];
    struct ibv_sge sge = { .addr = (uintptr_t)invitation, .length = sizeof(*invitation) };
    struct ibv_send_wr wr = { .wr_id = SLOTS,
        .sg_list = &sge,
        .num_sge = 1,
        .opcode = IBV_WR_RDMA_WRITE,
        .send_flags = IBV_SEND_INLINE | (slot == 0 ? (unsigned int)IBV_SEND_SIGNALED : 0),
        .wr.rdma = { .rkey = side->peer.end.rkey } };
    struct ibv_recv_wr receive = { .wr_id = slot };
    struct ibv_recv_wr *bad;

    side->in.begun++;
    side->in.parts_left[slot] = side->qp_count;
    for (uint32_t i = 0; i < side->qp_count; i++)
        end_must(mrc_post_recv(side->in.qps[i], &receive, &bad) == 0, "receive");
    *invitation = (struct invitation){ .address = (uintptr_t)side->memory->in[slot],
        .length = length_of(side->in.begun),
        .rkey = side->mr->rkey,
        .number = side->in.begun };
    wr.wr.rdma.remote_addr =
        side->peer.end.address + offsetof(struct memory, received) + slot * sizeof(*invitation);
    post(side->in.qps[0], &wr, "invitation");
}

static bool is_invited(const struct side *side)
{
    const struct invitation *invitation = &side->memory->received[side->out.begun % SLOTS];

    return side->out.begun < side->message_count && side->out.begun - side->out.done < SLOTS &&
           __atomic_load_n(&invitation->number, __ATOMIC_ACQUIRE) == side->out.begun + 1;
}

static void send_part(struct side *side, uint32_t slot, uint32_t part, uint32_t part_bytes)
{
    const struct invitation *to = &side->memory->received[slot];
    uint32_t offset = part * part_bytes < to->length ? part * part_bytes : to->length;
    uint32_t left = to->length - offset;
    struct ibv_sge sge = { .addr = (uintptr_t)side->memory->out[slot] + offset,
        .length = left < part_bytes ? left : part_bytes,
        .lkey = side->mr->lkey };
    struct ibv_send_wr wr = { .wr_id = slot,
        .sg_list = &sge,
        .num_sge = left > 0,
        .opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
        .send_flags = IBV_SEND_SIGNALED,
        .imm_data = to->length,
        .wr.rdma = { .remote_addr = to->address + offset, .rkey = to->rkey } };

    post(side->out.qps[part], &wr, "part");
}

static void send_message(struct side *side)
{
    uint32_t slot = (uint32_t)(side->out.begun % SLOTS);
    uint32_t length = side->memory->received[slot].length;
    uint32_t part_bytes = (length + side->qp_count - 1) / side->qp_count;

    part_bytes = (part_bytes + PART_ALIGN - 1) / PART_ALIGN * PART_ALIGN;
    side->out.begun++;
    side->out.parts_left[slot] = side->qp_count;
    fill(side->memory->out[slot], side->out.begun, length);
    for (uint32_t i = 0; i < side->qp_count; i++)
        send_part(side, slot, i, part_bytes);
}

/* Counts the parts that are complete, and the messages that are, in their order. */
static bool next_is_done(struct way *way, const char *what)
{
    struct ibv_wc completions[COMPLETIONS];
    int count = mrc_poll_cq(way->cq, COMPLETIONS, completions);

    end_must(count >= 0, "completion queue");
    for (int i = 0; i < count; i++) {
        end_must_be(completions[i].status, IBV_WC_SUCCESS, what);
        if (completions[i].wr_id < SLOTS)
            way->parts_left[completions[i].wr_id]--;
    }
    return way->done < way->begun && way->parts_left[way->done % SLOTS] == 0;
}

static void move_messages(struct side *side)
{
    while (side->out.done < side->message_count || side->in.done < side->message_count) {
        while (side->in.begun < side->message_count && side->in.begun - side->in.done < SLOTS)
            invite(side);
        if (is_invited(side))
            send_message(side);
        if (next_is_done(&side->out, "sender"))
            side->out.done++;
        if (next_is_done(&side->in, "receiver")) {
            check(side->memory->in[side->in.done % SLOTS], side->in.done + 1,
                length_of(side->in.done + 1));
            side->in.done++;
        }
    }
}

static int move_all(struct side *side, const char *device, int peer)
{
    char byte = 0;

    meet(side, device, peer);
    move_messages(side);
    end_must(write(peer, &byte, 1) == 1 && read(peer, &byte, 1) == 1, "peer");
    return 0;
}

int main(int argument_count, char **arguments)
{
    static struct side side;
    int sockets[2];
    int status;
    pid_t child;

    if (argument_count == 5) {
        side.qp_count = (uint32_t)strtoul(arguments[3], NULL, 10);
        side.message_count = strtoull(arguments[4], NULL, 10);
    }
    if (side.qp_count < 1 || side.qp_count > QPS_MAX || side.message_count < 1) {
        fprintf(stderr, "usage: split FROM TO QPS MESSAGES\n");
        return 2;
    }
    end_must(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0, "sockets");
    child = fork();
    end_must(child >= 0, "fork");
    if (child == 0) {
        close(sockets[0]);
        return move_all(&side, arguments[2], sockets[1]);
    }
    close(sockets[1]);
    move_all(&side, arguments[1], sockets[0]);
    end_must(waitpid(child, &status, 0) == child && status == 0, "peer");
    return 0;
}
