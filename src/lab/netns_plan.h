/* SPDX-License-Identifier: Apache-2.0 */
/* What ip(8) is told in order to make a namespace fabric: lines for `ip -batch`. */
#pragma once

#include <stdio.h>

#include "lab/netns.h"

/* From outside: all namespaces; then all cables. */
void netns_plan_spaces(const struct netns *, FILE *to);
void netns_plan_cables(const struct netns *, FILE *to);

/* Inside each namespace; may be repeated. */
void netns_plan_host(const struct netns *, uint32_t nic, FILE *to);
void netns_plan_switch(const struct netns *, uint32_t node, FILE *to);
void netns_plan_management(const struct netns *, FILE *to);
