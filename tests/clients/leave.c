/* SPDX-License-Identifier: Apache-2.0 */
/* A receiver that ends as soon as it sees what it waited for, and a sender that must not notice:
 *
 *     leave MANNER FROM TO ROUNDS
 *
 * In each round two processes open the devices FROM and TO and connect. The sender writes all
 * powers of two from 1 byte to 64 KiB, the last time with immediate: in even rounds all at once,
 * the longest last; in odd rounds one after the other, the shortest last. The receiver leaves at
 * its completion, in this MANNER: `return` from main, `exit` by _exit(), `kill` by SIGKILL,
 * `destroy` its QP and then _exit(). With `memory` all rounds are odd ones without immediate, and
 * the receiver leaves when it sees the last byte. With `refuse` the sender uses a wrong key, and
 * the receiver leaves when its QP has failed. Prints how many rounds ended well on both sides, and
 * what the others said. */
#include <mrc.h>

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    FIRST_PSN = 1000,
    SIZES = 17,
    BYTES = 1 << (SIZES - 1),
    MARK = 0x5a,
};

enum manner { BY_RETURN, BY_EXIT, BY_KILL, BY_DESTROY, BY_MEMORY, BY_REFUSAL, MANNER_COUNT };

static const char *const manner_names[MANNER_COUNT] = { "return", "exit", "kill", "destroy",
    "memory", "refuse" };

struct trial {
    enum manner manner;
    bool in_turn; /* one write after the other */
};

/* What the peer must know of us. */
struct card {
    union ibv_gid gid;
    uint64_t address;
    uint32_t rkey;
    uint32_t qpn;
};

struct end {
    struct ibv_context *verbs;
    struct ibv_pd *pd;
    struct ibv_mr *mr;
    struct mrc_context *mrc;
    struct mrc_cq *cq;
    struct mrc_qp *qp;
    uint8_t memory[BYTES];
};

static void must(bool is_true, const char *what)
{
    if (is_true)
        return;
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    _exit(1);
}

static struct ibv_context *open_device(const char *name)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    struct ibv_context *verbs = NULL;

    must(list != NULL, "devices");
    for (int i = 0; list[i] && !verbs; i++)
        if (strcmp(ibv_get_device_name(list[i]), name) == 0)
            verbs = ibv_open_device(list[i]);
    must(verbs != NULL, name);
    ibv_free_device_list(list);
    return verbs;
}

static struct card open_end(struct end *end, const char *device)
{
    struct mrc_qp_init_attr init = {
        .cap = { .max_send_wr = SIZES, .max_recv_wr = 1, .max_send_sge = 1 }
    };
    struct card card = { .address = (uintptr_t)end->memory };

    end->verbs = open_device(device);
    end->pd = ibv_alloc_pd(end->verbs);
    must(end->pd != NULL, "protection domain");
    end->mr =
        (ibv_reg_mr)(end->pd, end->memory, BYTES, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
    must(end->mr != NULL, "memory region");
    end->mrc = mrc_create_context(end->verbs, NULL);
    must(end->mrc != NULL, "context");
    end->cq = mrc_create_cq(end->mrc, SIZES + 1, NULL, NULL, 0);
    must(end->cq != NULL, "completion queue");
    init.pd = end->pd;
    init.send_cq = init.recv_cq = end->cq;
    end->qp = mrc_create_qp(end->mrc, &init);
    must(end->qp != NULL, "queue pair");
    must(ibv_query_gid(end->verbs, 1, 0, &card.gid) == 0, "GID");
    must(mrc_get_qpn(end->qp, &card.qpn) == 0, "QP number");
    card.rkey = end->mr->rkey;
    return card;
}

static void connect_end(struct end *end, const struct card *peer)
{
    struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT };
    struct ibv_qp_attr receive = { .qp_state = IBV_QPS_RTR,
        .path_mtu = IBV_MTU_1024,
        .dest_qp_num = peer->qpn,
        .rq_psn = FIRST_PSN,
        .ah_attr = { .is_global = 1, .port_num = 1, .grh = { .dgid = peer->gid } } };
    struct ibv_qp_attr send = { .qp_state = IBV_QPS_RTS, .sq_psn = FIRST_PSN };
    int receive_mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;

    must(mrc_modify_qp(end->qp, &init, IBV_QP_STATE, NULL, 0) == 0, "INIT");
    must(mrc_modify_qp(end->qp, &receive, receive_mask, NULL, 0) == 0, "RTR");
    must(mrc_modify_qp(end->qp, &send, IBV_QP_STATE | IBV_QP_SQ_PSN, NULL, 0) == 0, "RTS");
}

static enum ibv_wc_status next_status(struct end *end)
{
    struct ibv_wc wc = { .status = IBV_WC_GENERAL_ERR };
    int count = 0;

    while (count == 0)
        count = mrc_poll_cq(end->cq, 1, &wc);
    must(count == 1, "completion queue");
    return wc.status;
}

static void must_be(enum ibv_wc_status status, enum ibv_wc_status wanted, const char *who)
{
    if (status == wanted)
        return;
    fprintf(stderr, "%s: %s\n", who, ibv_wc_status_str(status));
    _exit(1);
}

/* Tells the peer this, and returns what it tells. */
static struct card swap(int peer, struct card mine)
{
    struct card theirs;

    must(write(peer, &mine, sizeof(mine)) == sizeof(mine), "peer");
    must(read(peer, &theirs, sizeof(theirs)) == sizeof(theirs), "peer");
    return theirs;
}

/* ---- the receiver ---------------------------------------------------------------------------- */

static void await_last(struct end *end, enum manner manner)
{
    const volatile uint8_t *last = end->memory;

    if (manner != BY_MEMORY)
        must_be(next_status(end), manner == BY_REFUSAL ? IBV_WC_WR_FLUSH_ERR : IBV_WC_SUCCESS,
            "receiver");
    while (manner == BY_MEMORY && *last != MARK)
        ;
}

static int receive(const char *device, int peer, const struct trial *trial)
{
    static struct end end;
    struct card mine = open_end(&end, device);
    struct card theirs = swap(peer, mine);
    struct ibv_recv_wr wr = { .wr_id = 1 }, *bad;

    connect_end(&end, &theirs);
    must(mrc_post_recv(end.qp, &wr, &bad) == 0, "receive");
    swap(peer, mine); /* now it may be written to */
    await_last(&end, trial->manner);
    if (trial->manner == BY_DESTROY)
        mrc_destroy_qp(end.qp);
    if (trial->manner == BY_KILL)
        kill(getpid(), SIGKILL);
    if (trial->manner != BY_RETURN)
        _exit(0);
    return 0;
}

/* ---- the sender ------------------------------------------------------------------------------ */

static void post(
    struct end *end, const struct card *peer, uint32_t length_bytes, enum ibv_wr_opcode opcode)
{
    struct ibv_sge sge = {
        .addr = (uintptr_t)end->memory, .length = length_bytes, .lkey = end->mr->lkey
    };
    struct ibv_send_wr wr = { .sg_list = &sge,
        .num_sge = 1,
        .opcode = opcode,
        .send_flags = IBV_SEND_SIGNALED,
        .imm_data = htonl(MARK),
        .wr.rdma = { .remote_addr = peer->address, .rkey = peer->rkey } };
    struct ibv_send_wr *bad;

    errno = mrc_post_send(end->qp, &wr, &bad);
    must(errno == 0, "write");
}

static void write_all(struct end *end, const struct card *peer, const struct trial *trial)
{
    for (uint32_t i = 0; i < SIZES; i++) {
        bool is_last = i + 1 == SIZES;

        if (is_last)
            end->memory[0] = MARK;
        post(end, peer, 1u << (trial->in_turn ? SIZES - 1 - i : i),
            is_last && trial->manner != BY_MEMORY ? IBV_WR_RDMA_WRITE_WITH_IMM : IBV_WR_RDMA_WRITE);
        if (trial->in_turn)
            must_be(next_status(end), IBV_WC_SUCCESS, "sender");
    }
    for (uint32_t i = 0; i < SIZES && !trial->in_turn; i++)
        must_be(next_status(end), IBV_WC_SUCCESS, "sender");
}

static int send_all(const char *device, int peer, const struct trial *trial)
{
    static struct end end;
    struct card mine = open_end(&end, device);
    struct card theirs = swap(peer, mine);

    connect_end(&end, &theirs);
    swap(peer, mine);
    if (trial->manner != BY_REFUSAL) {
        write_all(&end, &theirs, trial);
        return 0;
    }
    theirs.rkey ^= 1;
    post(&end, &theirs, 1, IBV_WR_RDMA_WRITE);
    must_be(next_status(&end), IBV_WC_REM_ACCESS_ERR, "sender");
    return 0;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static bool ends_well(pid_t child, bool by_kill)
{
    int status = 0;

    must(waitpid(child, &status, 0) == child, "child");
    if (by_kill && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        return true;
    return !by_kill && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Both processes are children: their exit must not end the rounds. */
static pid_t begin(int (*run)(const char *, int, const struct trial *), const char *device,
    int sockets[2], uint32_t own, const struct trial *trial)
{
    pid_t child = fork();

    must(child >= 0, "fork");
    if (child == 0) {
        close(sockets[1 - own]);
        exit(run(device, sockets[own], trial));
    }
    return child;
}

static bool run_round(const char *from, const char *to, const struct trial *trial)
{
    int sockets[2];
    pid_t receiver;
    pid_t sender;
    bool is_well;

    must(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0, "sockets");
    receiver = begin(receive, to, sockets, 0, trial);
    sender = begin(send_all, from, sockets, 1, trial);
    close(sockets[0]);
    close(sockets[1]);
    is_well = ends_well(sender, false);
    return ends_well(receiver, trial->manner == BY_KILL) && is_well;
}

int main(int argument_count, char **arguments)
{
    uint32_t rounds = argument_count == 5 ? (uint32_t)strtoul(arguments[4], NULL, 10) : 0;
    uint32_t manner = 0;
    uint32_t well = 0;

    while (rounds && manner < MANNER_COUNT && strcmp(arguments[1], manner_names[manner]) != 0)
        manner++;
    if (rounds == 0 || manner == MANNER_COUNT) {
        fprintf(stderr, "usage: leave return|exit|kill|destroy|memory|refuse FROM TO ROUNDS\n");
        return 2;
    }
    for (uint32_t i = 0; i < rounds; i++)
        well += run_round(arguments[2], arguments[3],
            &(struct trial){
                .manner = (enum manner)manner, .in_turn = manner == BY_MEMORY || i % 2 == 1 });
    printf("%u of %u\n", well, rounds);
    return well == rounds ? 0 : 1;
}
