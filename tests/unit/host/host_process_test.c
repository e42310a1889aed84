/* SPDX-License-Identifier: Apache-2.0 */
/* Two processes, each with its NIC: bytes verified, and what remains when one of them is killed. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "endpoint.h"

enum { MEMORY = 8 << 20 };

struct peers {
    struct endpoint here;
    struct host_qp *qp;
    struct endpoint_address there;
    int socket; /* to the other process */
    pid_t child;
};

static uint64_t sum(const uint8_t *bytes, uint64_t length_bytes)
{
    uint64_t hash = UINT64_C(14695981039346656037);

    for (uint64_t i = 0; i < length_bytes; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    return hash;
}

static bool exchange(int socket, const void *out, void *in, size_t bytes)
{
    return write(socket, out, bytes) == (ssize_t)bytes &&
           recv(socket, in, bytes, MSG_WAITALL) == (ssize_t)bytes;
}

static void meet(struct peers *peers, const char *address, uint32_t port_count, uint8_t number)
{
    char addresses[HOST_PORT_COUNT_MAX][200];
    struct endpoint_address mine;
    struct host_config config;
    char ready = 1;

    endpoint_config(&config, number);
    config.port_count = port_count;
    config.parameters.timeout = 10;
    for (uint32_t i = 0; i < port_count; i++) {
        snprintf(addresses[i], sizeof(addresses[i]), address, i, i);
        config.ports[i].address = addresses[i];
    }
    endpoint_open(&peers->here, &config, MEMORY);
    peers->qp = endpoint_qp(&peers->here);
    mine = endpoint_address(&peers->here, peers->qp);
    EXPECT(exchange(peers->socket, &mine, &peers->there, sizeof(mine)));
    endpoint_connect(peers->qp, &peers->there, 0);
    EXPECT(exchange(peers->socket, &ready, &ready, 1));
}

/* The passive process: never polls. Tells the sum of its memory whenever asked, until told to end.
 */
_Noreturn static void serve(struct peers *peers, const char *address, uint32_t port_count)
{
    char word;

    meet(peers, address, port_count, 2);
    while (read(peers->socket, &word, 1) == 1 && word == 's') {
        struct host_counters counters;
        uint64_t answer;

        host_counters(peers->here.nic, &counters); /* what the engine has placed is seen now */
        answer = sum(peers->here.memory, MEMORY);
        if (write(peers->socket, &answer, sizeof(answer)) < 0)
            break;
    }
    host_qp_destroy(peers->qp);
    endpoint_close(&peers->here);
    _exit(0);
}

static void start(struct peers *peers, const char *here, const char *there, uint32_t port_count)
{
    int sockets[2];

    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), 0);
    peers->child = fork();
    EXPECT_GE(peers->child, 0);
    peers->socket = sockets[peers->child == 0];
    close(sockets[peers->child != 0]);
    if (peers->child == 0)
        serve(peers, there, port_count);
    meet(peers, here, port_count, 1);
}

static uint64_t ask_sum(struct peers *peers)
{
    uint64_t answer = 0;

    EXPECT_EQ(write(peers->socket, "s", 1), 1);
    EXPECT_EQ(recv(peers->socket, &answer, sizeof(answer), MSG_WAITALL), sizeof(answer));
    return answer;
}

static void stop(struct peers *peers)
{
    int status = -1;

    EXPECT_EQ(write(peers->socket, "e", 1), 1);
    EXPECT_EQ(waitpid(peers->child, &status, 0), peers->child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(host_qp_destroy(peers->qp), 0);
    endpoint_close(&peers->here);
    close(peers->socket);
}

static void write_all_and_compare(struct peers *peers)
{
    struct host_completion completion;
    struct prng prng = { .state = 5 };
    uint32_t count = 0;

    endpoint_fill(peers->here.memory, MEMORY, 77);
    for (uint64_t offset = 0; offset < MEMORY; count++) {
        uint32_t length = 1 + prng_below(&prng, 300000);
        int err;

        if (length > MEMORY - offset)
            length = (uint32_t)(MEMORY - offset);
        err = endpoint_write(&peers->here, peers->qp, &peers->there, offset, length);
        if (err) {
            EXPECT_EQ(endpoint_wait(&peers->here, 1, &completion), 1);
            EXPECT_EQ(completion.status, COMPLETION_SUCCESS);
            count -= 2;
            continue;
        }
        offset += length;
    }
    EXPECT_EQ(endpoint_wait(&peers->here, count, &completion), count);
    EXPECT_EQ(completion.status, COMPLETION_SUCCESS);
    EXPECT_EQ(ask_sum(peers), sum(peers->here.memory, MEMORY));
}

/* From now on failure comes as soon as the floor of timeouts lets it (decision 26). */
static void give_up_soon(struct host_qp *qp)
{
    EXPECT_EQ(
        host_qp_modify(qp, &(struct qp_attributes){ .retry_linear = 1, .retry_exponential = 0 },
            QP_ATTR_RETRY),
        0);
}

/* What is in flight when the peer dies completes with an error, and so does what comes later. */
static void kill_and_expect_errors(struct peers *peers)
{
    struct host_completion completion;

    EXPECT_EQ(endpoint_write(&peers->here, peers->qp, &peers->there, 0, 4096), 0);
    EXPECT_EQ(endpoint_wait(&peers->here, 1, &completion), 1);
    EXPECT_EQ(completion.status, COMPLETION_SUCCESS);
    for (uint32_t i = 0; i < 20; i++)
        EXPECT_EQ(endpoint_write(&peers->here, peers->qp, &peers->there, 0, 1 << 20), 0);
    EXPECT_EQ(kill(peers->child, SIGKILL), 0);
    EXPECT_EQ(waitpid(peers->child, NULL, 0), peers->child);
    give_up_soon(peers->qp);
    EXPECT_EQ(endpoint_write(&peers->here, peers->qp, &peers->there, 0, 1 << 20), 0);
    EXPECT_EQ(endpoint_wait(&peers->here, 21, &completion), 21);
    EXPECT_EQ(completion.status, COMPLETION_FLUSHED);
    EXPECT_EQ(host_qp_destroy(peers->qp), 0);
    endpoint_close(&peers->here);
    close(peers->socket);
}

static void shm_addresses(char here[200], char there[200])
{
    snprintf(here, 200, "shm:/tmp/mrc-test-%d.%%u", (int)getpid());
    snprintf(there, 200, "shm-listen:/tmp/mrc-test-%d.%%u", (int)getpid());
}

/* Ports out of the way of the ephemeral ones, by process number. */
static void udp_addresses(char here[200], char there[200])
{
    uint32_t base = 10000 + (uint32_t)getpid() % 2000 * 10;

    snprintf(here, 200, "udp:127.0.0.1:%u%%u,127.0.0.1:%u%%u", base / 10, base / 10 + 1);
    snprintf(there, 200, "udp:127.0.0.1:%u%%u,127.0.0.1:%u%%u", base / 10 + 1, base / 10);
}

SPEC("bytes cross shared memory between processes, over one port and over four")
{
    for (uint32_t port_count = 1; port_count <= 4; port_count *= 4) {
        struct peers peers = { .socket = -1 };
        char here[200];
        char there[200];

        shm_addresses(here, there);
        start(&peers, here, there, port_count);
        write_all_and_compare(&peers);
        stop(&peers);
    }
}

SPEC("bytes cross UDP between processes")
{
    struct peers peers = { .socket = -1 };
    char here[200];
    char there[200];

    udp_addresses(here, there);
    start(&peers, here, there, 2);
    write_all_and_compare(&peers);
    stop(&peers);
}

SPEC("the peer of a killed process on shared memory gets completion errors")
{
    struct peers peers = { .socket = -1 };
    char here[200];
    char there[200];

    shm_addresses(here, there);
    start(&peers, here, there, 2);
    kill_and_expect_errors(&peers);
}

SPEC("the peer of a killed process on UDP gets completion errors")
{
    struct peers peers = { .socket = -1 };
    char here[200];
    char there[200];

    udp_addresses(here, there);
    start(&peers, here, there, 1);
    kill_and_expect_errors(&peers);
}
