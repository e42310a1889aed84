/* SPDX-License-Identifier: Apache-2.0 */
/* What the client of a shared-memory port says to its server, and what it believes of the answer.
 * Neither call waits. */
#pragma once

#include "pktio/shm_meet.h"

struct sockaddr_un;

/* Returns the socket on which the hello was sent, or a negative errno. */
int shm_call_server(const struct sockaddr_un *, const struct shm_hello *);

/* 0: the server has answered with these rings, whose bells are the caller's to close, and the
 * state of the link. -EAGAIN: no answer yet. -ECONNRESET: the server has hung up. Otherwise the
 * refusal of the server, or what is wrong with its answer. */
int shm_call_hear(int sock, struct shm_rings *, bool *link_up);
