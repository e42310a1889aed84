/* SPDX-License-Identifier: Apache-2.0 */
/* A run of mrc conform traffic. */
#pragma once

#include "base/prng.h"
#include "conform/conform_frame.h"
#include "conform/traffic.h"
#include "conform/traffic_match.h"

struct traffic {
    const struct traffic_config *config;
    struct traffic_result *result;
    struct conform_port ports[TRAFFIC_PORTS_MAX];
    uint32_t port_count;
    struct traffic_match match;
    struct prng prng;
    uint32_t qpn;
    uint32_t way_count;                    /* EVs among which the frames of a sender alternate */
    uint32_t loaded_by[TRAFFIC_PORTS_MAX]; /* frames built by each sender so far */
    uint64_t first_ns;                     /* of the first frame */
    uint64_t last_ns;                      /* of the last frame sent or recognised */
    uint32_t newest[TRAFFIC_PORTS_MAX][TRAFFIC_EVS_MAX]; /* order + 1, by sender and EV */
    bool is_late;   /* the ordinary frames after hostile ones */
    uint8_t *bytes; /* of a burst */
    uint32_t lengths[TRAFFIC_BURST_MAX];
};

/* Builds the next frames of a sender and sends them. Returns false if the run is over. */
bool traffic_send_burst(struct traffic *, uint32_t sender, uint32_t receiver, uint32_t count);

/* Sends these bytes. */
bool traffic_send_frame(struct traffic *, uint32_t sender, const uint8_t *bytes, uint32_t length);

/* Receives until this time. Returns false if the run is over. */
bool traffic_receive(struct traffic *, uint64_t until_ns);

/* Receives until all frames have come back or nothing comes any more. */
bool traffic_receive_rest(struct traffic *);

/* Sends the packets of the capture. Returns a negative errno with a message. */
int traffic_replay(struct traffic *);

/* Counts what became of the frames. */
void traffic_sum_up(struct traffic *);

/* Ends the run with a message. Returns false. */
__attribute__((format(printf, 2, 3))) bool traffic_end(struct traffic *, const char *format, ...);
