/* SPDX-License-Identifier: Apache-2.0 */
/* A shared-memory port without any of its manners: what the two ends exchanged, bare. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pktio/frame_ring.h"
#include "pktio/shm_port.h"

/* The end of an attacker. `out` is the ring that it fills, `in` the other. */
struct raw_attach {
    int sock; /* -1: none */
    int memory_fd;
    int own_bell;
    int peer_bell;
    uint8_t *memory;
    size_t ring_bytes;
    struct frame_ring_shared *out;
    struct frame_ring_shared *in;
    uint32_t slot_count;
    uint32_t slot_bytes;
};

/* A socket that has connected, or -1. It never waits. */
int raw_attach_connect(const char *path);

struct shm_hello raw_attach_hello(const char *name, uint32_t port);

/* Sends bytes with descriptors, if any, and does not mind whether that works. */
void raw_attach_say(int sock, const void *bytes, size_t length, const int *fds, uint32_t fd_count);

/* As an honest client would: false if it was not let in within two seconds. */
bool raw_attach_open(struct raw_attach *, const char *path, const struct shm_hello *);
void raw_attach_close(struct raw_attach *);

/* Puts a frame of this claimed length into the next slot and publishes it. */
void raw_attach_put(
    struct raw_attach *, const uint8_t *bytes, uint32_t length, uint32_t claimed_length);
