/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest program for mrc.h: two processes, a device each, one write with immediate.
 *
 *     cc examples/hello.c -o hello $(pkg-config --cflags --libs libmrc)
 *     mrc fabric run --background experiments/fabrics/tiny.yaml
 *     ./hello mrc0 mrc2
 *
 * What two programs on two machines would tell each other over TCP goes through a pair of sockets
 * here. Errors end the program: a real one would look closer. */
#include <mrc.h>

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GID_INDEX = 0, FIRST_PSN = 1000, IMMEDIATE = 42 };

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
    char memory[4096];
};

static void must(int is_true, const char *what)
{
    if (is_true)
        return;
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(1);
}

static struct ibv_context *open_device(const char *name)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    struct ibv_context *verbs = NULL;

    must(list != NULL, "devices");
    errno = ENODEV; /* unless it is there, and cannot be opened for another reason */
    for (int i = 0; list[i] && !verbs; i++)
        if (strcmp(ibv_get_device_name(list[i]), name) == 0)
            verbs = ibv_open_device(list[i]);
    must(verbs != NULL, name);
    ibv_free_device_list(list);
    return verbs;
}

/* Device, memory, queues. */
static struct card open_end(struct end *end, const char *device)
{
    struct mrc_qp_init_attr init = { .cap = {
                                         .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1 } };
    struct card card = { .address = (uintptr_t)end->memory };

    end->verbs = open_device(device);
    end->pd = ibv_alloc_pd(end->verbs);
    must(end->pd != NULL, "protection domain");
    end->mr = ibv_reg_mr(end->pd, end->memory, sizeof(end->memory),
        IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
    must(end->mr != NULL, "memory region");
    end->mrc = mrc_create_context(end->verbs, NULL);
    must(end->mrc != NULL, "context");
    end->cq = mrc_create_cq(end->mrc, 2, NULL, NULL, 0);
    must(end->cq != NULL, "completion queue");
    init.pd = end->pd;
    init.send_cq = init.recv_cq = end->cq;
    end->qp = mrc_create_qp(end->mrc, &init);
    must(end->qp != NULL, "queue pair");
    must(ibv_query_gid(end->verbs, 1, GID_INDEX, &card.gid) == 0, "GID");
    must(mrc_get_qpn(end->qp, &card.qpn) == 0, "QP number");
    card.rkey = end->mr->rkey;
    return card;
}

static void connect_end(struct end *end, const struct card *peer)
{
    struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT };
    struct ibv_qp_attr receive = { .qp_state = IBV_QPS_RTR,
        .path_mtu = IBV_MTU_2048,
        .dest_qp_num = peer->qpn,
        .rq_psn = FIRST_PSN,
        .ah_attr = { .is_global = 1,
            .port_num = 1,
            .grh = { .dgid = peer->gid, .sgid_index = GID_INDEX } } };
    struct ibv_qp_attr send = { .qp_state = IBV_QPS_RTS, .sq_psn = FIRST_PSN };
    int receive_mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;

    must(mrc_modify_qp(end->qp, &init, IBV_QP_STATE, NULL, 0) == 0, "INIT");
    must(mrc_modify_qp(end->qp, &receive, receive_mask, NULL, 0) == 0, "RTR");
    must(mrc_modify_qp(end->qp, &send, IBV_QP_STATE | IBV_QP_SQ_PSN, NULL, 0) == 0, "RTS");
}

static struct ibv_wc next_completion(struct end *end)
{
    struct ibv_wc wc = { .status = IBV_WC_GENERAL_ERR };
    int count = 0;

    while (count == 0)
        count = mrc_poll_cq(end->cq, 1, &wc);
    must(count == 1, "completion queue");
    if (wc.status != IBV_WC_SUCCESS) {
        fprintf(stderr, "completion: %s\n", ibv_wc_status_str(wc.status));
        exit(1);
    }
    return wc;
}

static void close_end(struct end *end)
{
    mrc_destroy_qp(end->qp);
    mrc_destroy_cq(end->cq);
    mrc_destroy_context(end->mrc);
    ibv_dereg_mr(end->mr);
    ibv_dealloc_pd(end->pd);
    ibv_close_device(end->verbs);
}

/* Tells the peer this, and yields what it tells; both have come so far then. */
static struct card swap(int peer, struct card mine)
{
    struct card theirs;

    must(write(peer, &mine, sizeof(mine)) == sizeof(mine), "peer");
    must(read(peer, &theirs, sizeof(theirs)) == sizeof(theirs), "peer");
    return theirs;
}

static void run_receiver(const char *device, int peer)
{
    static struct end end;
    struct card mine = open_end(&end, device);
    struct card theirs = swap(peer, mine);
    struct ibv_recv_wr wr = { .wr_id = 1 }, *bad;
    struct ibv_wc wc;

    connect_end(&end, &theirs);
    must(mrc_post_recv(end.qp, &wr, &bad) == 0, "receive"); /* one for each immediate */
    swap(peer, mine);                                       /* now it may be written to */
    wc = next_completion(&end);
    printf("%s received %u bytes, immediate %u: %s\n", device, wc.byte_len, ntohl(wc.imm_data),
        end.memory);
    swap(peer, mine); /* the peer's last acknowledgement has arrived */
    close_end(&end);
}

static void run_sender(const char *device, int peer)
{
    static struct end end;
    struct card mine = open_end(&end, device);
    struct card theirs = swap(peer, mine);
    struct ibv_sge sge = { .addr = (uintptr_t)end.memory, .lkey = end.mr->lkey };
    struct ibv_send_wr wr = { .sg_list = &sge,
        .num_sge = 1,
        .opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
        .send_flags = IBV_SEND_SIGNALED,
        .imm_data = htonl(IMMEDIATE),
        .wr.rdma = { .remote_addr = theirs.address, .rkey = theirs.rkey } };
    struct ibv_send_wr *bad;

    connect_end(&end, &theirs);
    sge.length = 1 + (uint32_t)snprintf(end.memory, sizeof(end.memory), "hello from %s", device);
    swap(peer, mine);
    errno = mrc_post_send(end.qp, &wr, &bad);
    must(errno == 0, "write");
    next_completion(&end);
    swap(peer, mine);
    close_end(&end);
}

/* The exit status of the other process. */
static int wait_for(pid_t child)
{
    int status = 0;

    must(waitpid(child, &status, 0) == child, "child");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argument_count, char **arguments)
{
    int sockets[2];
    pid_t child;

    if (argument_count != 3) {
        fprintf(stderr, "usage: hello DEVICE DEVICE, such as: hello mrc0 mrc2\n");
        return 2;
    }
    must(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0, "sockets");
    child = fork(); /* before anything is opened: a child has no NIC of its parent's */
    must(child >= 0, "fork");
    if (child == 0) {
        close(sockets[0]);
        run_sender(arguments[1], sockets[1]);
        return 0;
    }
    close(sockets[1]);
    run_receiver(arguments[2], sockets[0]);
    return wait_for(child);
}
