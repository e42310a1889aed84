/* SPDX-License-Identifier: Apache-2.0 */
/* A NIC that is not ideal: its two engines, which send and receive, take time for each packet
 * (hardware/nic_cost.h), and QPs whose state is not on the chip take more. Packets that arrive wait
 * in a buffer until they are received. */
#pragma once

#include "hardware/hardware.h"
#include "sim/shard.h"

struct nic_model_arrival {
    uint64_t due_ps; /* when the receiver is done with it */
    struct mailbox_entry entry;
};

struct nic_model {
    uint64_t send_ps;    /* the sender is free from this time on */
    uint64_t receive_ps; /* and the receiver */
    struct qp_cache qps;
    struct nic_model_arrival *arrivals; /* a ring */
    uint32_t first;
    uint32_t count;
    uint64_t waiting_bytes;
    uint8_t penalty;
};

/* Makes the models of all NICs, unless they are ideal. With an arena without memory, it only
 * measures. */
void nic_model_init(struct sim *, struct arena *);

/* A packet that arrives is put into the buffer of the NIC, or lost. */
void nic_model_arrive(struct shard *, uint32_t nic, const struct mailbox_entry *, uint64_t now_ps);
/* Returns the next packet with which the receiver is done by `now_ps`. Returns false if there is
 * none. */
bool nic_model_receive(struct shard *, uint32_t nic, struct mailbox_entry *, uint64_t now_ps);
/* Returns when the receiver is done with the next packet; SIM_NEVER_PS: none waits. */
uint64_t nic_model_next_ps(const struct nic_model *);

/* The sender begins with a packet. Returns when it can leave. */
uint64_t nic_model_send(
    struct shard *, uint32_t nic, const struct endpoint_departure *, uint64_t now_ps);

/* Returns the packets that wait to be received, of all NICs. */
uint64_t nic_model_waiting(const struct sim *);

/* Returns when a timer that is set for this time expires. */
uint64_t nic_model_timer_ps(const struct shard *, uint32_t nic, uint64_t timer_ps);
