/* SPDX-License-Identifier: Apache-2.0 */
/* Starts endpoint.sh, which measures endpoints of real processes. It also provides the reference,
 * plain UDP over loopback:
 *
 *     endpoint blast MILLISECONDS BYTES    rate of datagrams that arrive, in Gb/s
 *     endpoint ping COUNT BYTES            half of the median round trip of a datagram, in us */
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 64, BYTES_MAX = 9000, BUFFER_BYTES = 8 << 20, LOOKS_BETWEEN_YIELDS = 16 };

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void give_up(const char *what)
{
    perror(what);
    exit(1);
}

/* Opens two sockets, connected to each other. */
static void open_pair(int fds[2])
{
    struct sockaddr_in addresses[2];
    socklen_t length = sizeof(addresses[0]);
    int buffer_bytes = BUFFER_BYTES;

    for (int i = 0; i < 2; i++) {
        addresses[i] = (struct sockaddr_in){ .sin_family = AF_INET,
            .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
        fds[i] = socket(AF_INET, SOCK_DGRAM, 0);
        if (fds[i] < 0 || bind(fds[i], (struct sockaddr *)&addresses[i], length) != 0 ||
            getsockname(fds[i], (struct sockaddr *)&addresses[i], &length) != 0)
            give_up("socket");
        setsockopt(fds[i], SOL_SOCKET, SO_RCVBUF, &buffer_bytes, sizeof(buffer_bytes));
        setsockopt(fds[i], SOL_SOCKET, SO_SNDBUF, &buffer_bytes, sizeof(buffer_bytes));
    }
    for (int i = 0; i < 2; i++)
        if (connect(fds[i], (struct sockaddr *)&addresses[1 - i], length) != 0)
            give_up("connect");
}

struct batch {
    uint8_t bytes[BATCH][BYTES_MAX];
    struct iovec pieces[BATCH];
    struct mmsghdr messages[BATCH];
};

static struct batch *new_batch(size_t bytes)
{
    struct batch *batch = calloc(1, sizeof(*batch));

    if (!batch)
        give_up("memory");
    for (int i = 0; i < BATCH; i++) {
        batch->pieces[i] = (struct iovec){ batch->bytes[i], bytes };
        batch->messages[i].msg_hdr =
            (struct msghdr){ .msg_iov = &batch->pieces[i], .msg_iovlen = 1 };
    }
    return batch;
}

static void send_for_ever(int fd, size_t bytes)
{
    struct batch *batch = new_batch(bytes);

    for (;;)
        if (sendmmsg(fd, batch->messages, BATCH, 0) < 0 && errno != ENOBUFS && errno != EAGAIN)
            give_up("sendmmsg");
}

static void blast(uint64_t milliseconds, size_t bytes)
{
    struct batch *batch = new_batch(bytes);
    uint64_t arrived = 0;
    uint64_t began_ns;
    int fds[2];
    pid_t sender;

    open_pair(fds);
    sender = fork();
    if (sender == 0)
        send_for_ever(fds[0], bytes);
    recvmmsg(fds[1], batch->messages, 1, 0, NULL);
    began_ns = now_ns();
    while (now_ns() - began_ns < milliseconds * 1000000) {
        int count = recvmmsg(fds[1], batch->messages, BATCH, MSG_WAITFORONE, NULL);

        if (count < 0)
            give_up("recvmmsg");
        arrived += (uint64_t)count * bytes;
    }
    printf("%.3f\n", (double)arrived * 8 / (double)(now_ns() - began_ns));
    kill(sender, SIGKILL);
    waitpid(sender, NULL, 0);
    free(batch);
}

/* Polls and yields the processor from time to time, as mrc perf does on few processors. */
static void await(int fd, uint8_t *bytes, size_t length)
{
    uint32_t looks = 0;

    while (recv(fd, bytes, length, MSG_DONTWAIT) < 0)
        if (++looks % LOOKS_BETWEEN_YIELDS == 0)
            sched_yield();
}

static int compare(const void *left, const void *right)
{
    uint64_t one = *(const uint64_t *)left;
    uint64_t other = *(const uint64_t *)right;

    return (one > other) - (one < other);
}

static void answer_for_ever(int fd, size_t bytes)
{
    uint8_t message[BYTES_MAX] = { 0 };

    for (;;) {
        await(fd, message, sizeof(message));
        send(fd, message, bytes, 0);
    }
}

static void ping(uint64_t count, size_t bytes)
{
    uint64_t *times_ns = calloc(count, sizeof(*times_ns));
    uint8_t message[BYTES_MAX] = { 0 };
    uint64_t middle = count / 2;
    int fds[2];
    pid_t other;

    if (!times_ns)
        give_up("memory");
    open_pair(fds);
    other = fork();
    if (other == 0)
        answer_for_ever(fds[1], bytes);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t began_ns = now_ns();

        send(fds[0], message, bytes, 0);
        await(fds[0], message, sizeof(message));
        times_ns[i] = now_ns() - began_ns;
    }
    qsort(times_ns, count, sizeof(*times_ns), compare);
    printf("%.3f\n", (double)times_ns[middle] / 2e3);
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    free(times_ns);
}

/* The script starts this program again as $ENDPOINT. */
static int run_script(void)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

    if (length < 0)
        give_up("/proc/self/exe");
    path[length] = '\0';
    setenv("ENDPOINT", path, 1);
    execl("/bin/sh", "sh", "bench/endpoint.sh", (char *)NULL);
    give_up("bench/endpoint.sh");
    return 1;
}

int main(int argument_count, char **arguments)
{
    uint64_t number = argument_count == 4 ? strtoull(arguments[2], NULL, 10) : 0;
    size_t bytes = argument_count == 4 ? strtoul(arguments[3], NULL, 10) : 0;

    if (argument_count == 1)
        return run_script();
    if (number == 0 || bytes == 0 || bytes > BYTES_MAX)
        return 2;
    if (strcmp(arguments[1], "blast") == 0)
        blast(number, bytes);
    else if (strcmp(arguments[1], "ping") == 0)
        ping(number, bytes);
    else
        return 2;
    return 0;
}
