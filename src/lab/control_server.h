/* SPDX-License-Identifier: Apache-2.0 */
/* The answering side of control.h: a few clients at a time, never waited for. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONTROL_CLIENTS_MAX   8
#define CONTROL_REQUEST_BYTES 8192

struct control_client {
    int sock; /* -1: free */
    char request[CONTROL_REQUEST_BYTES];
    size_t request_bytes;
    char *answer; /* NULL: still asking */
    size_t answer_bytes;
    size_t sent_bytes;
};

struct control_server {
    int listener;
    struct control_client clients[CONTROL_CLIENTS_MAX];
    /* Yields a text to be freed. */
    char *(*answer)(void *context, const char *request);
    void *context;
};

/* 0 or a negative errno. The path's length must fit a Unix socket. */
int control_server_open(struct control_server *, const char *socket_path);
void control_server_close(struct control_server *);

/* Does what can be done without waiting. */
void control_server_poll(struct control_server *);

/* Descriptors to sleep on; `writes`: until it takes more. Yields how many of at most
 * CONTROL_CLIENTS_MAX + 1. */
struct control_wait {
    int fd;
    bool writes;
};
uint32_t control_server_waits(
    const struct control_server *, struct control_wait out[static CONTROL_CLIENTS_MAX + 1]);
