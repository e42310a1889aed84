/* SPDX-License-Identifier: Apache-2.0 */
/* A rank's end of the fabric: a device, one registered memory, QPs to other ranks. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <mrc.h>

#include "perf/perf_meet.h"

enum {
    PERF_CHANNELS_MAX = 128, /* independent sequences of messages from one peer */
    PERF_NAME_BYTES = 64,
};

/* NULL: is there any? */
bool perf_end_has_device(const char *name);

struct perf_qp {
    struct mrc_qp *qp;
    uint32_t peer;
    uint32_t peer_qpn;
    uint32_t psn;
    uint32_t peer_psn;
    uint32_t posted; /* both count up and wrap */
    uint32_t completed;
    uint32_t unsignaled; /* since the last request that completes by itself */
};

struct perf_peer {
    char device[PERF_NAME_BYTES];
    union ibv_gid gid;
    uint64_t va;
    uint32_t rkey;
    uint32_t arrived[PERF_CHANNELS_MAX]; /* messages with an immediate, counted for ever */
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
    struct perf_qp *qps; /* rank * qp_count + number; .qp NULL: no link */
    struct perf_peer *peers;
    uint32_t in_flight; /* requests of all QPs */
    uint64_t look_ns;   /* when to look around again */
    uint32_t empty_polls;
    uint64_t completed_ns; /* when something completed last, or the first write was posted */
    uint64_t pause_max_ns; /* the longest time in which writes were under way and none completed */
    bool is_crowded;       /* more ranks than processors: give them away while waiting */
};

struct perf_write {
    uint32_t peer;
    uint32_t qp;
    uint64_t from; /* offsets into the memory, there and here */
    uint64_t to;
    uint32_t length_bytes;
    bool is_last; /* its completion is waited for; others may wait for one of many */
    bool has_immediate;
    uint32_t channel;
    uint32_t sequence; /* of the channel, from 0 */
};

/* All yield 0, or -1 with a problem in `meet`. */
int perf_end_open(struct perf_end *, const char *device, uint64_t memory_bytes);
/* QPs to the ranks that `links` marks, and theirs to us. */
int perf_end_connect(struct perf_end *, const bool *links);
void perf_end_close(struct perf_end *);

/* Waits for room in the queue. */
int perf_end_write(struct perf_end *, const struct perf_write *);
/* Takes completions; to be called in a loop while waiting for something. */
int perf_end_poll(struct perf_end *);
/* Until all writes are acknowledged. */
int perf_end_drain(struct perf_end *);

/* After a failure: waits for the error completion of a write to a rank that has gone away, and adds
 * it to the problem. */
void perf_end_last_word(struct perf_end *);

uint64_t perf_end_now_ns(void);
