/* SPDX-License-Identifier: Apache-2.0 */
/* The device "mrc0", as another process that has it open: a test decides what it answers. */
#pragma once

#include "spec.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pktio/control_server.h"

struct device_process {
    struct control_server server;
    char root[64];
    char folder[80];
    char socket[96];
    pthread_t thread;
    atomic_bool is_over;
};

static inline void *device_process_serve(void *context)
{
    struct device_process *device = context;
    struct pollfd readable = { .fd = device->server.epoll_fd, .events = POLLIN };

    while (!atomic_load(&device->is_over)) {
        poll(&readable, 1, 10);
        control_server_poll(&device->server);
    }
    return NULL;
}

/* `answer` runs in another thread, and returns memory that its caller frees. */
static inline void device_process_open(struct device_process *device,
    char *(*answer)(void *context, const char *question), void *context)
{
    *device = (struct device_process){ .root = "/tmp/mrc-test-device-XXXXXX" };
    device->server = (struct control_server){ .answer = answer, .context = context };
    EXPECT(mkdtemp(device->root));
    setenv("MRC_RUN_DIR", device->root, 1);
    snprintf(device->folder, sizeof(device->folder), "%s/mrc", device->root);
    EXPECT_EQ(mkdir(device->folder, 0700), 0);
    strcat(device->folder, "/mrc0");
    EXPECT_EQ(mkdir(device->folder, 0700), 0);
    snprintf(device->socket, sizeof(device->socket), "%s/status", device->folder);
    EXPECT_EQ(control_server_open(&device->server, device->socket), 0);
    EXPECT_EQ(pthread_create(&device->thread, NULL, device_process_serve, device), 0);
}

static inline void device_process_close(struct device_process *device)
{
    atomic_store(&device->is_over, true);
    EXPECT_EQ(pthread_join(device->thread, NULL), 0);
    control_server_close(&device->server);
    unlink(device->socket);
    rmdir(device->folder);
    *strrchr(device->folder, '/') = '\0';
    rmdir(device->folder);
    rmdir(device->root);
}
