/* SPDX-License-Identifier: Apache-2.0 */
/* EV and congestion control profiles that QPs use. A NIC has a default of each, which NULL stands
 * for. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cc/cc.h"
#include "path/path.h"

struct host_nic;
struct host_qp;
struct host_ev_profile;
struct host_cc_profile;

struct host_ev_entry {
    uint32_t ev; /* as it travels: `plane << 16 | index` for a controller's lists, all different */
    uint8_t plane;
    bool denied;
    /* The expanded form where the format has one: outer destination, segment of the SRH. */
    struct template_addresses addresses;
};

struct host_ev_profile_config {
    uint64_t id; /* comes back in events */
    uint32_t
        address_count;   /* 0: by the route's template, or no outer header; 1: SRv6; 2: with SRH */
    bool is_plain;       /* never an outer header, whatever the route says (UDP, structured) */
    uint32_t min_active; /* 0: default */
    uint32_t event_mask; /* bit s: report changes to enum path_ev_state s */
    const struct host_ev_entry *entries; /* copied; the caller's order is kept for indexes */
    uint32_t entry_count;
};

/* -EINVAL: no entries, too many, two with one EV, a plane that is not there. */
int host_ev_profile_create(
    struct host_nic *, const struct host_ev_profile_config *, struct host_ev_profile **);
/* -EBUSY: QPs use it. */
int host_ev_profile_destroy(struct host_ev_profile *);
uint32_t host_ev_profile_users(const struct host_ev_profile *);

/* To all QPs that use it, at once. `index` is the caller's. Replacing keeps the plane (-EINVAL). */
int host_ev_profile_deny(struct host_ev_profile *, uint32_t index, bool denied);
int host_ev_profile_replace(struct host_ev_profile *, uint32_t index, const struct host_ev_entry *);

/* The worst that any QP knows of the entry; EV_GOOD where none uses it, EV_DENIED if denied. */
enum path_ev_state host_ev_profile_state(struct host_ev_profile *, uint32_t index);

/* Zeros in `settings` are derived, floors for software are applied. -EINVAL: no such algorithm. */
int host_cc_profile_create(
    struct host_nic *, const struct cc_settings *, struct host_cc_profile **);
int host_cc_profile_destroy(struct host_cc_profile *); /* -EBUSY: QPs use it */
/* What the NIC's parameters say, to start from. */
void host_cc_settings(const struct host_nic *, struct cc_settings *);
