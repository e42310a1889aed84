/* SPDX-License-Identifier: Apache-2.0 */
/* The bench of an endpoint: sends packets to it, keeps what comes from it, and drives it. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/prng.h"
#include "conform/conform_port.h"
#include "conform/conform_report.h"
#include "conform/endpoint_device.h"
#include "conform/endpoint_driver.h"
#include "conform/endpoint_peer.h"
#include "wire/frame.h"

#define ENDPOINT_PATTERN_BYTES (1 << 21)

/* A frame that came from the device. */
struct endpoint_frame {
    struct frame frame; /* its payload points into `bytes` */
    const uint8_t *bytes;
    uint32_t length;
    uint32_t port;
    uint64_t arrived_ns;
    enum drop_reason reason; /* DROP_NONE: a valid packet, except perhaps for its iCRC */
    bool has_good_icrc;
};

/* A QP of the device that is connected to the kit. */
struct endpoint_session {
    bool is_open;
    bool is_connected;
    uint32_t handle; /* of the driver */
    struct endpoint_terms terms;
    uint32_t qpn;
    uint32_t peer_qpn;
    uint64_t va;
    uint32_t rkey;
    uint32_t memory_bytes;
    struct psn next_psn; /* of the next message that the kit sends */
    uint16_t next_msn;
    uint16_t next_rqmsn;
};

struct endpoint_bench {
    const struct endpoint_device *device;
    const volatile sig_atomic_t *is_interrupted;
    struct conform_report *report; /* of the running check */
    struct conform_port ports[ENDPOINT_PORTS_MAX];
    uint32_t port_count;
    struct endpoint_driver driver;
    struct ipv6_addr address; /* of the device */
    struct prng prng;
    struct endpoint_session session;
    struct endpoint_peer peer;
    const uint8_t *pattern; /* random bytes, from which payloads are taken */

    /* What came during this check */
    struct endpoint_frame *frames;
    uint32_t frame_count;
    uint8_t *bytes;
    size_t used_bytes;
    uint64_t received_count;                /* also those that are not kept */
    uint32_t request_count;                 /* Endpoint Requests of the device */
    uint64_t port_data[ENDPOINT_PORTS_MAX]; /* data packets by port */

    uint16_t next_id;      /* of probes and requests of the kit */
    uint64_t end_ns;       /* of the run */
    uint32_t vain_waits;   /* during which the packet that was waited for did not come */
    uint32_t silent_waits; /* in succession, during which nothing came */
    bool has_late_fence;   /* the device does not answer EV probes */
};

/* Starts the driver and opens the ports. Returns false with the reason. */
bool endpoint_bench_open(
    struct endpoint_bench *, const struct endpoint_device *, char *reason, size_t reason_bytes);
void endpoint_bench_close(struct endpoint_bench *);

/* Begins a check: forgets all frames. Returns the bench, which `kit` is. */
struct endpoint_bench *endpoint_bench_begin(void *kit, struct conform_report *);

/* Ends the run: the device is gone. */
CONFORM_PRINTS void endpoint_bench_end(struct endpoint_bench *, const char *format, ...);

/* ---- sending --------------------------------------------------------------------------------- */

/* Sends a packet by port packet->port, sealed, with the outer header that the port needs. */
void endpoint_bench_send(struct endpoint_bench *, const struct packet *);

/* The same inside an outer header to this address, with this traffic class. */
void endpoint_bench_send_inside(struct endpoint_bench *, const struct packet *,
    const struct ipv6_addr *path, uint8_t traffic_class);

void endpoint_bench_send_bytes(
    struct endpoint_bench *, uint32_t port, const uint8_t *bytes, uint32_t length);

/* ---- receiving ------------------------------------------------------------------------------- */

typedef bool endpoint_match(const struct endpoint_frame *, uint32_t key);

/* Receives until a frame from number `from` on matches. Returns NULL after the patience of the
 * device, or if the run has ended. */
const struct endpoint_frame *endpoint_bench_await(
    struct endpoint_bench *, uint32_t from, endpoint_match *, uint32_t key);

/* Returns the first kept frame from number `from` on that matches; NULL: none. */
const struct endpoint_frame *endpoint_bench_find(
    const struct endpoint_bench *, uint32_t from, endpoint_match *, uint32_t key);
uint32_t endpoint_bench_count(
    const struct endpoint_bench *, uint32_t from, endpoint_match *, uint32_t key);

/* Waits until the device has processed what was sent: it answers an EV probe that follows. */
void endpoint_bench_settle(struct endpoint_bench *);

/* Receives for this time. */
void endpoint_bench_linger(struct endpoint_bench *, uint64_t time_ns);

/* Receives until a frame comes, `fd` is readable (-1: none) or it is this time. Returns false if
 * the run has ended. */
bool endpoint_bench_pump(struct endpoint_bench *, int fd, uint64_t until_ns);

/* How long the kit waits for what must come. */
uint64_t endpoint_bench_patience_ns(const struct endpoint_bench *);

/* Returns the number of the next frame. */
static inline uint32_t endpoint_bench_mark(const struct endpoint_bench *bench)
{
    return bench->frame_count;
}

static inline bool endpoint_bench_has_ended(const struct endpoint_bench *bench)
{
    return conform_report_has_ended(bench->report);
}
