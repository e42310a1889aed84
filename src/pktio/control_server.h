/* SPDX-License-Identifier: Apache-2.0 */
/* The answering side of control.h: a few clients at a time, all of the same user (or root), never
 * waited for. A client gets one answer, or, if it follows, texts until it leaves. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONTROL_CLIENTS_MAX   8
#define CONTROL_REQUEST_BYTES 8192
#define CONTROL_FOLLOW_BYTES  65536 /* kept for a follower that is slow to read */

struct control_client {
    int sock; /* -1: free */
    char request[CONTROL_REQUEST_BYTES];
    size_t request_bytes;
    char *answer; /* NULL: still asking */
    size_t answer_bytes;
    size_t sent_bytes;
    uint32_t level; /* above 0: follows */
};

struct control_server {
    int listener;
    struct control_client clients[CONTROL_CLIENTS_MAX];
    /* Yields a text to be freed. */
    char *(*answer)(void *context, const char *request);
    /* Above 0: the request is to follow, and hears what is told at this level or a lower one. NULL:
     * nobody follows. */
    uint32_t (*follows)(void *context, const char *request);
    void *context;
};

/* 0 or a negative errno: -EADDRINUSE: somebody else answers there. The path's length must fit a
 * Unix socket. */
int control_server_open(struct control_server *, const char *socket_path);
void control_server_close(struct control_server *);

/* Does what can be done without waiting. */
void control_server_poll(struct control_server *);

/* To all who follow at `level` or above; yields how many had no room left for it. */
uint32_t control_server_tell(struct control_server *, const char *text, uint32_t level);
uint32_t control_server_followers(const struct control_server *);

/* Descriptors to sleep on; `writes`: until it takes more, `is_idle`: only until it hangs up. Yields
 * how many of at most CONTROL_CLIENTS_MAX + 1. */
struct control_wait {
    int fd;
    bool writes;
    bool is_idle;
};
uint32_t control_server_waits(
    const struct control_server *, struct control_wait out[static CONTROL_CLIENTS_MAX + 1]);
