/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which client a control server answers next, and which client it disconnects for another.
 * It compares processes, not clients: a process with many clients neither delays the answer to
 * another process nor keeps it from a place. */
#pragma once

#include "pktio/control_server.h"

/* The client follows and has read everything that was sent to it. */
bool control_turns_is_idle(const struct control_client *);
/* The server waits for the client to finish its request or to read its answer. */
bool control_turns_is_awaited(const struct control_client *);

/* Returns the client to answer: the earliest request of the process with the fewest requests. NULL
 * if there is no open request. */
struct control_client *control_turns_next(struct control_server *);
/* Returns the client to disconnect when another waits for a place: the oldest client of the process
 * with the most. NULL if no process has more than one. */
struct control_client *control_turns_crowding(struct control_server *);
