/* SPDX-License-Identifier: Apache-2.0 */
/* The hello of the client of a shared-memory port, and the checks of the answer. Neither call
 * waits. */
#pragma once

#include "pktio/shm_meet.h"

struct sockaddr_un;

/* Sends the hello. Returns its socket or a negative errno. */
int shm_call_server(const struct sockaddr_un *, const struct shm_hello *);

/* Returns 0 if the server has answered with these rings and the state of the link; the caller
 * closes the doorbells of the rings. Returns -EAGAIN if there is no answer yet, -ECONNRESET if the
 * server has closed the connection, and otherwise the refusal of the server or the error in its
 * answer. */
int shm_call_hear(int sock, struct shm_rings *, bool *link_up);
