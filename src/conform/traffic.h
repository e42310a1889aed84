/* SPDX-License-Identifier: Apache-2.0 */
/* mrc conform traffic: sends frames from some ports, receives what comes to any, and measures loss,
 * marks, trimming, order and latency, for devices that have no peer yet. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "conform/conform_port.h"
#include "files/files.h"
#include "plan/plan.h"
#include "wire/format.h"

enum traffic_pattern {
#define PATTERN(id, word, help) TRAFFIC_##id,
#include "conform/traffic_patterns.def"
#undef PATTERN
    TRAFFIC_PATTERN_COUNT,
};

#define TRAFFIC_PORTS_MAX  16
#define TRAFFIC_FRAMES_MAX 1000000 /* of a run */
#define TRAFFIC_BURST_MAX  1024
#define TRAFFIC_EVS_MAX    256

struct traffic_port {
    char address[CONFORM_PORT_NAME_BYTES];
    char device[16]; /* of a soft fabric: the NIC whose port this is */
    uint32_t plane;
    bool sends;
    bool has_nic;
    uint32_t nic; /* of the fabric */
    bool has_path;
    struct ipv6_addr path; /* outer destination of its frames */
    bool has_source;
    struct ipv6_addr source;
};

/* Reads a port as an option gives it, "ADDRESS[,KEY=VALUE]...". Returns false with a message in
 * `yaml`. */
bool traffic_port_read(struct yaml *, const char *option, const char *text, struct traffic_port *);

struct traffic_config {
    enum traffic_pattern pattern;
    struct traffic_port ports[TRAFFIC_PORTS_MAX];
    uint32_t port_count;
    const struct plan *fabric; /* NULL: no plan */
    struct wire_format format;
    const char *capture;  /* of TRAFFIC_REPLAY */
    bool keeps_times;     /* of the capture */
    uint32_t frame_count; /* of each sender */
    uint32_t burst_frames;
    uint32_t ev_count;
    uint32_t payload_bytes;
    uint64_t gap_ns;  /* from the begin of a burst to the next one */
    uint64_t wait_ns; /* for frames, after the last one was sent or received */
    enum dscp_class class;
    uint8_t ecn;
    struct ipv6_addr destination; /* inner, if there is no fabric */
    uint64_t seed;
    const volatile sig_atomic_t *is_interrupted;
};

/* What became of the frames of one sender. */
struct traffic_counts {
    uint64_t sent;
    uint64_t sent_bytes;
    uint64_t whole;
    uint64_t marked;
    uint64_t trimmed; /* also those at the last hop */
    uint64_t trimmed_last_hop;
    uint64_t lost;
    uint64_t copies;    /* that came in addition */
    uint64_t reordered; /* whole frames that came after a later one of their EV */
    uint64_t damaged;
};

struct traffic_latency {
    uint64_t count;
    uint64_t least_ns;
    uint64_t median_ns;
    uint64_t p99_ns;
    uint64_t most_ns;
};

struct traffic_result {
    struct traffic_counts senders[TRAFFIC_PORTS_MAX]; /* by port */
    struct traffic_counts total;
    struct traffic_latency latency;
    uint64_t received[TRAFFIC_PORTS_MAX]; /* frames that were sent, by port */
    uint64_t answers[256];                /* other packets of MRC, by opcode */
    uint64_t foreign;                     /* other frames */
    uint64_t send_ns;                     /* from the first frame sent to the last one */
    uint64_t ordinary_sent;               /* TRAFFIC_HOSTILE: after the hostile frames */
    uint64_t ordinary_seen;
    bool has_order; /* `reordered` is known */
    char end[256];  /* why the run ended early; "": it did not */
};

/* Returns 0, or a negative errno with a message in `result->end`. A run that ends early because a
 * port disappears, or because it is interrupted, also has results. */
int traffic_run(const struct traffic_config *, struct traffic_result *result);
