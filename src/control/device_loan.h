/* SPDX-License-Identifier: Apache-2.0 */
/* A device that no process has open can be borrowed, so that its probes are sent. A process that
 * opens it meanwhile waits, and the borrower gives it back: it holds the lock `loan` in the folder
 * of the device, and the process that waits holds `wanted`. */
#pragma once

#include <stdbool.h>

#include "control/device_list.h"
#include "control/port_admin.h"

struct mrc_cq;

struct device_loan {
    char device[DEVICE_LIST_NAME_BYTES]; /* empty: nothing is borrowed */
    int lock;
    struct port_admin admin;
    struct mrc_cq *cq; /* claims the NIC */
};

/* Returns 0 or a negative errno: -EBUSY if another process has the device, or wants it. */
int device_loan_take(struct device_loan *, const char *device);
/* Whether another process waits for the device. A borrower asks every DEVICE_LOAN_LOOK_MS. */
bool device_loan_is_wanted(const struct device_loan *);
void device_loan_return(struct device_loan *);

#define DEVICE_LOAN_LOOK_MS 50
