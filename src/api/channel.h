/* SPDX-License-Identifier: Apache-2.0 */
/* The part of completion channels that completion queues use. Calls return 0 or a negative errno.
 */
#pragma once

#include "api/api_objects.h"

/* Returns the NIC's channel behind it. */
int channel_host(struct mrc_comp_channel *, struct host_nic *, struct host_channel **);

/* Adds and arms the bell of a queue of EV events. */
int channel_add_bell(struct mrc_comp_channel *, struct mrc_cq *);
int channel_arm_bell(struct mrc_comp_channel *, struct mrc_cq *);
