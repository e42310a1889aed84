/* SPDX-License-Identifier: Apache-2.0 */
/* What is remembered of a namespace fabric while it is up: the file `state` in its folder. */
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
    pid_t pid;       /* of the switch process; 0: none */
    uint64_t born;   /* when it was started, so that a later process is not taken for it */
};

uint64_t netns_state_digest(const struct plan *);

/* 0 or a negative errno: -ENOENT: nothing is remembered; -EINVAL: the file is damaged. */
int netns_state_read(const char *folder, struct netns_state *);
int netns_state_write(const char *folder, const struct netns_state *);

/* Remembers a process. False: it has ended already. */
bool netns_state_adopt(struct netns_state *, pid_t pid);
/* The process that is remembered, and not a later one with the same number. */
bool netns_state_is_running(const struct netns_state *);
/* Ends the switch process, kindly at first, and after so long by force. */
void netns_state_end_process(const struct netns_state *, uint32_t patience_ms);
