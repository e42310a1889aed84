/* SPDX-License-Identifier: Apache-2.0 */
/* The time that the two engines of a NIC need for a packet, the penalty of a NIC that cannot keep
 * up, and timers that are late. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define NIC_COST_PENALTY_MAX 127

struct nic_cost {
    uint64_t packet_ps;       /* least time between two packets, in each direction */
    uint64_t message_ps;      /* of the sender, for each message */
    uint64_t miss_ps;         /* for a QP that is not on the chip */
    uint64_t fetch_byte_time; /* of payload from the host, base/byte_time.h */
    uint64_t drain_byte_time; /* of payload to the host */
    uint64_t jitter_ps;       /* timers are late by less than this */
    uint32_t buffer_bytes;    /* of the receiver; 0: no limit */
    bool is_ideal;            /* nothing costs anything */
};

struct nic_cost_packet {
    uint32_t payload_bytes;
    bool begins_message;
    bool is_miss;
};

/* Fetching, and the work on a packet, go on at the same time as those of the packet before. */
uint64_t nic_cost_send_ps(const struct nic_cost *, const struct nic_cost_packet *);
uint64_t nic_cost_receive_ps(const struct nic_cost *, const struct nic_cost_packet *);

/* Returns the rcv_cwnd_pen of a receiver: 0 while at most half of its buffer is used, and the
 * maximum when it is full. */
uint8_t nic_cost_penalty(const struct nic_cost *, uint64_t waiting_bytes);

/* Returns the delay of a timer. It depends on its arguments alone. */
uint64_t nic_cost_late_ps(const struct nic_cost *, uint64_t seed, uint32_t nic, uint64_t timer_ps);
