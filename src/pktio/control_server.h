/* SPDX-License-Identifier: Apache-2.0 */
/* The answering side of control.h: a few clients at a time, all of the same user (or root), never
 * waited for. A client gets one answer, or, if it follows, texts until it leaves. A client that
 * neither asks nor reads has a few seconds, and less while others want its place. Processes are
 * served in turn, however many clients each of them has. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CONTROL_CLIENTS_MAX   8
#define CONTROL_FOLLOWERS_MAX 6 /* the other places are for questions */
#define CONTROL_ACCEPTS_MAX   8
#define CONTROL_REQUEST_BYTES 8192
#define CONTROL_FOLLOW_BYTES  65536 /* kept for a follower that is slow to read */

struct control_client {
    int sock;      /* -1: free */
    pid_t process; /* that connected */
    uint64_t came; /* clients before it, and itself */
    char request[CONTROL_REQUEST_BYTES];
    size_t request_bytes;
    uint64_t asked; /* questions before it, and itself; 0: still asking, or answered */
    char *answer;   /* NULL: not answered */
    size_t answer_bytes;
    size_t sent_bytes;
    uint32_t level;    /* above 0: follows */
    uint64_t moved_ms; /* when it last did its part */
};

struct control_server {
    int listener;
    int epoll_fd; /* readable when control_server_poll() has something to do */
    int timer_fd; /* ticks while a client has its part to do */
    bool is_ticking;
    bool is_full;
    uint64_t came;
    uint64_t asked;
    struct control_client clients[CONTROL_CLIENTS_MAX];
    /* Returns a text to be freed. */
    char *(*answer)(void *context, const char *request);
    /* Above 0: the request is to follow, and hears what is told at this level or a lower one. NULL:
     * no request is. */
    uint32_t (*follows)(void *context, const char *request);
    void *context;
};

/* 0 or a negative errno: -EADDRINUSE: another process answers there. The path's length must fit a
 * Unix socket. */
int control_server_open(struct control_server *, const char *socket_path);
void control_server_close(struct control_server *);
/* A server that was never opened, which can be closed. */
void control_server_init(struct control_server *);

/* Does what can be done without waiting, for each client once; accepts CONTROL_ACCEPTS_MAX clients
 * and makes one answer at most. */
void control_server_poll(struct control_server *);

/* To all that follow at `level` or above; returns how many had no room left for it. */
uint32_t control_server_tell(struct control_server *, const char *text, uint32_t level);
uint32_t control_server_followers(const struct control_server *);
