/* SPDX-License-Identifier: Apache-2.0 */
/* When the senders of a NIC may send: those that may send now are listed at their port and take
 * turns; the others wait for an ACK, a message, or their timer. */
#pragma once

#include "rival/rocev2/roce_nic.h"

/* Lists a sender that may send now, and sets its timer. Called after every change. */
void roce_schedule_sender(struct roce_nic *, uint32_t index, uint64_t now_ps);

/* Takes the first sender out of the list of a port. There must be one. */
uint32_t roce_schedule_take(struct roce_nic *, struct roce_port *);

/* Removes senders from the head of the list that have nothing to send any more, or not yet. */
void roce_schedule_drop_idle(struct roce_nic *, struct roce_port *, uint64_t now_ps);

/* A sender has sent a packet, and waits as long as its rate demands. */
void roce_schedule_sent(struct roce_nic *, struct roce_sender *, uint32_t bytes, uint64_t now_ps);

/* Makes the changes of the rate that are due. */
void roce_schedule_advance(const struct roce_nic *, struct roce_sender *, uint64_t now_ps);

/* The rate has changed: what is left of the gap after the last packet changes with it. */
void roce_schedule_rate_changed(struct roce_sender *, double before_bps, uint64_t now_ps);
