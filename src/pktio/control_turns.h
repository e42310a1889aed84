/* SPDX-License-Identifier: Apache-2.0 */
/* Whose turn it is at a control server: which client is answered next, and which gives its place to
 * another. Processes count, not clients: a process with many clients neither delays the answer to
 * another process nor keeps it from a place. */
#pragma once

#include "pktio/control_server.h"

/* It follows, and has read all it was told. */
bool control_turns_is_idle(const struct control_client *);
/* It has its part to do: to finish its request, or to read its answer. */
bool control_turns_is_awaited(const struct control_client *);

/* The client to answer: of the process with the fewest questions, the first that came. NULL: no
 * question is open. */
struct control_client *control_turns_next(struct control_server *);
/* The client to hang up on where another waits for a place: the oldest of the process that has the
 * most. NULL: no process has more than one. */
struct control_client *control_turns_crowding(struct control_server *);
