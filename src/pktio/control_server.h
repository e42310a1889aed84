/* SPDX-License-Identifier: Apache-2.0 */
/* The server side of control.h: serves a few clients at a time, all of the same user (or root), and
 * never waits for one. A client gets one answer or, if it follows, texts until it disconnects. A
 * client that neither sends nor reads is disconnected after a few seconds, or sooner while others
 * wait for its place. Processes are served in turn, regardless of the number of their clients. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CONTROL_CLIENTS_MAX   8
#define CONTROL_FOLLOWERS_MAX 6 /* the other places are for requests */
#define CONTROL_ACCEPTS_MAX   8
#define CONTROL_REQUEST_BYTES 8192
#define CONTROL_FOLLOW_BYTES  65536 /* kept for a follower that is slow to read */

struct control_client {
    int sock;      /* -1 if free */
    pid_t process; /* the process that connected */
    uint64_t came; /* number of clients so far, this one included */
    char request[CONTROL_REQUEST_BYTES];
    size_t request_bytes;
    uint64_t asked; /* number of requests so far, this one included; 0: no open request */
    char *answer;   /* NULL if not answered */
    size_t answer_bytes;
    size_t sent_bytes;
    uint32_t level;    /* above 0 if it follows */
    uint64_t moved_ms; /* when it last sent or read */
};

struct control_server {
    int listener;
    int epoll_fd; /* readable when control_server_poll() has something to do */
    int timer_fd; /* runs while a client has a time limit */
    bool is_ticking;
    bool is_full;
    uint64_t came;
    uint64_t asked;
    struct control_client clients[CONTROL_CLIENTS_MAX];
    /* Returns a text that the caller frees. */
    char *(*answer)(void *context, const char *request);
    /* Returns the level of a request to follow: the client gets the texts of this and lower levels.
     * Returns 0 for other requests. NULL if no request can follow. */
    uint32_t (*follows)(void *context, const char *request);
    void *context;
};

/* Returns 0 or a negative errno: -EADDRINUSE if another process listens there. The path must fit
 * into the address of a Unix socket. */
int control_server_open(struct control_server *, const char *socket_path);
void control_server_close(struct control_server *);
/* Makes a server that was never opened safe to close. */
void control_server_init(struct control_server *);

/* Serves each client once without waiting. Accepts at most CONTROL_ACCEPTS_MAX clients and makes at
 * most one answer. */
void control_server_poll(struct control_server *);

/* Sends to all followers of `level` or above. Returns the number of followers that had no room for
 * the text. */
uint32_t control_server_tell(struct control_server *, const char *text, uint32_t level);
