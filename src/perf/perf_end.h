/* SPDX-License-Identifier: Apache-2.0 */
/* The device of a rank, its registered memory, and its QPs to other ranks. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <mrc.h>

#include "perf/perf_meet.h"

enum {
    PERF_CHANNELS_MAX = 128, /* independent sequences of messages from one peer */
    PERF_NAME_BYTES = 64,
};

/* `name` NULL: returns whether there is any device. */
bool perf_end_has_device(const char *name);

struct perf_qp {
    struct mrc_qp *qp;
    uint32_t peer;
    uint32_t peer_qpn;
    uint32_t psn;
    uint32_t peer_psn;
    uint32_t posted; /* both count up and wrap */
    uint32_t completed;
    uint32_t unsignaled; /* since the last request with a completion */
};

struct perf_peer {
    char device[PERF_NAME_BYTES];
    union ibv_gid gid;
    uint64_t va;
    uint32_t rkey;
    uint32_t arrived[PERF_CHANNELS_MAX]; /* messages with an immediate, over the whole test */
};

struct perf_end {
    struct perf_meet *meet;
    const struct perf_settings *settings;
    char device[PERF_NAME_BYTES];
    uint32_t gid_index;
    struct ibv_context *verbs;
    struct mrc_context *mrc;
    struct mrc_comp_channel *channel;
    struct mrc_cq *cq;
    struct ibv_pd *pd;
    struct ibv_mr *mr;
    uint8_t *memory;
    uint64_t memory_bytes;
    struct perf_qp *qps; /* rank * qp_count + number; .qp is NULL if there is no link */
    struct perf_peer *peers;
    uint32_t in_flight; /* requests of all QPs */
    uint64_t look_ns;   /* when to check the other ranks again */
    uint32_t empty_polls;
    uint64_t completed_ns; /* time of the last completion, or of the first write */
    uint64_t pause_max_ns; /* the longest time in which writes were in flight and none completed */
    bool is_crowded;       /* more ranks than processors: yields while it waits */
};

struct perf_write {
    uint32_t peer;
    uint32_t qp;
    uint64_t from; /* offsets into the memory of this rank and of the peer */
    uint64_t to;
    uint32_t length_bytes;
    bool is_last; /* signalled; a completion of others may stand for several */
    bool has_immediate;
    uint32_t channel;
    uint32_t sequence; /* of the channel, from 0 */
};

/* All calls return 0, or -1 with a problem in `meet`. */
int perf_end_open(struct perf_end *, const char *device, uint64_t memory_bytes);
/* Connects QPs to the ranks that `links` marks. */
int perf_end_connect(struct perf_end *, const bool *links);
void perf_end_close(struct perf_end *);

/* Waits for room in the queue. */
int perf_end_write(struct perf_end *, const struct perf_write *);
/* Takes completions. Called in a loop while waiting. */
int perf_end_poll(struct perf_end *);
/* Waits until all writes are acknowledged. */
int perf_end_drain(struct perf_end *);

/* After a failure: waits for the error completion of a write to a rank that has gone away, and adds
 * it to the problem. */
void perf_end_last_word(struct perf_end *);

uint64_t perf_end_now_ns(void);
