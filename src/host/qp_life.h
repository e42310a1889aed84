/* SPDX-License-Identifier: Apache-2.0 */
/* The transport's half of a QP, which comes and goes with its profiles. */
#pragma once

#include "host/qp_table.h"

/* A fresh QP of the transport, under the number that `qp` has. The owner's call. */
int qp_life_begin(struct host_nic *, struct host_qp *);

/* Something was posted to it. */
void qp_life_announce(struct host_qp *);
