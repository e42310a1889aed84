/* SPDX-License-Identifier: Apache-2.0 */
/* What EV and congestion control profiles are inside. */
#pragma once

#include "host/host_profile.h"

struct host_ev_profile {
    struct host_nic *nic;
    uint64_t id;
    uint32_t address_count;
    bool is_plain;
    uint32_t event_mask;
    struct path_profile profile;          /* sorted by plane */
    struct path_entry *entries;           /* its entries */
    struct template_addresses *addresses; /* likewise sorted; NULL: none */
    uint32_t *theirs;                     /* sorted index -> the caller's */
    uint32_t *ours;                       /* the caller's -> sorted index */
    uint32_t user_count;
};

struct host_cc_profile {
    struct host_nic *nic;
    struct cc_profile profile;
    uint32_t user_count;
};

/* The NIC's own choice of EVs, and its default congestion control. */
int ev_profile_create_default(struct host_nic *, struct host_ev_profile **);
int ev_profile_create_default_cc(struct host_nic *, struct host_cc_profile **);
void ev_profile_free(struct host_ev_profile *);
