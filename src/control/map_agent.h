/* SPDX-License-Identifier: Apache-2.0 */
/* The agent of a NIC for a map: asks the process that has the device open to send the probes of
 * each period, and notes what arrives. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "control/device_list.h"
#include "control/request.h"
#include "map/map.h"

struct map_agent {
    const struct map_schedule *schedule;
    char device[DEVICE_LIST_NAME_BYTES];
    uint32_t nic;
    uint32_t port_count;
    uint32_t round_periods;
    uint64_t *arrived; /* by port and period: bitmaps of slots */
    uint64_t *sent;
    struct map_loss *lost;
    uint64_t last_period; /* of the last request */
    uint64_t heard;       /* all arrivals so far are of periods before this one */
    uint64_t requests;    /* that the device has answered, as it says */
    bool is_opened_anew;  /* seen since the last period began */
};

/* The schedule must outlive the agent. Returns 0 or -ENOMEM. */
int map_agent_open(struct map_agent *, const struct map_schedule *, const char *device,
    uint32_t nic, uint32_t round_periods);
void map_agent_close(struct map_agent *);

/* Sends the probes of a period, and takes what has arrived so far. Periods ascend. If another
 * process has the device open now, or none, what arrived last is not known, and the rounds of the
 * last periods are not reported. */
enum request_result map_agent_send(
    struct map_agent *, uint64_t period, char reason[REQUEST_REASON_BYTES]);
/* Only takes what has arrived. */
enum request_result map_agent_listen(struct map_agent *, char reason[REQUEST_REASON_BYTES]);

/* Sends nothing in a period: its round is not reported. */
void map_agent_skip(struct map_agent *, uint64_t period);

/* Writes what a port lost in the round that begins with a period; the losses are valid until the
 * next call. False: a probe could not be sent, or the port has no cable. */
bool map_agent_losses(
    struct map_agent *, uint32_t port, uint64_t first_period, struct map_report *);

/* Reports the round that is open to the map, port by port. A round in which a probe could not be
 * sent is not reported. Returns true if all ports were. */
bool map_agent_report(struct map_agent *, struct map *);
