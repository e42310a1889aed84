/* SPDX-License-Identifier: Apache-2.0 */
/* The stored state of a namespace fabric while it is up: the file `state` in its folder. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct plan;

struct netns_state {
    bool is_kernel;
    uint32_t nic_count;
    uint32_t switch_count;
    uint64_t digest; /* of the fabric's description */
    pid_t pid;       /* of the switch process; 0 if none */
    uint64_t born;   /* its start time, so that a later process is not mistaken for it */
};

uint64_t netns_state_digest(const struct plan *);

/* Returns 0 or a negative errno: -ENOENT if there is no file, -EINVAL if it is damaged. */
int netns_state_read(const char *folder, struct netns_state *);
int netns_state_write(const char *folder, const struct netns_state *);

/* Records a process. Returns false if it has ended already. */
bool netns_state_adopt(struct netns_state *, pid_t pid);
/* Returns whether the recorded process runs. A later process with the same ID does not count. */
bool netns_state_is_running(const struct netns_state *);
/* Ends the switch process: with SIGTERM and, after `patience_ms`, with SIGKILL. */
void netns_state_end_process(const struct netns_state *, uint32_t patience_ms);
