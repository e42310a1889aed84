/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a device that no process has open, so that its probes can be sent. */
#pragma once

struct ibv_context;
struct mrc_context;
struct mrc_cq;

struct map_attach {
    struct ibv_context *verbs;
    struct mrc_context *mrc;
    struct mrc_cq *cq; /* claims the NIC */
};

/* Returns 0 or a negative errno. */
int map_attach_open(struct map_attach *, const char *device);
void map_attach_close(struct map_attach *);
