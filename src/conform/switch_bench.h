/* SPDX-License-Identifier: Apache-2.0 */
/* Sends frames into a switch and notes what becomes of each. A frame that was sent is a shot. The
 * kit recognises it by the QP number and the PSN in its BTH, which survive trimming. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/prng.h"
#include "conform/conform_port.h"
#include "conform/conform_report.h"
#include "conform/switch_device.h"
#include "wire/ip.h"
#include "wire/srh.h"

#define SWITCH_NOWHERE       UINT32_MAX /* of ports: the switch must drop the frame */
#define SWITCH_USIDS_MAX     6
#define SWITCH_HEAD_BYTES    (IP_V6_BYTES + SRH_BYTES)
#define SWITCH_NO_DIFFERENCE UINT32_MAX

/* A frame to send. */
struct switch_aim {
    uint32_t in;
    uint32_t out; /* where it should leave, or SWITCH_NOWHERE */
    uint32_t block;
    uint16_t usids[SWITCH_USIDS_MAX]; /* of the outer destination; zeros follow */
    uint8_t hop_limit;
    enum dscp_class class;
    bool has_dscp; /* `dscp` replaces that of the class */
    uint8_t dscp;
    uint8_t ecn;
    bool is_sack; /* instead of a WRITE */
    uint32_t payload_bytes;
    uint32_t ev;
    bool has_srh;
    uint8_t segments_left;
    struct ipv6_addr segment;
    struct ipv6_addr source; /* inner */
    uint32_t padding_bytes;  /* behind the IP packet */
    bool may_be_lost;
};

struct switch_shot {
    uint8_t *bytes;
    uint32_t length;      /* of the IP packet */
    uint32_t sent_length; /* with padding */
    uint32_t in;
    uint32_t out;
    uint8_t class; /* enum dscp_class */
    bool may_be_lost;
    bool is_fence;

    /* What came out, if copies > 0: of the first copy. */
    uint32_t copies;
    uint32_t order; /* among all frames that came out */
    uint32_t port;
    uint64_t seen_ns;
    uint32_t frame_length; /* as received */
    uint32_t seen_length;  /* the same without padding */
    uint32_t difference;   /* first byte that should be as sent and is not; the fields that switches
                              change do not count */
    uint8_t head[SWITCH_HEAD_BYTES];
};

struct switch_bench {
    const struct switch_device *device;
    const volatile sig_atomic_t *is_interrupted;
    struct conform_report *report; /* of the running check */
    struct conform_port ports[SWITCH_DEVICE_PORTS_MAX];
    uint32_t port_count;
    struct prng prng;
    uint32_t qpn; /* of the shots of the running check */
    struct switch_shot *shots;
    uint32_t shot_count;
    uint32_t sent_count;
    uint32_t settled_count; /* have come out, or will not */
    uint8_t *bytes;         /* of the shots */
    size_t used_bytes;
    uint32_t arrival_count;
    uint64_t stray_count; /* frames that are no shot, and many copies of one */
    uint64_t send_ns;     /* how long the last volley took to send */
};

/* Returns 0, or a negative errno with the port at fault. */
int switch_bench_open(struct switch_bench *, const struct switch_device *, uint32_t *port);
void switch_bench_close(struct switch_bench *);

/* Begins a check or a part of it: forgets all shots. Returns the bench, which `kit` is. */
struct switch_bench *switch_bench_begin(void *kit, struct conform_report *);

/* Returns a frame that names the switch and then the uSID of port `out`, or of another one if that
 * is SWITCH_NOWHERE. */
struct switch_aim switch_bench_aim(const struct switch_bench *, uint32_t in, uint32_t out);

/* Builds the frame, to be sent next. Returns the shot, whose bytes the caller may still change. */
struct switch_shot *switch_bench_load(struct switch_bench *, const struct switch_aim *);

/* Sends what is loaded, and waits until all of it has come out or cannot come any more. Returns
 * false if the device is gone. */
bool switch_bench_fire(struct switch_bench *);

/* The same in two steps, for a stream: sends what is loaded without waiting; receives until a frame
 * comes or this time has come. */
bool switch_bench_send(struct switch_bench *);
void switch_bench_receive(struct switch_bench *, uint64_t until_ns);

/* ---- what came out --------------------------------------------------------------------------- */

static inline uint8_t switch_shot_traffic_class(const struct switch_shot *shot)
{
    return (uint8_t)(shot->head[0] << 4 | shot->head[1] >> 4);
}

static inline uint8_t switch_shot_dscp(const struct switch_shot *shot)
{
    return switch_shot_traffic_class(shot) >> 2;
}

static inline uint8_t switch_shot_ecn(const struct switch_shot *shot)
{
    return switch_shot_traffic_class(shot) & 3;
}

static inline bool switch_shot_is_cut(const struct switch_shot *shot)
{
    return shot->copies > 0 && shot->seen_length < shot->length;
}

static inline bool switch_shot_is_whole(const struct switch_shot *shot)
{
    return shot->copies > 0 && shot->seen_length == shot->length;
}

struct ipv6_addr switch_shot_destination(const struct switch_shot *);

/* ---- ports ----------------------------------------------------------------------------------- */

/* Returns the first output port after `after` (SWITCH_NOWHERE: from the start) that has an input to
 * reach it; SWITCH_NOWHERE: none. */
uint32_t switch_bench_out(const struct switch_bench *, uint32_t after);
/* Returns the first input port after `after` that is not `out`. */
uint32_t switch_bench_in(const struct switch_bench *, uint32_t out, uint32_t after);

struct switch_pair {
    uint32_t in;
    uint32_t out;
};
#define SWITCH_FIRST_PAIR ((struct switch_pair){ SWITCH_NOWHERE, SWITCH_NOWHERE })
/* Moves on to the next pair of different ports. Returns false after the last one. */
bool switch_bench_next_pair(const struct switch_bench *, struct switch_pair *);

/* Returns the largest payload that fits the MTU of all ports, at most 4096. */
uint32_t switch_bench_payload_max(const struct switch_bench *);

const char *switch_bench_name(const struct switch_bench *, uint32_t port);
