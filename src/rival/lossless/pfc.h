/* SPDX-License-Identifier: Apache-2.0 */
/* Priority flow control at a switch with one lossless class: the buffer is counted by the port at
 * which packets came in. A port that has used its share of the pool pauses its sender; what still
 * arrives goes into the headroom of the port, which is reserved for this. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct pfc_config {
    uint64_t buffer_bytes; /* of the switch, headroom included */
    int32_t alpha_log2;    /* a port may take 2^alpha_log2 times what is free of the pool */
    uint64_t xon_bytes;    /* a sender resumes this far below the threshold */
    uint64_t refresh_ps;   /* a packet this long after a pause shows that it was lost: repeat it */
};

/* One ingress port. */
struct pfc_ingress {
    uint64_t pool_bytes; /* used of the pool */
    uint64_t used_bytes; /* of its headroom */
    uint64_t headroom_bytes;
    uint64_t paused_ps; /* when its sender was last paused */
    bool is_paused;
};

struct pfc {
    struct pfc_config config;
    struct pfc_ingress *ports;
    uint64_t pool_bytes;
    uint64_t used_bytes; /* of the pool */
    uint64_t peak_bytes; /* the most that a port has used of its headroom */
    uint64_t pause_count;
};

/* With an arena without memory, only measures. */
void pfc_init(struct pfc *, struct arena *, const struct pfc_config *, uint32_t port_count);

/* Reserves the headroom of a port; called once for each port, before the first packet. */
void pfc_reserve(struct pfc *, uint32_t port, uint64_t headroom_bytes);

enum pfc_signal {
    PFC_SILENT,
    PFC_PAUSE,
    PFC_RESUME,
};

struct pfc_step {
    enum pfc_signal signal; /* to the sender at the ingress port */
    bool is_lost;           /* no room: the headroom is too small */
};

/* A packet comes in at a port. */
struct pfc_step pfc_admit(struct pfc *, uint32_t port, uint32_t bytes, uint64_t now_ps);
/* A packet that came in at a port leaves the switch. */
struct pfc_step pfc_release(struct pfc *, uint32_t port, uint32_t bytes);

/* A link as its receiving switch sees it. */
struct pfc_link {
    uint64_t rate_bps;
    uint64_t there_ps; /* delay of packets to the switch */
    uint64_t back_ps;  /* delay of pause frames from the switch */
    uint32_t packet_bytes;
};

/* Returns how much can arrive after the packet that exceeds the threshold: less headroom loses
 * packets. */
uint64_t pfc_least_headroom(const struct pfc_link *);
/* Returns the headroom by the usual formula, with the time that IEEE 802.3 permits a sender to take
 * until it pauses. */
uint64_t pfc_usual_headroom(const struct pfc_link *);
