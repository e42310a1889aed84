/* SPDX-License-Identifier: Apache-2.0 */
/* The server side of shm_port.h: clients that have connected, until their hello arrives or their
 * time is over. No function here waits for a client. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "pktio/shm_port.h"

#define SHM_LOBBY_GUESTS_MAX 32
#define SHM_LOBBY_USER_MAX   24 /* guests of one user */

struct shm_lobby_guest {
    int sock; /* -1 if free */
    uid_t user;
    pid_t process;
    uint64_t came_ms;
};

struct shm_lobby {
    int listener;
    int epoll_fd;   /* readable when shm_lobby_next() has something to do */
    int reserve_fd; /* released to tell a client that there are no descriptors left */
    bool is_full;
    struct shm_lobby_guest guests[SHM_LOBBY_GUESTS_MAX];
};

/* A client that has sent its hello. */
struct shm_lobby_call {
    int sock;
    uid_t user;
    pid_t process;
    struct shm_hello hello;
};

/* Only the user of the process can connect to the socket. Returns 0 or a negative errno. */
int shm_lobby_open(struct shm_lobby *, const char *path);
void shm_lobby_close(struct shm_lobby *);

/* Returns true with a call, which the caller must end with shm_lobby_admit() or shm_lobby_refuse().
 */
bool shm_lobby_next(struct shm_lobby *, uint64_t now_ms, struct shm_lobby_call *);

/* Returns the size in bytes of the shared memory of the client. */
size_t shm_lobby_bytes(const struct shm_port_config *, const struct shm_lobby_call *);
/* Returns 0, or a negative errno, which is also sent to the client. */
int shm_lobby_admit(
    const struct shm_lobby_call *, const struct shm_port_config *, struct pktio_port **);
void shm_lobby_refuse(const struct shm_lobby_call *, int err);
