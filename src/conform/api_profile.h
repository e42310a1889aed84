/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles that checks make: ids of their own, usual contents, and their removal at the end. */
#pragma once

#include "conform/api_side.h"

/* Ids that a controller hardly uses. */
enum {
    API_PROFILE_FMT = 0x4d524301,
    API_PROFILE_EV = 0x4d524302,
    API_PROFILE_CC = 0x4d524303,
};

enum { API_PROFILE_EVS = 4 };

/* Opens the device, removes profiles of an earlier run, and has them removed when the check
 * ends. Skips the check if the caller may not change profiles. */
void api_profile_open(struct api_side *, struct api_run *);
/* Calls, as errno values. */
int api_profile_fmt(struct api_side *, struct mrc_ctl_ev_fmt_profile_attr *, int mask);
int api_profile_ev(struct api_side *, struct mrc_ctl_ev_profile_attr *, int mask);
int api_profile_cc(struct api_side *, struct mrc_ctl_cc_profile_attr *, int mask);
int api_profile_fmt_state(struct api_side *, enum mrc_ctl_profile_state);
int api_profile_ev_state(struct api_side *, enum mrc_ctl_profile_state);
int api_profile_cc_state(struct api_side *, enum mrc_ctl_profile_state);
/* The state that a query returns. */
int api_profile_is(struct api_side *, int profile);

/* Fails unless a profile can go through all its states and none is left out. `set` is one of
 * api_profile_*_state(); the profile is OFFLINE and can go ONLINE. */
void api_profile_walk(
    struct api_side *, int profile, int (*set)(struct api_side *, enum mrc_ctl_profile_state));

/* Makes a format ONLINE: one field of 16 bits. */
void api_profile_make_fmt(struct api_side *);
/* Attributes of an explicit profile with API_PROFILE_EVS EVs of that format. */
struct mrc_ctl_ev_profile_attr api_profile_ev_attr(void);
enum {
    API_PROFILE_EV_NEEDED = MRC_CTL_EV_PROFILE_STATE | MRC_CTL_EV_PROFILE_MODE |
                            MRC_CTL_EV_PROFILE_FMT_ID | MRC_CTL_EV_PROFILE_COUNT,
};
/* Makes that profile OFFLINE. */
void api_profile_make_ev(struct api_side *);
/* EV number `i`: values from 0x1001, on all ports in turn. */
struct mrc_ctl_ev api_profile_ev_of(struct api_side *, uint32_t i);
/* Stores these EVs in all entries. */
void api_profile_populate(struct api_side *);
/* One operation on entries. */
int api_profile_ev_op(
    struct api_side *, enum mrc_ctl_ev_op, struct mrc_ctl_ev_op_entry *, int count);
/* Queries all entries; must succeed. */
void api_profile_ev_array(
    struct api_side *, struct mrc_ctl_ev_op_entry entries[static API_PROFILE_EVS]);
