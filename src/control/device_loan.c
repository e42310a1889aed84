/* SPDX-License-Identifier: Apache-2.0 */
/* Opens devices for their probes alone. */
#include "control/device_loan.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include <mrc.h>

#include "pktio/pktio.h"

enum { PATH_BYTES = RUN_PLACE_BYTES + DEVICE_LIST_NAME_BYTES + 8 };

static bool is_wanted(const char *device)
{
    struct process_lock_holder holder;
    char path[PATH_BYTES];

    return run_place(path, sizeof(path), device, "wanted") == 0 && process_lock_look(path, &holder);
}

static int claim_nic(struct device_loan *loan)
{
    if (!port_admin_open(&loan->admin, loan->device))
        return -ENODEV;
    loan->cq = mrc_create_cq(loan->admin.mrc, 1, NULL, NULL, 0);
    return loan->cq ? 0 : -errno;
}

int device_loan_take(struct device_loan *loan, const char *device)
{
    char path[PATH_BYTES];
    int err;

    *loan = (struct device_loan){ 0 };
    if (is_wanted(device))
        return -EBUSY;
    err = run_place(path, sizeof(path), device, "loan");
    if (err)
        return err;
    loan->lock = process_lock_try(path);
    if (loan->lock < 0)
        return loan->lock;
    snprintf(loan->device, sizeof(loan->device), "%s", device);
    err = claim_nic(loan);
    if (err)
        device_loan_return(loan);
    return err;
}

bool device_loan_is_wanted(const struct device_loan *loan)
{
    return loan->device[0] && is_wanted(loan->device);
}

void device_loan_return(struct device_loan *loan)
{
    if (!loan->device[0])
        return;
    if (loan->cq)
        mrc_destroy_cq(loan->cq);
    port_admin_close(&loan->admin);
    close(loan->lock);
    *loan = (struct device_loan){ 0 };
}
