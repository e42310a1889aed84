/* SPDX-License-Identifier: Apache-2.0 */
/* EV profiles of a NIC in a fabric without a graph, some of whose links are missing or slower. As
 * in the simulator, the paths to each destination have weights of their own (docs/decisions/0031).
 * The caller owns all engines, except to open and close. */
#pragma once

#include <stdint.h>

#include "host/host.h"
#include "host/host_profile.h"
#include "wire/ip_address.h"

struct uneven_paths;

/* Reads the file that describes the fabric (plan/plan_exceptions.h). Returns 0 or a negative errno:
 * -EINVAL if it does not describe a fabric with this address. */
int uneven_paths_open(const char *path, const struct ipv6_addr *self, struct uneven_paths **);
void uneven_paths_close(struct uneven_paths *);

/* Returns the profile to a destination, which belongs to the NIC. Leaves *out unchanged if the
 * address does not belong to this fabric. */
int uneven_paths_towards(struct uneven_paths *, struct host_nic *, const struct ipv6_addr *address,
    struct host_ev_profile **out);

/* Denies these EVs, and no others, in profiles that are made from now on. */
int uneven_paths_deny(struct uneven_paths *, const uint32_t *evs, uint32_t ev_count);
/* Returns the next profile, from destination *at on; NULL: there are no more. */
struct host_ev_profile *uneven_paths_next(const struct uneven_paths *, uint32_t *at);
