/* SPDX-License-Identifier: Apache-2.0 */
/* What completion queues need of their channel. 0 or a negative errno. */
#pragma once

#include "api/api_objects.h"

/* The NIC's channel behind it. */
int channel_host(struct mrc_comp_channel *, struct host_nic *, struct host_channel **);

/* The bell of a queue of EV events: known, and heard once. */
int channel_add_bell(struct mrc_comp_channel *, struct mrc_cq *);
int channel_arm_bell(struct mrc_comp_channel *, struct mrc_cq *);
