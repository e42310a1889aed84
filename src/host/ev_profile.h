/* SPDX-License-Identifier: Apache-2.0 */
/* Private declarations of EV and congestion control profiles. */
#pragma once

#include "host/host_profile.h"
#include "wire/ip_address.h"

struct host_ev_profile {
    struct host_nic *nic;
    uint64_t id;
    uint32_t address_count;
    bool is_plain;
    bool is_default; /* made by the NIC */
    uint32_t event_mask;
    struct path_profile profile;          /* sorted by plane */
    struct path_entry *entries;           /* its entries */
    struct template_addresses *addresses; /* in the same order; NULL if none */
    uint32_t *theirs;                     /* sorted index -> the caller's index */
    uint32_t *ours;                       /* the caller's index -> sorted index */
    uint32_t user_count;
};

struct host_cc_profile {
    struct host_nic *nic;
    struct cc_profile profile;
    uint32_t user_count;
};

/* Allocates a profile with room for this number of EVs. Returns NULL if there is no memory. */
struct host_ev_profile *ev_profile_alloc(struct host_nic *, uint32_t count);
/* Creates a profile with EVs of the NIC's choice and its default congestion control. */
int ev_profile_create_default(struct host_nic *, struct host_ev_profile **);
int ev_profile_create_default_cc(struct host_nic *, struct host_cc_profile **);
/* Returns the default profile of QPs to this address. Over a graph each destination has its own
 * profile, which belongs to the NIC; the caller owns all engines. Returns -EHOSTUNREACH if there is
 * no path. */
int ev_profile_towards(struct host_nic *, const struct ipv6_addr *, struct host_ev_profile **);
void ev_profile_free(struct host_ev_profile *);
