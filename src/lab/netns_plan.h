/* SPDX-License-Identifier: Apache-2.0 */
/* The commands that build a namespace fabric: lines for `ip -batch`. */
#pragma once

#include <stdio.h>

#include "lab/netns.h"

/* Run outside the namespaces: creates all namespaces, then all cables. */
void netns_plan_spaces(const struct netns *, FILE *to);
void netns_plan_cables(const struct netns *, FILE *to);

/* Run inside each namespace; may be repeated. */
void netns_plan_host(const struct netns *, uint32_t nic, FILE *to);
void netns_plan_switch(const struct netns *, uint32_t node, FILE *to);
void netns_plan_management(const struct netns *, FILE *to);
