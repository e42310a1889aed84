/* SPDX-License-Identifier: Apache-2.0 */
/* What EV and congestion control profiles are inside. */
#pragma once

#include "host/host_profile.h"
#include "wire/ip_address.h"

struct host_ev_profile {
    struct host_nic *nic;
    uint64_t id;
    uint32_t address_count;
    bool is_plain;
    bool is_default; /* the NIC made it */
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

/* With room for as many EVs; NULL: there is no memory. */
struct host_ev_profile *ev_profile_alloc(struct host_nic *, uint32_t count);
/* The NIC's own choice of EVs, and its default congestion control. */
int ev_profile_create_default(struct host_nic *, struct host_ev_profile **);
int ev_profile_create_default_cc(struct host_nic *, struct host_cc_profile **);
/* The same for QPs to this address. Over a graph each destination has a profile of its own, which
 * belongs to the NIC: for an owner of all engines. -EHOSTUNREACH: no path leads there. */
int ev_profile_towards(struct host_nic *, const struct ipv6_addr *, struct host_ev_profile **);
void ev_profile_free(struct host_ev_profile *);
