/* SPDX-License-Identifier: Apache-2.0 */
/* What one NIC of a soft fabric must not be able to do to the fabric and to the other NICs. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define RUNNING_ON_VALGRIND 0
#endif

#include "base/bytes.h"
#include "patience.h"
#include "soft_bench.h"
#include "spec.h"
#include "wire/format.h"

enum { PASSES_MAX = SOFT_BENCH_PASSES_MAX };

static void run_passes(struct soft_bench *bench, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        soft_bench_pass(bench);
}

/* The fabric still carries frames from one NIC to another. */
static void expect_service_between(
    struct soft_bench *bench, uint32_t from, uint32_t to, uint32_t plane)
{
    struct pktio_received received[PKTIO_BATCH_MAX];
    uint32_t count = 0;

    soft_bench_send(bench, from, to, plane, 4711);
    for (uint32_t i = 0; i < PASSES_MAX && count == 0; i++) {
        soft_bench_pass(bench);
        count = pktio_port_receive(bench->nics[to][plane], received, PKTIO_BATCH_MAX);
    }
    EXPECT_GE(count, 1);
}

static void expect_service(struct soft_bench *bench, uint32_t plane)
{
    expect_service_between(bench, 0, 1, plane);
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* As from NIC 0 to NIC 1, but with IPv6 headers nested up to the end. */
static uint32_t build_nested(const struct soft_bench *bench, uint32_t psn_value, uint8_t *bytes)
{
    uint32_t length = soft_bench_build(bench, 0, 1, 0, psn_value, bytes);

    for (uint32_t at = 40; at + 40 <= length; at += 40) {
        memset(bytes + at, 0, 40);
        bytes[at] = 0x60;
        bytes[at + 6] = 41;
    }
    return length;
}

/* Frames that left T0 0 of plane 0 by its first uplink. */
static uint64_t wire_frames(const struct soft_bench *bench)
{
    return bench->soft->wires[bench->soft->first_wire[0] + 1].frames;
}

SPEC("headers nested deeper than the copied bytes do not crash a fabric that trims")
{
    struct soft_bench bench = soft_bench_small();
    uint8_t bytes[SOFT_FRAME_BYTES];

    /* Frames wait at the uplink until they are copied, and are trimmed at the port of NIC 1. */
    bench.config.uplink.rate_bps = bench.config.host_link.rate_bps / 20;
    bench.config.buffers.data_bytes = 4000000;
    bench.config.buffers.host_data_bytes = 5000;
    bench.slower = 10;
    soft_bench_start(&bench);
    for (uint32_t i = 0; i < 1000; i++) {
        while (pktio_port_room(bench.nics[0][0]) == 0)
            soft_bench_pass(&bench);
        soft_bench_send_bytes(&bench, 0, 0, bytes, build_nested(&bench, 2 * i, bytes));
    }
    for (uint32_t i = 0; i < PASSES_MAX && wire_frames(&bench) < 1000; i++)
        soft_bench_pass(&bench);
    expect_service(&bench, 1);
    soft_bench_stop(&bench);
}

/* From NIC 1 by its own word, sent by NIC 0. */
static void forge_source(struct soft_bench *bench)
{
    struct ipv6_addr stolen = plan_nic_address(&bench->fabric, 1);
    uint8_t bytes[SOFT_FRAME_BYTES];
    uint32_t length = soft_bench_build(bench, 0, 1, 0, 0, bytes);

    memcpy(bytes + 40 + 8, stolen.octets, sizeof(stolen.octets)); /* of the inner header */
    soft_bench_send_bytes(bench, 0, 0, bytes, length);
    soft_bench_send(bench, 0, 1, 0, 2); /* on the same path, behind it */
}

static uint32_t receive_at_1(struct soft_bench *bench, uint32_t count)
{
    struct pktio_received received[PKTIO_BATCH_MAX];
    uint32_t total = 0;

    for (uint32_t i = 0; i < PASSES_MAX && total < count; i++) {
        soft_bench_pass(bench);
        total += pktio_port_receive(bench->nics[1][0], received, PKTIO_BATCH_MAX);
    }
    return total;
}

SPEC("a frame with the source address of another NIC is dropped at its T0 and counted")
{
    struct soft_bench bench = soft_bench_small();

    soft_bench_start(&bench);
    forge_source(&bench);
    EXPECT_EQ(receive_at_1(&bench, 1), 1);
    EXPECT_EQ(bench.soft->switches[0].drops[DROP_SOURCE], 1);
    EXPECT(!soft_bench_uses_buffers(&bench));
    soft_bench_stop(&bench);
}

SPEC("without a check of sources, a frame with a foreign source address arrives")
{
    struct soft_bench bench = soft_bench_small();

    bench.config.checks_source = false;
    soft_bench_start(&bench);
    forge_source(&bench);
    EXPECT_EQ(receive_at_1(&bench, 2), 2);
    EXPECT_EQ(bench.soft->switches[0].drops[DROP_SOURCE], 0);
    soft_bench_stop(&bench);
}

/* A frame of this length, written into the ring without asking for its limit. */
static void send_long(struct soft_bench *bench, uint32_t plane, uint32_t length)
{
    uint8_t bytes[SOFT_FRAME_BYTES + 64];
    uint32_t mtu_bytes = bench->nics[0][plane]->mtu_bytes;

    memset(bytes, 0, sizeof(bytes));
    soft_bench_build(bench, 0, 1, plane, 0, bytes);
    bytes_put_be16(bytes + 4, (uint16_t)(length - 40));
    bench->nics[0][plane]->mtu_bytes = SOFT_FRAME_BYTES;
    soft_bench_send_bytes(bench, 0, plane, bytes, length);
    bench->nics[0][plane]->mtu_bytes = mtu_bytes;
}

SPEC("a frame longer than the ring of the receiver allows is dropped")
{
    struct soft_bench bench = soft_bench_small();

    soft_bench_start(&bench);
    for (uint32_t length = 4500; length <= 4600; length++) {
        send_long(&bench, 0, length);
        run_passes(&bench, 100);
    }
    expect_service(&bench, 0);
    soft_bench_stop(&bench);
}

SPEC("a frame longer than the UDP port of the receiver allows is dropped")
{
    uint16_t base = (uint16_t)(20000 + getpid() % 4000 * 8);
    struct soft_udp udp = { .nic = 1, .local_port = base, .remote_port = (uint16_t)(base + 4) };
    struct soft_bench bench = soft_bench_small();

    strcpy(udp.local_host, "127.0.0.1");
    strcpy(udp.remote_host, "127.0.0.1");
    bench.soft_config.udp = &udp;
    bench.soft_config.udp_count = 1;
    soft_bench_open(&bench);
    soft_bench_attach(&bench, 0, 0);
    for (uint32_t i = 0; i < 2000; i++) { /* many: some wait for room in the socket */
        send_long(&bench, 0, 4500);
        run_passes(&bench, 20);
    }
    EXPECT_GT(bench.soft->ends[soft_nic_end(bench.soft, 1, 0)].port->send_drops, 1000);
    soft_bench_stop(&bench);
}

SPEC("a fabric refuses two UDP attachments of the same NIC")
{
    uint16_t base = (uint16_t)(20000 + getpid() % 4000 * 8);
    struct soft_udp udp[2] = { { .nic = 1, .local_port = base, .remote_port = base },
        { .nic = 1, .local_port = (uint16_t)(base + 4), .remote_port = base } };
    struct soft_bench bench = soft_bench_small();
    struct soft *soft;

    for (uint32_t i = 0; i < 2; i++) {
        strcpy(udp[i].local_host, "127.0.0.1");
        strcpy(udp[i].remote_host, "127.0.0.1");
    }
    soft_bench_open(&bench);
    bench.soft_config.udp = udp;
    bench.soft_config.udp_count = 2;
    bench.soft_config.name = "second";
    EXPECT_EQ(soft_open(&soft, &bench.soft_config), -EEXIST);
    soft_bench_stop(&bench);
}

/* ---- receivers that do not read -------------------------------------------------------------- */

/* As many as the fabric takes within this many passes each. */
static void flood(struct soft_bench *bench, uint32_t from, uint32_t to, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t pass = 0; pass < 1000 && pktio_port_room(bench->nics[from][0]) == 0; pass++)
            soft_bench_pass(bench);
        if (pktio_port_room(bench->nics[from][0]) > 0)
            soft_bench_send(bench, from, to, 0, i);
    }
    run_passes(bench, 1000);
}

SPEC("a NIC that does not read holds at most its share of the buffers")
{
    struct soft_bench bench = soft_bench_small();

    bench.config.hosts_per_t0 = 2;
    soft_bench_start(&bench);
    flood(&bench, 0, 3, 30000);
    EXPECT_GE(bench.soft->frames.free_count, bench.soft->frames.count / 4);
    expect_service_between(&bench, 1, 2, 0);
    expect_service_between(&bench, 0, 2, 0);
    flood(&bench, 0, 1, 30000); /* a second one */
    expect_service_between(&bench, 0, 2, 0);
    soft_bench_stop(&bench);
}

/* ---- attaching ------------------------------------------------------------------------------- */

static void attach_path(const struct soft_bench *bench, char path[static 108])
{
    snprintf(path, 108, "%s/fabric/attach", bench->root);
}

/* A client that has connected and says nothing. */
static int knock(const struct soft_bench *bench)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    attach_path(bench, address.sun_path);
    EXPECT_GE(sock, 0);
    EXPECT_EQ(connect(sock, (struct sockaddr *)&address, sizeof(address)), 0);
    return sock;
}

static struct shm_hello hello_of(const char *name, uint32_t slot_count)
{
    struct shm_hello hello = { .magic = { 'M', 'R', 'C', 'H', 'E', 'L', 'L', 'O' },
        .version = SHM_PORT_VERSION,
        .slot_count = slot_count };

    snprintf(hello.name, sizeof(hello.name), "%s", name);
    return hello;
}

static void say(int sock, const void *bytes, size_t length)
{
    EXPECT_EQ(send(sock, bytes, length, MSG_NOSIGNAL), (ssize_t)length);
}

/* The answer to a hello: 0 bytes when the fabric hangs up. */
static ssize_t hear(struct soft_bench *bench, int sock, struct shm_welcome *welcome)
{
    ssize_t length = -1;

    for (uint32_t i = 0; i < 1000 && length < 0; i++) {
        soft_attach_callers(bench->soft);
        length = recv(sock, welcome, sizeof(*welcome), 0);
    }
    return length;
}

SPEC("a client that sends nothing does not delay others, and can still attach")
{
    struct soft_bench bench = soft_bench_small();
    struct shm_hello hello = hello_of("mrc1", 0);
    struct shm_welcome welcome;
    int silent;

    soft_bench_open(&bench);
    silent = knock(&bench);
    soft_attach_callers(bench.soft);
    soft_bench_attach(&bench, 0, 0);
    say(silent, &hello, sizeof(hello));
    EXPECT_EQ(hear(&bench, silent, &welcome), (ssize_t)sizeof(welcome));
    EXPECT_EQ(welcome.refusal, 0);
    close(silent);
    soft_bench_stop(&bench);
}

SPEC("a hello gets at most the slots of the fabric, and one with a wrong name no memory")
{
    struct soft_bench bench = soft_bench_small();
    struct shm_hello hello = hello_of("mrc1", 65536);
    struct shm_welcome welcome;
    int sock;

    soft_bench_open(&bench);
    sock = knock(&bench);
    say(sock, &hello, sizeof(hello));
    EXPECT_EQ(hear(&bench, sock, &welcome), (ssize_t)sizeof(welcome));
    EXPECT_EQ(welcome.refusal, 0);
    EXPECT_LE(welcome.ring_bytes, 8 << 20);
    close(sock);
    hello = hello_of("mrc99", 0);
    sock = knock(&bench);
    say(sock, &hello, sizeof(hello));
    EXPECT_EQ(hear(&bench, sock, &welcome), (ssize_t)sizeof(welcome));
    EXPECT_EQ(welcome.refusal, ENODEV);
    EXPECT_EQ(welcome.ring_bytes, 0);
    close(sock);
    soft_bench_stop(&bench);
}

SPEC("rings of any size cost a fabric few pages when their NIC attaches")
{
    struct soft_bench bench = soft_bench_small();
    struct shm_hello hello = hello_of("mrc1", 1024);
    struct shm_welcome welcome;
    struct rusage before;
    struct rusage after;
    int sock;

    soft_bench_open(&bench);
    sock = knock(&bench);
    say(sock, &hello, sizeof(hello));
    EXPECT_EQ(getrusage(RUSAGE_SELF, &before), 0);
    EXPECT_EQ(hear(&bench, sock, &welcome), (ssize_t)sizeof(welcome));
    EXPECT_EQ(getrusage(RUSAGE_SELF, &after), 0);
    EXPECT_GE(welcome.ring_bytes / 4096, 1024);
    EXPECT_LT(after.ru_minflt - before.ru_minflt, 256);
    close(sock);
    soft_bench_stop(&bench);
}

SPEC("if many NICs leave at once, each turn of a fabric detaches one")
{
    struct soft_bench bench = soft_bench_small();

    bench.soft_config.spin_us = UINT32_MAX; /* it never sleeps */
    soft_bench_start(&bench);
    for (uint32_t i = 0; i < 4; i++) {
        pktio_port_close(bench.nics[i / 2][i % 2]);
        bench.nics[i / 2][i % 2] = NULL;
    }
    for (uint32_t left = 4; left > 0; left--) {
        EXPECT_EQ(bench.soft->attached_count, left);
        bench.now_ps += UINT64_C(2000000000);
        soft_turn(bench.soft);
    }
    EXPECT_EQ(bench.soft->attached_count, 0);
    soft_bench_stop(&bench);
}

struct question {
    pthread_t thread;
    char path[64];
    char *answer;
    _Atomic bool is_answered;
};

static void *ask(void *context)
{
    struct question *question = context;

    EXPECT_EQ(control_ask(question->path, "ping", &question->answer), 0);
    question->is_answered = true;
    return NULL;
}

SPEC("after an answer that took long, the next waits only while the fabric has frames")
{
    struct soft_bench bench = soft_bench_small();
    struct question question = { .answer = NULL };
    int64_t end_s = patience_end_s();

    bench.soft_config.spin_us = UINT32_MAX; /* it never sleeps */
    soft_bench_open(&bench);
    snprintf(question.path, sizeof(question.path), "%s/fabric/control", bench.root);
    bench.soft->answer_ps = UINT64_MAX;
    EXPECT_EQ(pthread_create(&question.thread, NULL, ask, &question), 0);
    for (uint32_t turn = 0; turn < 2000; turn++) {
        bench.now_ps += UINT64_C(2000000000);
        bench.soft->busy_ps = bench.now_ps;
        soft_turn(bench.soft);
    }
    EXPECT(!question.is_answered);
    while (!question.is_answered && patience_lasts(end_s)) {
        bench.now_ps += UINT64_C(2000000000);
        soft_turn(bench.soft);
    }
    EXPECT(question.is_answered);
    pthread_join(question.thread, NULL);
    free(question.answer);
    soft_bench_stop(&bench);
}

SPEC("a hello that is too short, too long, damaged or of another version is refused or closed")
{
    struct soft_bench bench = soft_bench_small();
    uint8_t bytes[2 * sizeof(struct shm_hello)] = { 0 };
    struct shm_hello hello = hello_of("mrc0", 0);
    struct shm_welcome welcome;

    soft_bench_open(&bench);
    for (uint32_t way = 0; way < 4; way++) {
        size_t length = way == 0 ? 1 : way == 1 ? sizeof(bytes) : sizeof(hello);
        int sock = knock(&bench);

        memcpy(bytes, &hello, sizeof(hello));
        bytes[0] ^= (uint8_t)(way == 2);
        bytes[8] ^= (uint8_t)(way == 3 ? 0x80 : 0);
        say(sock, bytes, length);
        EXPECT(hear(&bench, sock, &welcome) == 0 || welcome.refusal != 0);
        close(sock);
    }
    soft_bench_attach(&bench, 0, 0);
    soft_bench_stop(&bench);
}

/* From now on this process gets no more descriptors than it has. */
static struct rlimit stop_descriptors(void)
{
    struct rlimit before;
    struct rlimit none;
    int next = dup(STDIN_FILENO);

    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = (struct rlimit){ .rlim_cur = (rlim_t)next, .rlim_max = before.rlim_max };
    close(next);
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    return before;
}

SPEC("a fabric without free descriptors refuses NICs with a message, and accepts them later")
{
    struct soft_bench bench = soft_bench_small();
    struct shm_hello hello = hello_of("mrc1", 0);
    struct shm_welcome welcome;
    struct rlimit before;
    int sock;

    if (RUNNING_ON_VALGRIND)
        SKIP("valgrind accepts a client and closes it again where the kernel accepts none");
    soft_bench_open(&bench);
    sock = knock(&bench);
    say(sock, &hello, sizeof(hello));
    before = stop_descriptors();
    EXPECT_EQ(hear(&bench, sock, &welcome), (ssize_t)sizeof(welcome));
    EXPECT_EQ(welcome.refusal, ENFILE);
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
    close(sock);
    soft_bench_attach(&bench, 1, 0);
    soft_bench_stop(&bench);
}

static uint32_t answer_to(struct soft_bench *bench, const struct shm_hello *hello)
{
    struct shm_welcome welcome;
    int sock = knock(bench);

    say(sock, hello, sizeof(*hello));
    EXPECT_EQ(hear(bench, sock, &welcome), (ssize_t)sizeof(welcome));
    close(sock);
    return welcome.refusal;
}

SPEC("engines with an invalid number or count are refused")
{
    static const uint32_t bad[][2] = { { 1, 0 }, { 1, 1 }, { 0, 3 }, { 16, 16 }, { 0, 16 },
        { UINT32_MAX, 2 }, { 0, UINT32_MAX }, { 0, UINT32_C(1) << 31 } };
    struct soft_bench bench = soft_bench_small();
    struct shm_hello hello = hello_of("mrc1", 0);

    soft_bench_open(&bench);
    for (uint32_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        hello.engine = bad[i][0];
        hello.engine_count = bad[i][1];
        EXPECT_EQ(answer_to(&bench, &hello), EINVAL);
    }
    soft_bench_stop(&bench);
}

SPEC("an engine attaches if its NIC has no engine of its number and the same count")
{
    struct soft_bench bench = soft_bench_small();
    struct shm_hello hello = hello_of("mrc1", 0);
    struct pktio_port *port;

    soft_bench_open(&bench);
    port = soft_bench_attach_engine(&bench, 1, 0, 0, 2);
    hello.engine_count = 2;
    EXPECT_EQ(answer_to(&bench, &hello), EBUSY); /* it is taken */
    hello.engine = 1;
    hello.engine_count = 4;
    EXPECT_EQ(answer_to(&bench, &hello), EBUSY); /* the NIC has two */
    hello.engine_count = 2;
    EXPECT_EQ(answer_to(&bench, &hello), 0);
    pktio_port_close(port);
    soft_bench_stop(&bench);
}

SPEC("another process cannot attach as an engine of a NIC, and receives none of its frames")
{
    struct soft_bench bench = soft_bench_small();
    struct shm_hello hello = hello_of("mrc1", 0);
    struct shm_welcome welcome = { .refusal = 0 };
    struct pktio_port *port;
    int result[2];
    pid_t child;

    soft_bench_open(&bench);
    port = soft_bench_attach_engine(&bench, 1, 0, 0, 2);
    hello.engine = 1;
    hello.engine_count = 2;
    EXPECT_EQ(pipe(result), 0);
    child = fork();
    if (child == 0) {
        int sock = knock(&bench);

        say(sock, &hello, sizeof(hello));
        while (recv(sock, &welcome, sizeof(welcome), MSG_DONTWAIT) < 0)
            sched_yield();
        _exit(write(result[1], &welcome, sizeof(welcome)) != sizeof(welcome));
    }
    close(result[1]);
    for (int status; waitpid(child, &status, WNOHANG) == 0;)
        soft_attach_callers(bench.soft);
    EXPECT_EQ(read(result[0], &welcome, sizeof(welcome)), (ssize_t)sizeof(welcome));
    EXPECT_EQ(welcome.refusal, EBUSY);
    close(result[0]);
    pktio_port_close(port);
    soft_bench_stop(&bench);
}

SPEC("the shared memory of a user is limited")
{
    struct soft_bench bench = soft_bench_small();
    struct shm_hello hello = hello_of("mrc0", 1024);
    struct shm_welcome welcome;
    int socks[3];

    soft_bench_open(&bench);
    for (uint32_t i = 0; i < 3; i++) {
        hello.name[3] = (char)('0' + i / 2);
        hello.port = i % 2;
        socks[i] = knock(&bench);
        say(socks[i], &hello, sizeof(hello));
        EXPECT_EQ(hear(&bench, socks[i], &welcome), (ssize_t)sizeof(welcome));
        EXPECT_EQ(welcome.refusal, i < 2 ? 0 : EDQUOT);
    } /* four ports with four engines of usual size are not three of twice that */
    for (uint32_t i = 0; i < 3; i++)
        close(socks[i]);
    soft_bench_stop(&bench);
}

SPEC("no other user may open the socket or the folder of a fabric")
{
    struct soft_bench bench = soft_bench_small();
    struct stat status;
    char path[108];

    soft_bench_open(&bench);
    attach_path(&bench, path);
    EXPECT_EQ(stat(path, &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600);
    *strrchr(path, '/') = '\0';
    EXPECT_EQ(stat(path, &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700);
    snprintf(path, sizeof(path), "%s/mrc0", bench.root);
    EXPECT_EQ(stat(path, &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700);
    soft_bench_stop(&bench);
}
