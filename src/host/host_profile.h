/* SPDX-License-Identifier: Apache-2.0 */
/* EV and congestion control profiles that QPs use. A NIC has a default of each, which NULL selects.
 */
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
    uint32_t ev; /* as carried on the wire: `plane << 16 | index` for a controller's lists; all
                    different */
    uint8_t plane;
    bool denied;
    /* The expanded form, if the format has one: outer destination, segment of the SRH. */
    struct template_addresses addresses;
};

struct host_ev_profile_config {
    uint64_t id; /* returned in events */
    uint32_t
        address_count;   /* 0: by the route's template, or no outer header; 1: SRv6; 2: with SRH */
    bool is_plain;       /* never an outer header, even if the route has one (UDP, structured) */
    uint32_t min_active; /* 0: default */
    uint32_t event_mask; /* bit s: report changes to enum path_ev_state s */
    const struct host_ev_entry *entries; /* copied; indexes refer to the caller's order */
    uint32_t entry_count;
};

/* Returns -EINVAL if there are no entries, too many, two with the same EV, or a plane that does not
 * exist. */
int host_ev_profile_create(
    struct host_nic *, const struct host_ev_profile_config *, struct host_ev_profile **);
/* Returns -EBUSY if QPs use it. */
int host_ev_profile_destroy(struct host_ev_profile *);

/* Applies to all QPs that use the profile, at once. `index` is the caller's. A replacement must
 * have the same plane (-EINVAL). */
int host_ev_profile_deny(struct host_ev_profile *, uint32_t index, bool denied);
int host_ev_profile_replace(struct host_ev_profile *, uint32_t index, const struct host_ev_entry *);

/* Denies these EVs, and no others, in the profiles that the NIC makes itself. Over a graph, where
 * an EV is another path to each destination, returns -ENOTSUP unless the list is empty. */
int host_ev_profile_deny_own(struct host_nic *, const uint32_t *evs, uint32_t ev_count);

/* Returns the worst state that any QP has for the entry: EV_GOOD if no QP uses it, EV_DENIED if
 * denied. */
enum path_ev_state host_ev_profile_state(struct host_ev_profile *, uint32_t index);

/* Derives settings that are 0 and applies the floors for software. Returns -EINVAL if the algorithm
 * does not exist. */
int host_cc_profile_create(
    struct host_nic *, const struct cc_settings *, struct host_cc_profile **);
int host_cc_profile_destroy(struct host_cc_profile *); /* -EBUSY if QPs use it */
/* Writes the settings that follow from the NIC's parameters, as a starting point. */
void host_cc_settings(const struct host_nic *, struct cc_settings *);
