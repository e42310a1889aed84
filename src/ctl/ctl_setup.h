/* SPDX-License-Identifier: Apache-2.0 */
/* Prepares state folders: `mrcd init`. */
#pragma once

#include "ctl/ctl_folder.h"

#define CTL_HOSTS_MAX 16

/* Creates the token, the authority and the certificate of the controller, whatever of them does not
 * exist yet. `hosts` are its names and addresses besides those of the loopback interface; it ends
 * with NULL. Returns 0 or a negative errno, and a reason. */
int ctl_setup_controller(
    const struct ctl_folder *, const char *const *hosts, char reason[static CTL_REASON_BYTES]);

/* Creates the folder agents/NAME with the certificates that an agent needs, to be carried to its
 * node. -EEXIST: it exists. */
int ctl_setup_agent(
    const struct ctl_folder *, const char *name, char reason[static CTL_REASON_BYTES]);

/* Revokes the certificate in agents/NAME: adds it to the file `revoked`, which a running controller
 * reads again, and removes certificate and key. -ENOENT: there is none. */
int ctl_setup_revoke(
    const struct ctl_folder *, const char *name, char reason[static CTL_REASON_BYTES]);
