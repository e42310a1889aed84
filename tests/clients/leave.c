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
#include "end.h"

#include <signal.h>
#include <sys/socket.h>

enum {
    SIZES = 17,
    MARK = 0x5a,
};

_Static_assert((1 << (SIZES - 1)) == END_BYTES, "the longest write fits");
_Static_assert((int)SIZES <= (int)END_DEPTH, "so do all of them");

enum manner { BY_RETURN, BY_EXIT, BY_KILL, BY_DESTROY, BY_MEMORY, BY_REFUSAL, MANNER_COUNT };

static const char *const manner_names[MANNER_COUNT] = { "return", "exit", "kill", "destroy",
    "memory", "refuse" };

struct trial {
    enum manner manner;
    bool in_turn; /* one write after the other */
};

/* ---- the receiver ---------------------------------------------------------------------------- */

static void await_last(struct end *end, enum manner manner)
{
    const volatile uint8_t *last = end->memory;

    if (manner != BY_MEMORY)
        end_must_be(end_next_status(end),
            manner == BY_REFUSAL ? IBV_WC_WR_FLUSH_ERR : IBV_WC_SUCCESS, "receiver");
    while (manner == BY_MEMORY && *last != MARK)
        ;
}

static int receive(const char *device, int peer, const struct trial *trial)
{
    static struct end end;
    struct end_card mine = end_open(&end, device);
    struct end_card theirs = end_swap(peer, mine);
    struct ibv_recv_wr wr = { .wr_id = 1 }, *bad;

    end_connect(&end, &theirs, &(struct end_more){ 0 });
    end_must(mrc_post_recv(end.qp, &wr, &bad) == 0, "receive");
    end_swap(peer, mine); /* now it may be written to */
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

static void write_all(struct end *end, const struct end_card *peer, const struct trial *trial)
{
    for (uint32_t i = 0; i < SIZES; i++) {
        bool is_last = i + 1 == SIZES;

        if (is_last)
            end->memory[0] = MARK;
        end_post(end, peer, 1u << (trial->in_turn ? SIZES - 1 - i : i),
            is_last && trial->manner != BY_MEMORY ? IBV_WR_RDMA_WRITE_WITH_IMM : IBV_WR_RDMA_WRITE);
        if (trial->in_turn)
            end_must_be(end_next_status(end), IBV_WC_SUCCESS, "sender");
    }
    for (uint32_t i = 0; i < SIZES && !trial->in_turn; i++)
        end_must_be(end_next_status(end), IBV_WC_SUCCESS, "sender");
}

static int send_all(const char *device, int peer, const struct trial *trial)
{
    static struct end end;
    struct end_card mine = end_open(&end, device);
    struct end_card theirs = end_swap(peer, mine);

    end_connect(&end, &theirs, &(struct end_more){ 0 });
    end_swap(peer, mine);
    if (trial->manner != BY_REFUSAL) {
        write_all(&end, &theirs, trial);
        return 0;
    }
    theirs.rkey ^= 1;
    end_post(&end, &theirs, 1, IBV_WR_RDMA_WRITE);
    end_must_be(end_next_status(&end), IBV_WC_REM_ACCESS_ERR, "sender");
    return 0;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static bool ends_well(pid_t child, bool by_kill)
{
    int status = 0;

    end_must(waitpid(child, &status, 0) == child, "child");
    if (by_kill && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        return true;
    return !by_kill && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Both processes are children: their exit must not end the rounds. */
static pid_t begin(int (*run)(const char *, int, const struct trial *), const char *device,
    int sockets[2], uint32_t own, const struct trial *trial)
{
    pid_t child = fork();

    end_must(child >= 0, "fork");
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

    end_must(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0, "sockets");
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
