/* SPDX-License-Identifier: Apache-2.0 */
/* The shares of workloads between the same NICs. */
#pragma once

#include "capacity/capacity.h"

/* Divides `found_bps` of the pairs of each group by their QPs with bytes outstanding. Solutions are
 * kept for all QPs of a pair, but some workloads use one QP after the other. */
void capacity_share_by_qps(struct capacity_track *);
