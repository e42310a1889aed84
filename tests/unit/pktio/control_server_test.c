/* SPDX-License-Identifier: Apache-2.0 */
/* A server of questions among clients that ask, follow, stay silent and do not read. */
#include "pktio/control_server.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pktio/control_client.h"
#include "spec.h"

enum { SILENT = CONTROL_CLIENTS_MAX + 1, ANSWER_BYTES = 1 << 20 };

struct world {
    struct control_server server;
    char path[64];
    char heard[16]; /* the last question */
    uint32_t heard_count;
};

static char *echo(void *context, const char *request)
{
    struct world *world = context;
    char *text;

    snprintf(world->heard, sizeof(world->heard), "%s", request);
    world->heard_count++;
    if (strcmp(request, "long") != 0)
        return strdup(request);
    text = malloc(ANSWER_BYTES + 1);
    memset(text, 'x', ANSWER_BYTES);
    text[ANSWER_BYTES] = '\0';
    return text;
}

static uint32_t level_of(void *context, const char *request)
{
    (void)context;
    return strcmp(request, "follow") == 0;
}

static void world_open(struct world *world)
{
    *world = (struct world){ .server = { .answer = echo, .follows = level_of, .context = world } };
    snprintf(world->path, sizeof(world->path), "/tmp/mrc-test-control-%d", (int)getpid());
    EXPECT_EQ(control_server_open(&world->server, world->path), 0);
}

static void world_close(struct world *world)
{
    control_server_close(&world->server);
    unlink(world->path);
}

static int knock(const struct world *world)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    strcpy(address.sun_path, world->path);
    EXPECT_EQ(connect(sock, (struct sockaddr *)&address, sizeof(address)), 0);
    return sock;
}

struct asker {
    pthread_t thread;
    const char *path;
    _Atomic bool is_done;
    int err;
    char *answer;
};

static void *ask(void *context)
{
    struct asker *asker = context;

    asker->err = control_ask(asker->path, "what?", &asker->answer);
    asker->is_done = true;
    return NULL;
}

/* Serves until the question is answered; returns how often the server woke for it. */
static uint32_t serve_question(struct world *world)
{
    struct asker asker = { .path = world->path };
    struct pollfd poll_fd = { .fd = world->server.epoll_fd, .events = POLLIN };
    uint32_t wakes = 0;

    EXPECT_EQ(pthread_create(&asker.thread, NULL, ask, &asker), 0);
    while (!asker.is_done && wakes < 100000)
        if (poll(&poll_fd, 1, 10) == 1) {
            control_server_poll(&world->server);
            wakes++;
        }
    pthread_join(asker.thread, NULL);
    EXPECT_EQ(asker.err, 0);
    EXPECT_STR_EQ(asker.answer, "what?");
    free(asker.answer);
    return wakes;
}

SPEC("a request is answered, and only its user can access the socket")
{
    struct world world;
    struct stat status;

    world_open(&world);
    EXPECT_EQ(stat(world.path, &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600);
    EXPECT_LE(serve_question(&world), 10);
    world_close(&world);
}

SPEC("clients that send nothing neither delay others nor wake the server repeatedly")
{
    struct world world;
    int silent[SILENT];

    world_open(&world);
    for (uint32_t i = 0; i < SILENT; i++) {
        silent[i] = knock(&world);
        control_server_poll(&world.server);
    }
    EXPECT_LE(serve_question(&world), 100);
    for (uint32_t i = 0; i < SILENT; i++)
        close(silent[i]);
    world_close(&world);
}

SPEC("clients that do not read long answers do not delay others")
{
    struct world world;
    int lazy[SILENT];

    world_open(&world);
    for (uint32_t i = 0; i < SILENT; i++) {
        lazy[i] = knock(&world);
        EXPECT_EQ(send(lazy[i], "long", 4, MSG_NOSIGNAL), 4);
        EXPECT_EQ(shutdown(lazy[i], SHUT_WR), 0);
        control_server_poll(&world.server);
    }
    EXPECT_LE(serve_question(&world), 100);
    for (uint32_t i = 0; i < SILENT; i++)
        close(lazy[i]);
    world_close(&world);
}

SPEC("followers leave places for requests, and receive events")
{
    struct world world;
    int followers[CONTROL_CLIENTS_MAX];
    uint32_t following = 0;
    char text[16] = "";

    world_open(&world);
    for (uint32_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
        followers[i] = control_follow(world.path, "follow");
        EXPECT_GE(followers[i], 0);
        for (uint32_t turn = 0; turn < 4; turn++)
            control_server_poll(&world.server);
    }
    for (uint32_t i = 0; i < CONTROL_CLIENTS_MAX; i++)
        following += world.server.clients[i].sock >= 0 && world.server.clients[i].level > 0;
    EXPECT_EQ(following, CONTROL_FOLLOWERS_MAX);
    EXPECT_LE(serve_question(&world), 10);
    EXPECT_EQ(control_server_tell(&world.server, "news", 1), 0);
    control_server_poll(&world.server);
    EXPECT_EQ(read(followers[0], text, sizeof(text) - 1), 4);
    EXPECT_STR_EQ(text, "news");
    EXPECT_LE(serve_question(&world), 10);
    for (uint32_t i = 0; i < CONTROL_CLIENTS_MAX; i++)
        close(followers[i]);
    world_close(&world);
}

/* ---- turns of processes ------------------------------------------------------------------------
 */

/* Another process, which has asked when this returns. It ends without an error if the answer is
 * right. */
static pid_t begin_process(const struct world *world, const char *question)
{
    int has_asked[2];
    char byte;
    pid_t pid;

    EXPECT_EQ(pipe(has_asked), 0);
    pid = fork();
    if (pid == 0) {
        char text[16] = "";
        int sock;

        alarm(30); /* in case it is never answered */
        sock = control_follow(world->path, question);

        if (write(has_asked[1], "", 1) == 1 && read(sock, text, sizeof(text) - 1) > 0)
            _exit(strcmp(text, question) != 0);
        _exit(2);
    }
    EXPECT_EQ(read(has_asked[0], &byte, 1), 1);
    close(has_asked[0]);
    close(has_asked[1]);
    return pid;
}

static void end_process(pid_t pid)
{
    int status = 0;

    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
}

/* The client comes, and asks and is answered. */
enum { POLLS_OF_A_QUESTION = 2 };

SPEC("clients of one process that send nothing, in all places and in the backlog, delay no other "
     "process")
{
    struct world world;
    int silent[SILENT + 4];
    pid_t other;

    world_open(&world);
    for (uint32_t i = 0; i < SILENT + 4; i++) {
        silent[i] = knock(&world);
        if (i < CONTROL_CLIENTS_MAX)
            control_server_poll(&world.server);
    }
    other = begin_process(&world, "me?");
    for (uint32_t i = 0; i < POLLS_OF_A_QUESTION; i++)
        control_server_poll(&world.server);
    EXPECT_STR_EQ(world.heard, "me?");
    end_process(other);
    for (uint32_t i = 0; i < SILENT + 4; i++)
        close(silent[i]);
    world_close(&world);
}

SPEC("a process with one request is served before a process with many that came first")
{
    struct world world;
    int many[CONTROL_CLIENTS_MAX - 1];
    pid_t other;

    world_open(&world);
    for (uint32_t i = 0; i < CONTROL_CLIENTS_MAX - 1; i++)
        many[i] = control_follow(world.path, "many");
    other = begin_process(&world, "me?");
    for (uint32_t i = 0; i < POLLS_OF_A_QUESTION; i++)
        control_server_poll(&world.server);
    EXPECT_STR_EQ(world.heard, "me?");
    end_process(other);
    for (uint32_t i = 0; i < CONTROL_CLIENTS_MAX - 1; i++)
        close(many[i]);
    world_close(&world);
}

SPEC("a turn of the server accepts a few clients and makes one answer, until all are answered")
{
    struct world world;
    int socks[CONTROL_CLIENTS_MAX];

    world_open(&world);
    for (uint32_t i = 0; i < CONTROL_CLIENTS_MAX; i++)
        socks[i] = control_follow(world.path, "q");
    control_server_poll(&world.server);
    EXPECT_EQ(world.heard_count, 0);
    for (uint32_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
        control_server_poll(&world.server);
        EXPECT_EQ(world.heard_count, i + 1);
    }
    for (uint32_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
        char byte;

        EXPECT_EQ(read(socks[i], &byte, 1), 1);
        close(socks[i]);
    }
    world_close(&world);
}

/* ---- a client that is interrupted -------------------------------------------------------------
 */

enum { KNOCKS_MAX = 1024, SIGNALS = 50 };

static void on_signal(int number)
{
    (void)number;
}

/* Until one more would have to wait. */
static uint32_t fill_backlog(const struct world *world, int socks[static KNOCKS_MAX])
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    uint32_t count = 0;

    strcpy(address.sun_path, world->path);
    for (; count < KNOCKS_MAX; count++) {
        socks[count] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (connect(socks[count], (struct sockaddr *)&address, sizeof(address)) != 0)
            break;
    }
    EXPECT_LT(count, KNOCKS_MAX);
    return count + 1;
}

SPEC("a client that is interrupted while it waits for its turn continues to wait")
{
    struct sigaction action = { .sa_handler = on_signal };
    static int socks[KNOCKS_MAX];
    struct asker asker;
    struct world world;
    uint32_t count;

    world_open(&world);
    sigaction(SIGUSR1, &action, NULL);
    count = fill_backlog(&world, socks);
    asker = (struct asker){ .path = world.path };
    EXPECT_EQ(pthread_create(&asker.thread, NULL, ask, &asker), 0);
    for (uint32_t i = 0; i < SIGNALS; i++) {
        usleep(1000);
        pthread_kill(asker.thread, SIGUSR1);
    }
    for (uint32_t i = 0; i < count; i++)
        close(socks[i]);
    while (!asker.is_done)
        control_server_poll(&world.server);
    pthread_join(asker.thread, NULL);
    EXPECT_EQ(asker.err, 0);
    EXPECT_STR_EQ(asker.answer, "what?");
    free(asker.answer);
    world_close(&world);
}
