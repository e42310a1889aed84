/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of `mrcd controller` and `mrcd agent`. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "ctl/ctl_controller.h"
#include "ctl/ctl_folder.h"

struct ctl_daemon_options {
    const char *address;        /* of operators; NULL: 127.0.0.1 */
    uint16_t port;              /* 0: any free one */
    const char *agents_address; /* NULL: no agents of other machines */
    uint16_t agents_port;
    bool is_local; /* the controller is the agent of this machine, too */
    uint32_t capacity_ppm;
    const char *shown_fabric; /* the soft fabric of this machine that the page shows */
    struct ctl_profiles profiles;
    struct ctl_map_config map;
    struct ctl_policy_config policy;
    const char *agent_name;
    const char *controller; /* https://HOST:PORT; an agent's */
    const volatile sig_atomic_t *is_over;
};

/* Run until *is_over. Return 0, or a negative errno and a reason. The folder belongs to this
 * process already. */
int ctl_daemon_control(const struct ctl_folder *, const struct plan *,
    const struct ctl_daemon_options *, char reason[static CTL_REASON_BYTES]);
int ctl_daemon_serve_node(const struct ctl_folder *, const struct ctl_daemon_options *,
    char reason[static CTL_REASON_BYTES]);
